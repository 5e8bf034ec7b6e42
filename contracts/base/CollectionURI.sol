// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";

/// @title The base URI of a collection, and the prefix its tokens share
/// @notice Tokens of one collection are served under `<base>/<contract address>/`. The address is in lower case.
abstract contract CollectionURI {
    string private _base;

    /// @notice The collection has no base URI, so its tokens have no URI.
    error CollectionURINotSet();

    /// @notice The metadata of every token in the range may have changed (the event of ERC-4906).
    event BatchMetadataUpdate(uint256 _fromTokenId, uint256 _toTokenId);

    /// @notice The base URI without a slash at its end; empty when none is set.
    function baseURI() public view returns (string memory) {
        return _base;
    }

    /// @dev Stores `base` without the slashes at its end, so that the URI of a token never has a doubled one.
    function _storeBaseURI(string memory base) internal {
        uint256 length = bytes(base).length;
        while (length != 0 && bytes(base)[length - 1] == "/") {
            --length;
        }
        assembly ("memory-safe") {
            mstore(base, length)
        }
        _base = base;
    }

    /// @dev Stores `base` and tells the world that every token's metadata may have changed.
    function _updateBaseURI(string memory base) internal {
        _storeBaseURI(base);
        emit BatchMetadataUpdate(0, type(uint256).max);
    }

    /// @dev `<base>/<contract address>/`.
    ///
    /// Requirements:
    ///
    /// - a base URI is set, else `CollectionURINotSet`.
    function _collectionURI() internal view returns (string memory) {
        string memory base = _base;
        require(bytes(base).length != 0, CollectionURINotSet());
        return string.concat(base, "/", Strings.toHexString(address(this)), "/");
    }
}
