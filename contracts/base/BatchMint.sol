// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title What the batch mints of all token contracts have in common
/// @notice `mintMany` mints what it can and skips the rest. An item that is minted has the effects and the events of `mint`; one that is
/// skipped has none. No item makes the call revert.
/// @dev No item calls another contract, so none can reenter or use up the gas of the others. A receiver with code is skipped for this reason:
/// a contract, or an account that has delegated to one (EIP-7702). `mint` calls its hook.
/// @custom:security-contact See SECURITY.md in the source repository.
abstract contract BatchMint {
    /// @dev The number of bits in the result.
    uint256 private constant MAX_ITEMS = 256;

    /// @notice A batch has at most 256 items.
    error IssuanceBatchTooLong();

    /// @dev Reverts with `IssuanceBatchTooLong` if a batch has more than 256 items.
    /// @param length Number of items.
    function _requireBatchLength(uint256 length) internal pure virtual {
        require(length <= MAX_ITEMS, IssuanceBatchTooLong());
    }

    /// @dev Whether tokens can be given to an account without calling it.
    /// @param to Receiver.
    /// @return Whether it is not the zero address and has no code.
    function _hasNoHook(address to) internal view virtual returns (bool) {
        return to != address(0) && to.code.length == 0;
    }
}
