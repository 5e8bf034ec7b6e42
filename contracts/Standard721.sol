// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC4906} from "@openzeppelin/contracts/interfaces/IERC4906.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ERC2981} from "@openzeppelin/contracts/token/common/ERC2981.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";
import {IssuedERC721} from "./base/IssuedERC721.sol";

/// @title Standard ERC-721
/// @notice Transferable tokens with ids chosen by the owner, royalties (ERC-2981), metadata under a base URI (ERC-4906
/// events when it changes), burning by the holder, and gasless calls through one forwarder (ERC-2771).
/// @custom:security-contact See SECURITY.md in the source repository.
contract Standard721 is IssuedERC721, ERC2981 {
    /// @notice An item of {mintMany}.
    /// @param to Holder.
    /// @param tokenId Token id.
    struct Mint {
        address to;
        uint256 tokenId;
    }

    /// @dev IERC4906 has no functions of its own to compute an id from; the standard gives this one.
    bytes4 private constant ERC4906_INTERFACE_ID = 0x49064906;

    /// @param name_ Name of the collection.
    /// @param symbol_ Symbol of the collection.
    /// @param owner_ First owner, who alone may mint and set the base URI.
    /// @param trustedForwarder_ ERC-2771 forwarder, or zero for none.
    /// @param baseURI_ Base of the token URIs, with or without a trailing slash; empty for none.
    /// @param royaltyReceiver_ Receiver of royalties. Must not be the zero address.
    /// @param royaltyFeeBps_ Royalty in basis points of the sale price, 0 to 10000.
    constructor(
        string memory name_,
        string memory symbol_,
        address owner_,
        address trustedForwarder_,
        string memory baseURI_,
        address royaltyReceiver_,
        uint96 royaltyFeeBps_
    ) IssuedERC721(name_, symbol_, owner_, trustedForwarder_, baseURI_) {
        _setDefaultRoyalty(royaltyReceiver_, royaltyFeeBps_);
    }

    /// @notice Creates a token.
    ///
    /// Requirements:
    ///
    /// - the caller is the owner;
    /// - `tokenId` does not exist;
    /// - `to` is not the zero address and, if it is a contract, accepts the token (`onERC721Received`).
    ///
    /// Emits a {Transfer} event.
    /// @param to Holder.
    /// @param tokenId Token id.
    function mint(address to, uint256 tokenId) external virtual onlyOwner {
        _safeMint(to, tokenId);
    }

    /// @notice Creates many tokens in one transaction, see {BatchMint}.
    ///
    /// Requirements:
    ///
    /// - the caller is the owner;
    /// - there are at most 256 items, else `IssuanceBatchTooLong`.
    ///
    /// Skips an item whose `tokenId` exists, or whose `to` is the zero address or has code. Emits the events of {mint} for each other item.
    /// @param mints Items.
    /// @return minted Bit i is set if item i was minted.
    function mintMany(Mint[] calldata mints) external virtual onlyOwner returns (uint256 minted) {
        _requireBatchLength(mints.length);
        for (uint256 i = 0; i < mints.length; ++i) {
            Mint calldata item = mints[i];
            if (!_isMintable(item.to, item.tokenId)) continue;
            _mint(item.to, item.tokenId);
            minted |= 1 << i;
        }
    }

    /// @notice Base URI without trailing slashes; empty if none is set. Of a base that is only a scheme (`ipfs://`), the
    /// slashes belong to it and stay.
    /// @return Base URI.
    function baseURI() external view virtual returns (string memory) {
        return _collectionBase();
    }

    /// @notice Replaces the base URI of all tokens. If it is empty, the tokens have no URI any more.
    ///
    /// Requirements:
    ///
    /// - the caller is the owner.
    ///
    /// Emits {IERC4906-BatchMetadataUpdate} over all token ids, and {IERC7572-ContractURIUpdated}.
    /// @param newBaseURI Base of the token URIs, with or without a trailing slash.
    function setBaseURI(string calldata newBaseURI) external virtual onlyOwner {
        _updateBaseURI(newBaseURI);
    }

    /// @notice Announces that the metadata of a token has changed, for whoever keeps a copy of it.
    ///
    /// Requirements:
    ///
    /// - the caller is the owner;
    /// - `tokenId` exists.
    ///
    /// Emits a {IERC4906-MetadataUpdate} event.
    /// @param tokenId Token id.
    function notifyMetadataUpdate(uint256 tokenId) external virtual onlyOwner {
        _requireOwned(tokenId);
        emit IERC4906.MetadataUpdate(tokenId);
    }

    /// @notice `<base>/<contract address in lower case>/<token id in decimal>`.
    ///
    /// Requirements:
    ///
    /// - `tokenId` exists;
    /// - a base URI is set, else `CollectionURINotSet`.
    /// @param tokenId Token id.
    /// @return URI.
    function tokenURI(uint256 tokenId) public view virtual override returns (string memory) {
        _requireOwned(tokenId);
        return string.concat(_requireCollectionURI(), "/", Strings.toString(tokenId));
    }

    /// @dev Only a simulation has the zero address as its sender: `transferFrom` would then mint an id that does not exist.
    /// @param to New holder; zero for a burn.
    /// @param tokenId Token id.
    /// @param auth Account that must be approved; zero for no check.
    /// @return Holder before.
    function _update(address to, uint256 tokenId, address auth) internal virtual override returns (address) {
        require(_msgSender() != address(0), ERC721InvalidSender(address(0)));
        return super._update(to, tokenId, auth);
    }

    /// @notice ERC-165: ERC-721 with metadata, ERC-2981 and ERC-4906.
    /// @param interfaceId Interface id.
    /// @return Whether the interface is supported.
    function supportsInterface(bytes4 interfaceId) public view virtual override(ERC721, ERC2981) returns (bool) {
        return interfaceId == ERC4906_INTERFACE_ID || super.supportsInterface(interfaceId);
    }
}
