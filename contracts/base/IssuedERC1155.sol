// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {ERC1155} from "@openzeppelin/contracts/token/ERC1155/ERC1155.sol";
import {ERC1155Burnable} from "@openzeppelin/contracts/token/ERC1155/extensions/ERC1155Burnable.sol";
import {Context} from "@openzeppelin/contracts/utils/Context.sol";
import {ForwardedOwnable} from "./ForwardedOwnable.sol";

/// @title What the standard and the certificate ERC-1155 have in common
/// @notice An ERC-1155 with a name and a symbol, an owner, one trusted forwarder, and burning by the holder.
abstract contract IssuedERC1155 is ERC1155Burnable, ForwardedOwnable {
    string private _name;
    string private _symbol;

    /// @notice A mint of no units was asked for. It would emit a transfer that moved nothing.
    error IssuanceZeroAmount(uint256 id);

    /// @param name_ Name of the collection.
    /// @param symbol_ Symbol of the collection.
    /// @param initialOwner First owner, who alone may mint.
    /// @param trustedForwarder_ ERC-2771 forwarder, or zero for none.
    constructor(
        string memory name_,
        string memory symbol_,
        address initialOwner,
        address trustedForwarder_
    ) ERC1155("") ForwardedOwnable(initialOwner, trustedForwarder_) {
        _name = name_;
        _symbol = symbol_;
    }

    /// @notice Name of the collection. Not part of ERC-1155, but wallets and marketplaces ask for it.
    function name() external view returns (string memory) {
        return _name;
    }

    /// @notice Symbol of the collection. Not part of ERC-1155, but wallets and marketplaces ask for it.
    function symbol() external view returns (string memory) {
        return _symbol;
    }

    /// @dev Mints `amount` units of `id` to `to`.
    ///
    /// Requirements:
    ///
    /// - `amount` is not zero, else `IssuanceZeroAmount`;
    /// - `to` is not the zero address and, if it is a contract, accepts the units (`onERC1155Received`).
    function _issue(address to, uint256 id, uint256 amount) internal {
        require(amount != 0, IssuanceZeroAmount(id));
        _mint(to, id, amount, "");
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
