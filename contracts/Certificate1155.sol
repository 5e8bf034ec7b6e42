// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {CertificateBurns} from "./base/CertificateBurns.sol";
import {CertificateRecords} from "./base/CertificateRecords.sol";
import {CollectionURI} from "./base/CollectionURI.sol";
import {IERC5484} from "./base/IERC5484.sol";
import {IssuedERC1155} from "./base/IssuedERC1155.sol";

/// @title Certificate ERC-1155
/// @notice Units that stay with the holder they were minted to until the holder burns or the issuer revokes them, as fixed at deployment. All units of an id share
/// one document, bound by its URI and its hash. No base URI that can change, and no royalties.
/// @dev `locked` and {Locked} are those of ERC-5192, and `burnAuth` is that of ERC-5484. Their interface ids are not claimed: both extend ERC-721.
/// @custom:security-contact See SECURITY.md in the source repository.
contract Certificate1155 is IssuedERC1155, CertificateRecords, CertificateBurns {
    /// @notice An item of {mintMany}.
    /// @param to Holder.
    /// @param id Token id.
    /// @param amount Number of units.
    /// @param documentURI URI of the document.
    /// @param metadataHash SHA-256 of the document in canonical form.
    struct Mint {
        address to;
        uint256 id;
        uint256 amount;
        string documentURI;
        bytes32 metadataHash;
    }

    mapping(uint256 id => uint256) private _supply;

    /// @notice No unit of the id exists: it was never minted, or all its units were burned.
    /// @param id Token id.
    error CertificateNonexistent(uint256 id);

    /// @param name_ Name of the collection.
    /// @param symbol_ Symbol of the collection.
    /// @param owner_ First owner, who alone may mint.
    /// @param trustedForwarder_ ERC-2771 forwarder, or zero for none.
    /// @param baseURI_ Base URI, with or without a trailing slash; empty for none. Never changes. Documents under it take less gas.
    /// @param burnAuth_ Who may burn the certificates.
    constructor(
        string memory name_,
        string memory symbol_,
        address owner_,
        address trustedForwarder_,
        string memory baseURI_,
        BurnAuth burnAuth_
    )
        IssuedERC1155(name_, symbol_, owner_, trustedForwarder_, baseURI_)
        CertificateRecords(owner_)
        CertificateBurns(burnAuth_)
    {}

    /// @notice Issues units of a certificate.
    ///
    /// Requirements:
    ///
    /// - the caller is the owner;
    /// - `amount` is not zero, else `IssuanceZeroAmount`;
    /// - `documentURI` is not empty and `metadataHash` is not zero;
    /// - if `id` was minted before, both are the same as then, else `CertificateRecordMismatch`;
    /// - `to` is not the zero address and, if it is a contract, accepts the units (`onERC1155Received`).
    ///
    /// Emits {CertificateRecorded} and {URI} at the first mint of the id, {TransferSingle} and {Locked}.
    /// @param to Holder.
    /// @param id Token id.
    /// @param amount Number of units.
    /// @param documentURI URI of the document.
    /// @param metadataHash SHA-256 of the document in canonical form.
    function mint(
        address to,
        uint256 id,
        uint256 amount,
        string calldata documentURI,
        bytes32 metadataHash
    ) external virtual onlyOwner {
        if (_recordCertificate(id, documentURI, metadataHash, _msgSender())) {
            emit URI(documentURI, id);
        }
        _mint(to, id, amount, "");
    }

    /// @notice Issues many certificates in one transaction, see {BatchMint}.
    ///
    /// Requirements:
    ///
    /// - the caller is the owner;
    /// - there are at most 256 items, else `IssuanceBatchTooLong`.
    ///
    /// Skips an item whose `amount` is zero or would overflow the supply, whose `to` is the zero address or has code, or whose document
    /// {mint} would refuse. Emits the events of {mint} for each other item.
    /// @param mints Items.
    /// @return minted Bit i is set if item i was minted.
    function mintMany(Mint[] calldata mints) external virtual onlyOwner returns (uint256 minted) {
        _requireBatchLength(mints.length);
        for (uint256 i = 0; i < mints.length; ++i) {
            Mint calldata item = mints[i];
            if (!_isMintable(item.to, item.id, item.amount)) continue;
            Recording recording = _tryRecordCertificate(item.id, item.documentURI, item.metadataHash, _msgSender());
            if (recording < Recording.Known) continue;
            if (recording == Recording.Written) emit URI(item.documentURI, item.id);
            _mintWithoutHook(item.to, item.id, item.amount);
            minted |= 1 << i;
        }
    }

    /// @notice Destroys units of the caller. Their document stays fixed.
    ///
    /// Requirements:
    ///
    /// - holders may burn, else `CertificateBurnBlocked`;
    /// - the caller is `account`, who holds that many units;
    /// - `value` is not zero, else `IssuanceZeroAmount`.
    ///
    /// Emits a {TransferSingle} event.
    /// @param account Holder.
    /// @param id Token id.
    /// @param value Number of units.
    function burn(address account, uint256 id, uint256 value) public virtual override {
        _requireHolderMayBurn();
        super.burn(account, id, value);
    }

    /// @notice Destroys units of several ids of the caller; see {burn}.
    /// @param account Holder.
    /// @param ids Token ids.
    /// @param values Number of units of each.
    function burnBatch(address account, uint256[] memory ids, uint256[] memory values) public virtual override {
        _requireHolderMayBurn();
        super.burnBatch(account, ids, values);
    }

    /// @notice Destroys units of a holder, as their issuer. Their document stays fixed.
    ///
    /// Requirements:
    ///
    /// - the caller is the owner of the contract;
    /// - the issuer may revoke, else `CertificateRevocationBlocked`;
    /// - `from` holds that many units;
    /// - `amount` is not zero, else `IssuanceZeroAmount`.
    ///
    /// Emits {TransferSingle} and {CertificateRevoked}.
    /// @param from Holder.
    /// @param id Token id.
    /// @param amount Number of units.
    function revoke(address from, uint256 id, uint256 amount) external virtual onlyOwner {
        _requireIssuerMayBurn();
        _burn(from, id, amount);
        _recordRevocation(id, from, _msgSender(), amount);
    }

    /// @inheritdoc IERC5484
    function burnAuth(uint256 id) external view virtual returns (BurnAuth) {
        _requireCertificate(id);
        return _burnAuth;
    }

    /// @notice URI of the document of an id, as given at its first mint.
    ///
    /// Requirements:
    ///
    /// - a unit of `id` exists, else `CertificateNonexistent`.
    /// @param id Token id.
    /// @return URI.
    function uri(uint256 id) public view virtual override returns (string memory) {
        return _certificateURI(id);
    }

    /// @notice Number of units of an id.
    /// @param id Token id.
    /// @return Units that were minted and not burned.
    function totalSupply(uint256 id) external view virtual returns (uint256) {
        return _supply[id];
    }

    /// @notice Always reverts: `CertificateApprovalBlocked`.
    function setApprovalForAll(address, bool) public virtual override {
        revert CertificateApprovalBlocked();
    }

    function _collectionURI() internal view virtual override(CollectionURI, CertificateRecords) returns (string memory) {
        return CollectionURI._collectionURI();
    }

    function _requireCertificate(uint256 id) internal view virtual override {
        require(_supply[id] != 0, CertificateNonexistent(id));
    }

    /// @dev Whether a batch can mint units of a certificate: the supply must not overflow either.
    /// @param to Receiver.
    /// @param id Token id.
    /// @param amount Number of units.
    /// @return Whether it can.
    function _isMintable(address to, uint256 id, uint256 amount) internal view virtual override returns (bool) {
        return super._isMintable(to, id, amount) && amount <= type(uint256).max - _supply[id];
    }

    /// @dev Every mint, burn and transfer passes here. {Locked} is emitted here and not in {mint}, so that it comes
    /// before the receiver's hook can burn the units.
    /// @param from Holder; zero for a mint.
    /// @param to New holder; zero for a burn.
    /// @param ids Token ids.
    /// @param values Units of each id.
    function _update(
        address from,
        address to,
        uint256[] memory ids,
        uint256[] memory values
    ) internal virtual override {
        _requireMintOrBurn(from, to);
        super._update(from, to, ids, values);
        for (uint256 i = 0; i < ids.length; ++i) {
            if (from == address(0)) {
                _supply[ids[i]] += values[i];
                emit Locked(ids[i]);
            } else {
                _supply[ids[i]] -= values[i];
            }
        }
    }
}
