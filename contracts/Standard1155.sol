// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC4906} from "@openzeppelin/contracts/interfaces/IERC4906.sol";
import {ERC1155} from "@openzeppelin/contracts/token/ERC1155/ERC1155.sol";
import {ERC2981} from "@openzeppelin/contracts/token/common/ERC2981.sol";
import {IssuedERC1155} from "./base/IssuedERC1155.sol";

/// @title Standard ERC-1155
/// @notice Transferable units of ids chosen by the owner, royalties (ERC-2981), metadata under a base URI, burning by
/// the holder, and gasless calls through one forwarder (ERC-2771).
/// @custom:security-contact See SECURITY.md in the source repository.
contract Standard1155 is IssuedERC1155, ERC2981 {
    /// @notice An item of {mintMany}.
    /// @param to Holder.
    /// @param id Token id.
    /// @param amount Number of units.
    struct Mint {
        address to;
        uint256 id;
        uint256 amount;
    }

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
    ) IssuedERC1155(name_, symbol_, owner_, trustedForwarder_, baseURI_) {
        _setDefaultRoyalty(royaltyReceiver_, royaltyFeeBps_);
    }

    /// @notice Creates units of an id. The same id may be minted again.
    ///
    /// Requirements:
    ///
    /// - the caller is the owner;
    /// - `amount` is not zero, else `IssuanceZeroAmount`;
    /// - `to` is not the zero address and, if it is a contract, accepts the units (`onERC1155Received`).
    ///
    /// Emits a {TransferSingle} event.
    /// @param to Holder.
    /// @param id Token id.
    /// @param amount Number of units.
    function mint(address to, uint256 id, uint256 amount) external virtual onlyOwner {
        _mint(to, id, amount, "");
    }

    /// @notice Creates units of many ids, or for many holders, in one transaction, see {BatchMint}.
    ///
    /// Requirements:
    ///
    /// - the caller is the owner;
    /// - there are at most 256 items, else `IssuanceBatchTooLong`.
    ///
    /// Skips an item whose `amount` is zero or would overflow the balance, or whose `to` is the zero address or has code. Emits the events
    /// of {mint} for each other item.
    /// @param mints Items.
    /// @return minted Bit i is set if item i was minted.
    function mintMany(Mint[] calldata mints) external virtual onlyOwner returns (uint256 minted) {
        _requireBatchLength(mints.length);
        for (uint256 i = 0; i < mints.length; ++i) {
            Mint calldata item = mints[i];
            if (!_isMintable(item.to, item.id, item.amount)) continue;
            _mintWithoutHook(item.to, item.id, item.amount);
            minted |= 1 << i;
        }
    }

    /// @notice Base URI without trailing slashes; empty if none is set. Of a base that is only a scheme (`ipfs://`), the
    /// slashes belong to it and stay.
    /// @return Base URI.
    function baseURI() external view virtual returns (string memory) {
        return _collectionBase();
    }

    /// @notice Replaces the base URI of all ids. If it is empty, the ids have no URI any more.
    ///
    /// Requirements:
    ///
    /// - the caller is the owner.
    ///
    /// Emits {IERC4906-BatchMetadataUpdate} over all ids, and {IERC7572-ContractURIUpdated}.
    /// @dev The {URI} event of ERC-1155 is for one id each, and the contract does not know which ids are in use. The
    /// ERC-4906 event covers all of them at once, and indexers look at its topic whatever the token standard. ERC-4906
    /// extends ERC-721, so its interface id is not claimed.
    /// @param newBaseURI Base of the token URIs, with or without a trailing slash.
    function setBaseURI(string calldata newBaseURI) external virtual onlyOwner {
        _updateBaseURI(newBaseURI);
    }

    /// @notice Announces that the metadata of an id has changed, for whoever keeps a copy of it.
    ///
    /// Requirements:
    ///
    /// - the caller is the owner.
    ///
    /// Emits {IERC4906-MetadataUpdate} and, if a base URI is set, {URI}, which marketplaces look at.
    /// @param id Token id.
    function notifyMetadataUpdate(uint256 id) external virtual onlyOwner {
        emit IERC4906.MetadataUpdate(id);
        if (bytes(_collectionURI()).length != 0) emit URI(uri(id), id);
    }

    /// @notice `<base>/<contract address in lower case>/{id}`, the same for every id. The reader replaces `{id}` by the
    /// id as 64 hexadecimal digits in lower case, as ERC-1155 says.
    ///
    /// Requirements:
    ///
    /// - a base URI is set, else `CollectionURINotSet`.
    /// @return URI.
    function uri(uint256 /* id */) public view virtual override returns (string memory) {
        return string.concat(_requireCollectionURI(), "/{id}");
    }

    /// @notice ERC-165: ERC-1155 with metadata URI, and ERC-2981.
    /// @param interfaceId Interface id.
    /// @return Whether the interface is supported.
    function supportsInterface(bytes4 interfaceId) public view virtual override(ERC1155, ERC2981) returns (bool) {
        return super.supportsInterface(interfaceId);
    }
}
