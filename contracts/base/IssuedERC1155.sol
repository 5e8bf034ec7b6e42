// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC1155} from "@openzeppelin/contracts/token/ERC1155/ERC1155.sol";
import {ERC1155Burnable} from "@openzeppelin/contracts/token/ERC1155/extensions/ERC1155Burnable.sol";
import {Context} from "@openzeppelin/contracts/utils/Context.sol";
import {BatchMint} from "./BatchMint.sol";
import {CollectionURI} from "./CollectionURI.sol";
import {ForwardedOwnable} from "./ForwardedOwnable.sol";

/// @title What the standard and the certificate ERC-1155 have in common
/// @notice ERC-1155 with a name and a symbol, an owner, one trusted forwarder, metadata of the collection, and burning by the holder.
/// @custom:security-contact See SECURITY.md in the source repository.
abstract contract IssuedERC1155 is ERC1155Burnable, CollectionURI, BatchMint {
    string private _name;
    string private _symbol;

    /// @notice A mint or burn of no units: it would emit a transfer that moves nothing.
    /// @param id Token id.
    error IssuanceZeroAmount(uint256 id);

    /// @notice A mint or burn of no ids: it would emit a transfer that moves nothing.
    error IssuanceEmptyBatch();

    /// @param name_ Name of the collection.
    /// @param symbol_ Symbol of the collection.
    /// @param owner_ First owner, who alone may mint.
    /// @param trustedForwarder_ ERC-2771 forwarder, or zero for none.
    /// @param baseURI_ Base URI, with or without a trailing slash; empty for none.
    constructor(
        string memory name_,
        string memory symbol_,
        address owner_,
        address trustedForwarder_,
        string memory baseURI_
    ) ERC1155("") ForwardedOwnable(owner_, trustedForwarder_) CollectionURI(baseURI_) {
        _name = name_;
        _symbol = symbol_;
    }

    /// @notice Name of the collection. Not part of ERC-1155, but wallets and marketplaces ask for it.
    /// @return Name.
    function name() external view virtual returns (string memory) {
        return _name;
    }

    /// @notice Symbol of the collection. Not part of ERC-1155, but wallets and marketplaces ask for it.
    /// @return Symbol.
    function symbol() external view virtual returns (string memory) {
        return _symbol;
    }

    /// @dev Whether a batch can mint units of an id.
    /// @param to Receiver.
    /// @param id Token id.
    /// @param amount Number of units.
    /// @return Whether they are not zero, the receiver can get them without a call, and its balance does not overflow.
    function _isMintable(address to, uint256 id, uint256 amount) internal view virtual returns (bool) {
        return _hasNoHook(to) && amount != 0 && amount <= type(uint256).max - balanceOf(to, id);
    }

    /// @dev Mints units as {_mint} does, without calling the receiver.
    /// @param to Receiver.
    /// @param id Token id.
    /// @param amount Number of units.
    function _mintWithoutHook(address to, uint256 id, uint256 amount) internal virtual {
        uint256[] memory ids = new uint256[](1);
        uint256[] memory amounts = new uint256[](1);
        ids[0] = id;
        amounts[0] = amount;
        _update(address(0), to, ids, amounts);
    }

    /// @dev Refuses a mint and a burn of nothing: `IssuanceZeroAmount`, `IssuanceEmptyBatch`.
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
        super._update(from, to, ids, values);
        if (from != address(0) && to != address(0)) return;
        require(ids.length != 0, IssuanceEmptyBatch());
        for (uint256 i = 0; i < ids.length; ++i) {
            require(values[i] != 0, IssuanceZeroAmount(ids[i]));
        }
    }

    function _msgSender() internal view virtual override(Context, ForwardedOwnable) returns (address) {
        return ForwardedOwnable._msgSender();
    }

    function _msgData() internal view virtual override(Context, ForwardedOwnable) returns (bytes calldata) {
        return ForwardedOwnable._msgData();
    }

    function _contextSuffixLength() internal view virtual override(Context, ForwardedOwnable) returns (uint256) {
        return ForwardedOwnable._contextSuffixLength();
    }
}
