// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title ERC-7572: metadata of a contract
/// @dev The standard defines no interface id.
interface IERC7572 {
    /// @notice What {contractURI} leads to, or the URI itself, has changed.
    event ContractURIUpdated();

    /// @notice Where the metadata of the contract is.
    /// @return URI.
    function contractURI() external view returns (string memory);
}
