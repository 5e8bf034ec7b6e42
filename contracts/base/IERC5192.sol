// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

/// @title ERC-5192: tokens that are locked to their holder
/// @dev The interface id is 0xb45a3c0e.
interface IERC5192 {
    /// @notice The token cannot be transferred from now on.
    event Locked(uint256 tokenId);

    /// @notice The token can be transferred from now on.
    event Unlocked(uint256 tokenId);

    /// @notice Whether `tokenId` cannot be transferred. Reverts for a token that does not exist.
    function locked(uint256 tokenId) external view returns (bool);
}
