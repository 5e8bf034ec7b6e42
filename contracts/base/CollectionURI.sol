// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC4906} from "@openzeppelin/contracts/interfaces/IERC4906.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";

/// @title Base URI of a collection, and the prefix its tokens share
/// @notice The tokens of a collection are served under `<base>/<contract address>/`. The address is in lower case.
/// @custom:security-contact See SECURITY.md in the source repository.
abstract contract CollectionURI {
    string private _base;

    /// @notice The collection has no base URI, so its tokens have no URI.
    error CollectionURINotSet();

    /// @notice Base URI without trailing slashes; empty if none is set. Of a base that is only a scheme (`ipfs://`), the
    /// slashes belong to it and stay.
    /// @return Base URI.
    function baseURI() public view virtual returns (string memory) {
        return _base;
    }

    /// @dev Stores a base URI without its trailing slashes, so that no token's URI has a doubled one.
    /// @param base Base URI; empty for none. Its memory is changed.
    function _storeBaseURI(string memory base) internal virtual {
        uint256 length = bytes(base).length;
        while (length != 0 && bytes(base)[length - 1] == "/" && !_endsWithScheme(bytes(base), length)) {
            --length;
        }
        assembly ("memory-safe") {
            mstore(base, length)
        }
        _base = base;
    }

    /// @dev Stores a base URI and announces that the metadata of all tokens may have changed. The event is that of
    /// ERC-4906.
    /// @param base Base URI; empty for none. Its memory is changed.
    function _updateBaseURI(string memory base) internal virtual {
        _storeBaseURI(base);
        emit IERC4906.BatchMetadataUpdate(0, type(uint256).max);
    }

    /// @dev `<base>/<contract address>/`.
    ///
    /// Requirements:
    ///
    /// - a base URI is set, else `CollectionURINotSet`.
    /// @return Prefix of the tokens' URIs.
    function _collectionURI() internal view virtual returns (string memory) {
        bytes memory base = bytes(_base);
        require(base.length != 0, CollectionURINotSet());
        string memory separator = _endsWithScheme(base, base.length) ? "" : "/";
        return string.concat(string(base), separator, Strings.toHexString(address(this)), "/");
    }

    /// @dev Whether the first `length` bytes of a URI end with `://`.
    function _endsWithScheme(bytes memory uri, uint256 length) private pure returns (bool) {
        return length > 2 && uri[length - 3] == ":" && uri[length - 2] == "/" && uri[length - 1] == "/";
    }
}
