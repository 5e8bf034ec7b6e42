// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {CertificateBurns} from "./base/CertificateBurns.sol";
import {CertificateRecords} from "./base/CertificateRecords.sol";
import {CollectionURI} from "./base/CollectionURI.sol";
import {IERC5192} from "./base/IERC5192.sol";
import {IERC5484} from "./base/IERC5484.sol";
import {IssuedERC721} from "./base/IssuedERC721.sol";

/// @title Certificate ERC-721
/// @notice Tokens that stay with the holder they were minted to (ERC-5192) until the holder burns or the issuer revokes them, as fixed at
/// deployment (ERC-5484), each bound to one document by its URI and its hash. No base URI that can change, and no royalties.
/// @custom:security-contact See SECURITY.md in the source repository.
contract Certificate721 is IssuedERC721, CertificateRecords, CertificateBurns {
    /// @notice An item of {mintMany}.
    /// @param to Holder.
    /// @param tokenId Token id.
    /// @param documentURI URI of the document.
    /// @param metadataHash SHA-256 of the document in canonical form.
    struct Mint {
        address to;
        uint256 tokenId;
        string documentURI;
        bytes32 metadataHash;
    }

    /// @notice The certificate exists; it cannot be minted again while someone holds it.
    /// @param tokenId Token id.
    error CertificateAlreadyIssued(uint256 tokenId);

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
        IssuedERC721(name_, symbol_, owner_, trustedForwarder_, baseURI_)
        CertificateRecords(owner_)
        CertificateBurns(burnAuth_)
    {}

    /// @notice Issues a certificate. A burned certificate may be issued again, to anyone, with the same document: a
    /// holder can move to a new wallet by burning, and the issuer cannot change what an id says.
    ///
    /// Requirements:
    ///
    /// - the caller is the owner;
    /// - `tokenId` does not exist, else `CertificateAlreadyIssued`;
    /// - `documentURI` is not empty and `metadataHash` is not zero;
    /// - if `tokenId` was minted before, both are the same as then, else `CertificateRecordMismatch`;
    /// - `to` is not the zero address and, if it is a contract, accepts the token (`onERC721Received`).
    ///
    /// Emits {CertificateRecorded} at the first mint of the id, {Transfer}, {Locked} and {Issued}.
    /// @param to Holder.
    /// @param tokenId Token id.
    /// @param documentURI URI of the document.
    /// @param metadataHash SHA-256 of the document in canonical form.
    function mint(
        address to,
        uint256 tokenId,
        string calldata documentURI,
        bytes32 metadataHash
    ) external virtual onlyOwner {
        require(_ownerOf(tokenId) == address(0), CertificateAlreadyIssued(tokenId));
        _recordCertificate(tokenId, documentURI, metadataHash, _msgSender());
        _safeMint(to, tokenId);
    }

    /// @notice Issues many certificates in one transaction, see {BatchMint}.
    ///
    /// Requirements:
    ///
    /// - the caller is the owner;
    /// - there are at most 256 items, else `IssuanceBatchTooLong`.
    ///
    /// Skips an item whose `tokenId` exists, whose `to` is the zero address or has code, or whose document {mint} would refuse. Emits the events of {mint} for each other item.
    /// @param mints Items.
    /// @return minted Bit i is set if item i was minted.
    function mintMany(Mint[] calldata mints) external virtual onlyOwner returns (uint256 minted) {
        _requireBatchLength(mints.length);
        for (uint256 i = 0; i < mints.length; ++i) {
            Mint calldata item = mints[i];
            if (!_isMintable(item.to, item.tokenId)) continue;
            Recording recording = _tryRecordCertificate(item.tokenId, item.documentURI, item.metadataHash, _msgSender());
            if (recording < Recording.Known) continue;
            _mint(item.to, item.tokenId);
            minted |= 1 << i;
        }
    }

    /// @notice Destroys a certificate of the caller. Its document stays fixed.
    ///
    /// Requirements:
    ///
    /// - holders may burn, else `CertificateBurnBlocked`;
    /// - the caller is the holder.
    ///
    /// Emits a {Transfer} event.
    /// @param tokenId Token id.
    function burn(uint256 tokenId) public virtual override {
        _requireHolderMayBurn();
        super.burn(tokenId);
        _removeRevocation(tokenId);
    }

    /// @notice Destroys a certificate of a holder, as its issuer. Its document stays fixed.
    ///
    /// Requirements:
    ///
    /// - the caller is the owner of the contract;
    /// - the issuer may revoke, else `CertificateRevocationBlocked`;
    /// - `from` is the holder of `tokenId`, else `ERC721IncorrectOwner`: a certificate that was issued again is not meant.
    ///
    /// Emits {Transfer} and {CertificateRevoked}.
    /// @param from Holder.
    /// @param tokenId Token id.
    function revoke(address from, uint256 tokenId) external virtual onlyOwner {
        _requireIssuerMayBurn();
        address holder = _requireOwned(tokenId);
        require(holder == from, ERC721IncorrectOwner(from, tokenId, holder));
        _burn(tokenId);
        _recordRevocation(tokenId, from, _msgSender(), 1);
    }

    /// @inheritdoc IERC5484
    function burnAuth(uint256 tokenId) external view virtual returns (BurnAuth) {
        _requireOwned(tokenId);
        return _burnAuth;
    }

    /// @notice URI of a certificate's document, as given at its first mint.
    ///
    /// Requirements:
    ///
    /// - `tokenId` exists.
    /// @param tokenId Token id.
    /// @return URI.
    function tokenURI(uint256 tokenId) public view virtual override returns (string memory) {
        return _certificateURI(tokenId);
    }

    /// @notice Always reverts: `CertificateApprovalBlocked`.
    function approve(address, uint256) public virtual override {
        revert CertificateApprovalBlocked();
    }

    /// @notice Always reverts: `CertificateApprovalBlocked`.
    function setApprovalForAll(address, bool) public virtual override {
        revert CertificateApprovalBlocked();
    }

    /// @notice ERC-165: ERC-721 with metadata, ERC-5192 and ERC-5484.
    /// @param interfaceId Interface id.
    /// @return Whether the interface is supported.
    function supportsInterface(bytes4 interfaceId) public view virtual override returns (bool) {
        return
            interfaceId == type(IERC5192).interfaceId ||
            interfaceId == type(IERC5484).interfaceId ||
            super.supportsInterface(interfaceId);
    }

    function _collectionURI() internal view virtual override(CollectionURI, CertificateRecords) returns (string memory) {
        return CollectionURI._collectionURI();
    }

    function _requireCertificate(uint256 tokenId) internal view virtual override {
        _requireOwned(tokenId);
    }

    /// @dev Every mint, burn and transfer passes here. {Locked} and {Issued} are emitted here and not in {mint}, so that they come
    /// before the receiver's hook can burn the token.
    /// @param to New holder; zero for a burn.
    /// @param tokenId Token id.
    /// @param auth Account that must be approved; zero for no check.
    /// @return Holder before.
    function _update(address to, uint256 tokenId, address auth) internal virtual override returns (address) {
        address from = _ownerOf(tokenId);
        _requireMintOrBurn(from, to);
        // Only a simulation has the zero address as its sender: `transferFrom` would then mint an id that does not exist.
        require(_msgSender() != address(0), CertificateNonTransferable());
        super._update(to, tokenId, auth);
        if (from == address(0)) {
            emit Locked(tokenId);
            emit Issued(_msgSender(), to, tokenId, _burnAuth);
        }
        return from;
    }
}
