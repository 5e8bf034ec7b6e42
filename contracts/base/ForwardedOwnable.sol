// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC2771Context} from "@openzeppelin/contracts/metatx/ERC2771Context.sol";
import {Context} from "@openzeppelin/contracts/utils/Context.sol";

/// @title Owner that may act through one trusted forwarder
/// @notice Combines ownership with the ERC-2771 sender: every owner check uses the sender that the forwarder reports, so
/// the owner can mint without holding coins.
/// @dev Both are constructor arguments. The contracts are deployed through a CREATE2 proxy, so `msg.sender` of the
/// constructor is that proxy and has no meaning.
/// @custom:security-contact See SECURITY.md in the source repository.
abstract contract ForwardedOwnable is Ownable, ERC2771Context {
    /// @param owner_ First owner. Must not be the zero address, else `OwnableInvalidOwner`.
    /// @param trustedForwarder_ Forwarder, immutable. Zero for none.
    constructor(address owner_, address trustedForwarder_) Ownable(owner_) ERC2771Context(trustedForwarder_) {}

    /// @notice Whether an address is the forwarder that may report other senders.
    /// @dev The zero address means "no forwarder" and is never trusted, so that a simulated call from it cannot name a
    /// sender either.
    /// @param forwarder Address to check.
    /// @return Whether it is trusted.
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
