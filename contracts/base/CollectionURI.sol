// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC4906} from "@openzeppelin/contracts/interfaces/IERC4906.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";
import {ForwardedOwnable} from "./ForwardedOwnable.sol";
import {IERC7572} from "./IERC7572.sol";

/// @title Base URI of a collection, and the URIs under it
/// @notice The metadata of a collection is at `<base>/<contract address>` (ERC-7572), that of its tokens under it. The address is in lower
/// case.
/// @custom:security-contact See SECURITY.md in the source repository.
abstract contract CollectionURI is IERC7572, ForwardedOwnable {
    string private _base;

    /// @notice The collection has no base URI, so neither it nor its tokens have a URI under one.
    error CollectionURINotSet();

    /// @param base Base URI; empty for none. Its memory is changed.
    constructor(string memory base) {
        _storeBaseURI(base);
    }

    /// @notice `<base>/<contract address in lower case>`.
    ///
    /// Requirements:
    ///
    /// - a base URI is set, else `CollectionURINotSet`.
    /// @return URI.
    function contractURI() external view virtual returns (string memory) {
        return _requireCollectionURI();
    }

    /// @notice Announces that the metadata of the collection has changed, for whoever keeps a copy of it.
    ///
    /// Requirements:
    ///
    /// - the caller is the owner.
    ///
    /// Emits a {IERC7572-ContractURIUpdated} event.
    function notifyContractURIUpdate() external virtual onlyOwner {
        emit ContractURIUpdated();
    }

    /// @dev Base URI without trailing slashes; empty if none is set. Of a base that is only a scheme (`ipfs://`), the
    /// slashes belong to it and stay.
    /// @return Base URI.
    function _collectionBase() internal view virtual returns (string memory) {
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

    /// @dev Stores a base URI and announces that the metadata of the collection and of all its tokens may have changed.
    /// Emits {IERC4906-BatchMetadataUpdate} and {IERC7572-ContractURIUpdated}.
    /// @param base Base URI; empty for none. Its memory is changed.
    function _updateBaseURI(string memory base) internal virtual {
        _storeBaseURI(base);
        emit IERC4906.BatchMetadataUpdate(0, type(uint256).max);
        emit ContractURIUpdated();
    }

    /// @dev `<base>/<contract address>`.
    /// @return URI; empty without a base URI.
    function _collectionURI() internal view virtual returns (string memory) {
        bytes memory base = bytes(_base);
        if (base.length == 0) return "";
        string memory separator = _endsWithScheme(base, base.length) ? "" : "/";
        return string.concat(string(base), separator, Strings.toHexString(address(this)));
    }

    /// @dev `<base>/<contract address>`.
    ///
    /// Requirements:
    ///
    /// - a base URI is set, else `CollectionURINotSet`.
    /// @return collection URI.
    function _requireCollectionURI() internal view virtual returns (string memory collection) {
        collection = _collectionURI();
        require(bytes(collection).length != 0, CollectionURINotSet());
    }

    /// @dev Whether the first `length` bytes of a URI end with `://`.
    function _endsWithScheme(bytes memory uri, uint256 length) private pure returns (bool) {
        return length > 2 && uri[length - 3] == ":" && uri[length - 2] == "/" && uri[length - 1] == "/";
    }
}
