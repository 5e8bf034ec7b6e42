// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title ERC-5484: consensual soulbound tokens
/// @dev The interface id is 0x0489b56f.
interface IERC5484 {
    /// @notice Who may burn a token.
    enum BurnAuth {
        IssuerOnly,
        OwnerOnly,
        Both,
        Neither
    }

    /// @notice A token was issued.
    /// @param from Issuer.
    /// @param to Holder.
    /// @param tokenId Token id.
    /// @param burnAuth Who may burn it, for good.
    event Issued(address indexed from, address indexed to, uint256 indexed tokenId, BurnAuth burnAuth);

    /// @notice Who may burn a token. Reverts for a token that does not exist.
    /// @param tokenId Token id.
    /// @return Who may burn it.
    function burnAuth(uint256 tokenId) external view returns (BurnAuth);
}
