// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {ERC165, IERC165} from "@openzeppelin/contracts/utils/introspection/ERC165.sol";
import {IERC5192} from "./IERC5192.sol";

/// @title What a certificate says, and that it stays with its holder
/// @notice Keeps, for each token id, where its document is and the SHA-256 of that document. Both are written once, at
/// the first mint of the id, and never change: not even after the last token of the id was burned.
/// @dev A reader sees a record only while a token of the id exists. A burned certificate is not a certificate any more,
/// and a verifier who reads nothing but the hash must not take it for genuine.
abstract contract CertificateRecords is ERC165, IERC5192 {
    struct Record {
        string tokenUri;
        bytes32 metadataHash;
    }

    mapping(uint256 tokenId => Record) private _records;

    /// @notice A certificate cannot be moved to another holder.
    error CertificateNonTransferable();

    /// @notice A certificate cannot be moved, so nobody can be approved to move it.
    error CertificateApprovalBlocked();

    /// @notice A certificate needs the URI of its document.
    error CertificateURIEmpty();

    /// @notice A certificate needs the hash of its document.
    error CertificateHashZero();

    /// @notice The id was minted before with another URI or another hash.
    error CertificateRecordMismatch(uint256 tokenId);

    /// @notice The first mint of `tokenId` has fixed its document for ever.
    event CertificateRecorded(uint256 indexed tokenId, bytes32 indexed metadataHash);

    /// @notice SHA-256 of the certificate's document in canonical form.
    ///
    /// Requirements:
    ///
    /// - a token of this id exists.
    function getMetadataHash(uint256 tokenId) external view returns (bytes32) {
        _requireCertificate(tokenId);
        return _records[tokenId].metadataHash;
    }

    /// @notice Always true: every certificate is locked to its holder.
    ///
    /// Requirements:
    ///
    /// - a token of this id exists.
    function locked(uint256 tokenId) external view returns (bool) {
        _requireCertificate(tokenId);
        return true;
    }

    /// @notice ERC-165: adds ERC-5192.
    function supportsInterface(bytes4 interfaceId) public view virtual override(ERC165) returns (bool) {
        return interfaceId == type(IERC5192).interfaceId || super.supportsInterface(interfaceId);
    }

    /// @dev Reverts unless a token of this id exists.
    function _requireCertificate(uint256 tokenId) internal view virtual;

    /// @dev URI of the document of `tokenId`.
    ///
    /// Requirements:
    ///
    /// - a token of this id exists.
    function _certificateURI(uint256 tokenId) internal view returns (string memory) {
        _requireCertificate(tokenId);
        return _records[tokenId].tokenUri;
    }

    /// @dev Writes the record of `tokenId`, or checks that the one that is there says the same.
    ///
    /// Requirements:
    ///
    /// - `tokenUri` is not empty, else `CertificateURIEmpty`;
    /// - `metadataHash` is not zero, else `CertificateHashZero`;
    /// - if the id has a record, both are the same as there, else `CertificateRecordMismatch`.
    ///
    /// Emits a {CertificateRecorded} event when the record is new.
    /// @return isNew Whether the record was written now.
    function _recordCertificate(
        uint256 tokenId,
        string calldata tokenUri,
        bytes32 metadataHash
    ) internal returns (bool isNew) {
        require(bytes(tokenUri).length != 0, CertificateURIEmpty());
        require(metadataHash != 0, CertificateHashZero());

        Record storage record = _records[tokenId];
        bytes32 recordedHash = record.metadataHash;
        if (recordedHash == 0) {
            record.tokenUri = tokenUri;
            record.metadataHash = metadataHash;
            emit CertificateRecorded(tokenId, metadataHash);
            return true;
        }
        require(
            recordedHash == metadataHash && keccak256(bytes(record.tokenUri)) == keccak256(bytes(tokenUri)),
            CertificateRecordMismatch(tokenId)
        );
    }
}
