// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ERC721Burnable} from "@openzeppelin/contracts/token/ERC721/extensions/ERC721Burnable.sol";
import {Context} from "@openzeppelin/contracts/utils/Context.sol";
import {BatchMint} from "./BatchMint.sol";
import {CollectionURI} from "./CollectionURI.sol";
import {ForwardedOwnable} from "./ForwardedOwnable.sol";

/// @title What the standard and the certificate ERC-721 have in common
/// @notice ERC-721 with an owner, one trusted forwarder, metadata of the collection, and burning by the holder.
/// @custom:security-contact See SECURITY.md in the source repository.
abstract contract IssuedERC721 is ERC721Burnable, CollectionURI, BatchMint {
    /// @param name_ Name of the collection.
    /// @param symbol_ Symbol of the collection.
    /// @param owner_ First owner, who alone may mint.
    /// @param trustedForwarder_ ERC-2771 forwarder, or zero for none.
    /// @param baseURI_ Base URI, with or without a trailing slash; empty for none.
    constructor(
        string memory name_,
        string memory symbol_,
        address owner_,
        address trustedForwarder_,
        string memory baseURI_
    ) ERC721(name_, symbol_) ForwardedOwnable(owner_, trustedForwarder_) CollectionURI(baseURI_) {}

    /// @dev Whether a batch can mint a token.
    /// @param to Receiver.
    /// @param tokenId Token id.
    /// @return Whether the token does not exist, and the receiver can get it without a call.
    function _isMintable(address to, uint256 tokenId) internal view virtual returns (bool) {
        return _hasNoHook(to) && _ownerOf(tokenId) == address(0);
    }

    function _msgSender() internal view virtual override(Context, ForwardedOwnable) returns (address) {
        return ForwardedOwnable._msgSender();
    }

    function _msgData() internal view virtual override(Context, ForwardedOwnable) returns (bytes calldata) {
        return ForwardedOwnable._msgData();
    }

    function _contextSuffixLength() internal view virtual override(Context, ForwardedOwnable) returns (uint256) {
        return ForwardedOwnable._contextSuffixLength();
    }
}
