// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC5484} from "./IERC5484.sol";

/// @title Who may burn certificates, and which were revoked
/// @notice Fixed at deployment for all certificates of a contract, in the manner of ERC-5484: their holder burns them, their issuer revokes
/// them, either does, or nobody. Whether the last of a certificate was revoked, when and by whom stays readable after it is gone.
/// @custom:security-contact See SECURITY.md in the source repository.
abstract contract CertificateBurns is IERC5484 {
    /// @param by Issuer; zero if there was no revocation.
    /// @param revokedAt Time of the block, in Unix seconds.
    struct Revocation {
        address by;
        uint64 revokedAt;
    }

    BurnAuth internal immutable _burnAuth;

    mapping(uint256 tokenId => Revocation) private _revocations;

    /// @notice The holders of these certificates may not burn them.
    error CertificateBurnBlocked();

    /// @notice The issuer of these certificates may not revoke them.
    error CertificateRevocationBlocked();

    /// @notice The issuer has revoked a certificate, or units of one.
    /// @param tokenId Token id.
    /// @param from Holder until then.
    /// @param by Issuer.
    /// @param amount Number of units; 1 for ERC-721.
    event CertificateRevoked(uint256 indexed tokenId, address indexed from, address indexed by, uint256 amount);

    /// @param burnAuth_ Who may burn the certificates.
    constructor(BurnAuth burnAuth_) {
        _burnAuth = burnAuth_;
    }

    /// @notice The latest revocation of a certificate. Of an ERC-721 one, a later burn by its holder removes the record.
    /// @param tokenId Token id.
    /// @return by Issuer who revoked it; zero if it was not revoked.
    /// @return revokedAt Time of the block, in Unix seconds.
    function revocationOf(uint256 tokenId) external view virtual returns (address by, uint64 revokedAt) {
        Revocation storage revocation = _revocations[tokenId];
        return (revocation.by, revocation.revokedAt);
    }

    /// @dev Reverts with `CertificateBurnBlocked` unless holders may burn.
    function _requireHolderMayBurn() internal view virtual {
        require(_burnAuth == BurnAuth.OwnerOnly || _burnAuth == BurnAuth.Both, CertificateBurnBlocked());
    }

    /// @dev Reverts with `CertificateRevocationBlocked` unless the issuer may burn.
    function _requireIssuerMayBurn() internal view virtual {
        require(_burnAuth == BurnAuth.IssuerOnly || _burnAuth == BurnAuth.Both, CertificateRevocationBlocked());
    }

    /// @dev Records a revocation. Emits {CertificateRevoked}.
    /// @param tokenId Token id.
    /// @param from Holder until then.
    /// @param by Issuer.
    /// @param amount Number of units.
    function _recordRevocation(uint256 tokenId, address from, address by, uint256 amount) internal virtual {
        _revocations[tokenId] = Revocation(by, uint64(block.timestamp));
        emit CertificateRevoked(tokenId, from, by, amount);
    }

    /// @dev Removes the record of an earlier revocation, at a burn by the holder.
    /// @param tokenId Token id.
    function _removeRevocation(uint256 tokenId) internal virtual {
        delete _revocations[tokenId];
    }
}
