// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";
import {IERC5192} from "./IERC5192.sol";

/// @title Documents of certificates, and the lock of ERC-5192
/// @notice Keeps, for each token id, where its document is, the SHA-256 of that document, and who issued it. They are
/// written once, at the first mint of the id, and never change, not even after the last token of the id was burned.
/// @dev A record is readable only while a token of the id exists. A burned certificate is no certificate any more, and a
/// verifier that reads nothing but the hash must not take it for genuine.
///
/// What most certificates have in common takes no storage: an issuer who is the first owner of the contract, and a URI
/// that is `<base>/<contract address>/<token id in decimal>`. Both are fixed at deployment.
/// @custom:security-contact See SECURITY.md in the source repository.
abstract contract CertificateRecords is IERC5192 {
    /// @param metadataHash SHA-256 of the document in canonical form; zero: the id was never minted.
    /// @param issuer Who minted the id first; zero: the first owner of the contract.
    /// @param uriLength Length in bytes of the stored URI; zero: the URI is the derived one.
    /// @param uriWords The stored URI in pieces of 32 bytes. It is no `string`, whose length would not leave room for the issuer.
    struct Record {
        bytes32 metadataHash;
        address issuer;
        uint96 uriLength;
        mapping(uint256 index => bytes32) uriWords;
    }

    /// @dev How a document relates to the record of an id. Those before `Known` are refused.
    enum Recording {
        URIEmpty,
        HashZero,
        Mismatch,
        Known,
        Written
    }

    address private immutable _firstOwner;

    /// @dev Length and keccak256 of `<base>/<contract address>/`; zero without a base.
    uint256 private immutable _prefixLength;
    bytes32 private immutable _prefixHash;

    mapping(uint256 tokenId => Record) private _records;

    /// @notice A certificate cannot be transferred.
    error CertificateNonTransferable();

    /// @notice A certificate cannot be transferred, so nobody can be approved to transfer it.
    error CertificateApprovalBlocked();

    /// @notice A certificate needs the URI of its document.
    error CertificateURIEmpty();

    /// @notice A certificate needs the hash of its document.
    error CertificateHashZero();

    /// @notice The id was minted before with another URI or another hash.
    /// @param tokenId Token id.
    error CertificateRecordMismatch(uint256 tokenId);

    /// @notice The first mint of an id has fixed its document.
    /// @param tokenId Token id.
    /// @param metadataHash SHA-256 of the document in canonical form.
    event CertificateRecorded(uint256 indexed tokenId, bytes32 indexed metadataHash);

    /// @dev The base URI of the collection must be set before.
    /// @param firstOwner First owner of the contract.
    constructor(address firstOwner) {
        _firstOwner = firstOwner;
        string memory collection = _collectionURI();
        if (bytes(collection).length != 0) {
            bytes memory prefix = bytes.concat(bytes(collection), "/");
            _prefixLength = prefix.length;
            _prefixHash = keccak256(prefix);
        }
    }

    /// @notice SHA-256 of a certificate's document in canonical form.
    ///
    /// Requirements:
    ///
    /// - a token of the id exists.
    /// @param tokenId Token id.
    /// @return Hash.
    function getMetadataHash(uint256 tokenId) external view virtual returns (bytes32) {
        _requireCertificate(tokenId);
        return _records[tokenId].metadataHash;
    }

    /// @notice Who issued a certificate: the owner of the contract who minted its id first, and so fixed its document.
    /// Later owners and later mints of the id change nothing.
    ///
    /// Requirements:
    ///
    /// - a token of the id exists.
    /// @param tokenId Token id.
    /// @return Issuer.
    function issuerOf(uint256 tokenId) external view virtual returns (address) {
        _requireCertificate(tokenId);
        address issuer = _records[tokenId].issuer;
        return issuer == address(0) ? _firstOwner : issuer;
    }

    /// @notice Always true: every certificate is locked to its holder.
    ///
    /// Requirements:
    ///
    /// - a token of the id exists.
    /// @param tokenId Token id.
    /// @return True.
    function locked(uint256 tokenId) external view virtual returns (bool) {
        _requireCertificate(tokenId);
        return true;
    }

    /// @dev Reverts unless a token of the id exists.
    /// @param tokenId Token id.
    function _requireCertificate(uint256 tokenId) internal view virtual;

    /// @dev Allows a mint (`from` is zero) and a burn (`to` is zero), and nothing else.
    /// @param from Holder before.
    /// @param to Holder after.
    function _requireMintOrBurn(address from, address to) internal pure virtual {
        require(from == address(0) || to == address(0), CertificateNonTransferable());
    }

    /// @dev `<base>/<contract address>`, which never changes.
    /// @return URI; empty without a base URI.
    function _collectionURI() internal view virtual returns (string memory);

    /// @dev URI of a certificate's document.
    ///
    /// Requirements:
    ///
    /// - a token of the id exists.
    /// @param tokenId Token id.
    /// @return URI, byte for byte as given at the first mint.
    function _certificateURI(uint256 tokenId) internal view virtual returns (string memory) {
        _requireCertificate(tokenId);
        Record storage record = _records[tokenId];
        uint256 length = record.uriLength;
        if (length == 0) return string.concat(_collectionURI(), "/", Strings.toString(tokenId));
        bytes memory uri = new bytes(length);
        for (uint256 i = 0; i * 32 < length; ++i) {
            bytes32 word = record.uriWords[i];
            assembly ("memory-safe") {
                mstore(add(add(uri, 0x20), mul(i, 0x20)), word)
            }
        }
        return string(uri);
    }

    /// @dev Writes the record of an id, or checks that the existing one is the same.
    ///
    /// Requirements:
    ///
    /// - the URI is not empty, else `CertificateURIEmpty`;
    /// - the hash is not zero, else `CertificateHashZero`;
    /// - if the id has a record, both are the same as there, else `CertificateRecordMismatch`.
    ///
    /// Emits a {CertificateRecorded} event if the record is new.
    /// @param tokenId Token id.
    /// @param documentURI URI of the document.
    /// @param metadataHash SHA-256 of the document in canonical form.
    /// @param issuer Who mints the id.
    /// @return isNew Whether the record was written now.
    function _recordCertificate(
        uint256 tokenId,
        string calldata documentURI,
        bytes32 metadataHash,
        address issuer
    ) internal virtual returns (bool isNew) {
        Recording recording = _tryRecordCertificate(tokenId, documentURI, metadataHash, issuer);
        require(recording != Recording.URIEmpty, CertificateURIEmpty());
        require(recording != Recording.HashZero, CertificateHashZero());
        require(recording != Recording.Mismatch, CertificateRecordMismatch(tokenId));
        return recording == Recording.Written;
    }

    /// @dev {_recordCertificate} without reverting: what it refuses leaves no trace.
    /// @param tokenId Token id.
    /// @param documentURI URI of the document.
    /// @param metadataHash SHA-256 of the document in canonical form.
    /// @param issuer Who mints the id.
    /// @return Why the document is refused, or that the id has it, from before (`Known`) or from now on (`Written`).
    function _tryRecordCertificate(
        uint256 tokenId,
        string calldata documentURI,
        bytes32 metadataHash,
        address issuer
    ) internal virtual returns (Recording) {
        if (bytes(documentURI).length == 0) return Recording.URIEmpty;
        if (metadataHash == 0) return Recording.HashZero;

        Record storage record = _records[tokenId];
        bytes32 recordedHash = record.metadataHash;
        if (recordedHash != 0) {
            bool isKnown = recordedHash == metadataHash && _hasURI(record, tokenId, bytes(documentURI));
            return isKnown ? Recording.Known : Recording.Mismatch;
        }
        record.metadataHash = metadataHash;
        if (issuer != _firstOwner) record.issuer = issuer;
        if (!_isDerived(tokenId, bytes(documentURI))) _storeURI(record, bytes(documentURI));
        emit CertificateRecorded(tokenId, metadataHash);
        return Recording.Written;
    }

    function _storeURI(Record storage record, bytes calldata uri) private {
        record.uriLength = uint96(uri.length);
        for (uint256 i = 0; i * 32 < uri.length; ++i) {
            // A last piece of less than 32 bytes is padded with zeros.
            record.uriWords[i] = bytes32(uri[i * 32:]);
        }
    }

    /// @dev Whether an existing record has this URI.
    function _hasURI(Record storage record, uint256 tokenId, bytes calldata uri) private view returns (bool) {
        uint256 length = record.uriLength;
        if (length == 0) return _isDerived(tokenId, uri);
        if (length != uri.length) return false;
        for (uint256 i = 0; i * 32 < length; ++i) {
            if (record.uriWords[i] != bytes32(uri[i * 32:])) return false;
        }
        return true;
    }

    /// @dev Whether a URI is `<base>/<contract address>/<token id in decimal>`.
    function _isDerived(uint256 tokenId, bytes calldata uri) private view returns (bool) {
        uint256 length = _prefixLength;
        return
            uri.length > length &&
            keccak256(uri[:length]) == _prefixHash &&
            keccak256(uri[length:]) == keccak256(bytes(Strings.toString(tokenId)));
    }
}
