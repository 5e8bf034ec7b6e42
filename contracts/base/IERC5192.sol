// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title ERC-5192: minimal soulbound tokens
/// @dev The interface id is 0xb45a3c0e.
interface IERC5192 {
    /// @notice The token cannot be transferred from now on.
    /// @param tokenId Token id.
    event Locked(uint256 tokenId);

    /// @notice The token can be transferred from now on.
    /// @param tokenId Token id.
    event Unlocked(uint256 tokenId);

    /// @notice Whether a token cannot be transferred. Reverts for a token that does not exist.
    /// @param tokenId Token id.
    /// @return Whether the token is locked.
    function locked(uint256 tokenId) external view returns (bool);
}
