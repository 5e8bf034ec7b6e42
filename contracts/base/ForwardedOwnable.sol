// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC2771Context} from "@openzeppelin/contracts/metatx/ERC2771Context.sol";
import {Context} from "@openzeppelin/contracts/utils/Context.sol";

/// @title An owner that may act through one trusted forwarder
/// @notice Ownership and the ERC-2771 sender, together: every check of the owner looks at the sender that the
/// forwarder vouches for, so the owner can mint without holding any coins.
/// @dev Both are constructor arguments. The contracts are deployed through a CREATE2 proxy, so `msg.sender` of the
/// constructor is that proxy and means nothing.
abstract contract ForwardedOwnable is Ownable, ERC2771Context {
    /// @param initialOwner First owner. Must not be the zero address, else `OwnableInvalidOwner`.
    /// @param trustedForwarder_ The one forwarder whose word about the sender is taken, for ever. Zero: none.
    constructor(address initialOwner, address trustedForwarder_) Ownable(initialOwner) ERC2771Context(trustedForwarder_) {}

    /// @notice Whether `forwarder` may speak for other senders.
    /// @dev The zero address is "no forwarder" here and is never trusted, so that a simulated call from it cannot
    /// name a sender either.
    function isTrustedForwarder(address forwarder) public view virtual override returns (bool) {
        return forwarder != address(0) && super.isTrustedForwarder(forwarder);
    }

    function _msgSender() internal view virtual override(Context, ERC2771Context) returns (address) {
        return ERC2771Context._msgSender();
    }

    function _msgData() internal view virtual override(Context, ERC2771Context) returns (bytes calldata) {
        return ERC2771Context._msgData();
    }

    function _contextSuffixLength() internal view virtual override(Context, ERC2771Context) returns (uint256) {
        return ERC2771Context._contextSuffixLength();
    }
}
