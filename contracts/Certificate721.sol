// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {CertificateRecords} from "./base/CertificateRecords.sol";
import {IssuedERC721} from "./base/IssuedERC721.sol";

/// @title Certificate ERC-721
/// @notice Tokens that stay with the holder they were minted to (ERC-5192) until that holder burns them, each bound to
/// one document by its URI and its hash. No base URI and no royalties.
contract Certificate721 is IssuedERC721, CertificateRecords {
    /// @notice The certificate exists; it cannot be minted again while someone holds it.
    error CertificateAlreadyIssued(uint256 tokenId);

    /// @param name_ Name of the collection.
    /// @param symbol_ Symbol of the collection.
    /// @param initialOwner First owner, who alone may mint.
    /// @param trustedForwarder_ ERC-2771 forwarder, or zero for none.
    constructor(
        string memory name_,
        string memory symbol_,
        address initialOwner,
        address trustedForwarder_
    ) IssuedERC721(name_, symbol_, initialOwner, trustedForwarder_) {}

    /// @notice Issues the certificate `tokenId` to `to`. A burned certificate may be issued again, to anyone, with the
    /// same document: so a holder can move to a new wallet by burning, and the issuer cannot change what an id says.
    ///
    /// Requirements:
    ///
    /// - the caller is the owner;
    /// - `tokenId` does not exist, else `CertificateAlreadyIssued`;
    /// - `tokenUri` is not empty and `metadataHash` is not zero;
    /// - if `tokenId` was minted before, both are the same as then, else `CertificateRecordMismatch`;
    /// - `to` is not the zero address and, if it is a contract, accepts the token (`onERC721Received`).
    ///
    /// Emits {CertificateRecorded} at the first mint of the id, {Transfer} and {Locked}.
    function mint(
        address to,
        uint256 tokenId,
        string calldata tokenUri,
        bytes32 metadataHash
    ) external onlyOwner {
        require(_ownerOf(tokenId) == address(0), CertificateAlreadyIssued(tokenId));
        _recordCertificate(tokenId, tokenUri, metadataHash);
        _safeMint(to, tokenId);
    }

    /// @notice URI of the certificate's document, as given at its mint.
    ///
    /// Requirements:
    ///
    /// - `tokenId` exists.
    function tokenURI(uint256 tokenId) public view override returns (string memory) {
        return _certificateURI(tokenId);
    }

    /// @notice Always reverts.
    function approve(address, uint256) public virtual override {
        revert CertificateApprovalBlocked();
    }

    /// @notice Always reverts.
    function setApprovalForAll(address, bool) public virtual override {
        revert CertificateApprovalBlocked();
    }

    /// @notice ERC-165: ERC-721 with metadata, and ERC-5192.
    function supportsInterface(bytes4 interfaceId) public view override(ERC721, CertificateRecords) returns (bool) {
        return super.supportsInterface(interfaceId);
    }

    function _requireCertificate(uint256 tokenId) internal view override {
        _requireOwned(tokenId);
    }

    /// @dev Every way to move a token comes here, before it is asked who the caller is: a certificate with a holder can
    /// only be burned. {Locked} is emitted here and not in {mint}, so that it comes before the receiver's hook can burn
    /// the token.
    function _update(address to, uint256 tokenId, address auth) internal override returns (address) {
        address holder = _ownerOf(tokenId);
        require(holder == address(0) || to == address(0), CertificateNonTransferable());
        super._update(to, tokenId, auth);
        if (holder == address(0)) {
            emit Locked(tokenId);
        }
        return holder;
    }
}
