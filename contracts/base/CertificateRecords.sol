// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC5192} from "./IERC5192.sol";

/// @title Documents of certificates, and the lock of ERC-5192
/// @notice Keeps, for each token id, where its document is and the SHA-256 of that document. Both are written once, at
/// the first mint of the id, and never change, not even after the last token of the id was burned.
/// @dev A record is readable only while a token of the id exists. A burned certificate is no certificate any more, and a
/// verifier that reads nothing but the hash must not take it for genuine.
/// @custom:security-contact See SECURITY.md in the source repository.
abstract contract CertificateRecords is IERC5192 {
    struct Record {
        string uri;
        bytes32 metadataHash;
    }

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

    /// @dev URI of a certificate's document.
    ///
    /// Requirements:
    ///
    /// - a token of the id exists.
    /// @param tokenId Token id.
    /// @return URI as given at the first mint.
    function _certificateURI(uint256 tokenId) internal view virtual returns (string memory) {
        _requireCertificate(tokenId);
        return _records[tokenId].uri;
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
    /// @return isNew Whether the record was written now.
    function _recordCertificate(
        uint256 tokenId,
        string calldata documentURI,
        bytes32 metadataHash
    ) internal virtual returns (bool isNew) {
        require(bytes(documentURI).length != 0, CertificateURIEmpty());
        require(metadataHash != 0, CertificateHashZero());

        Record storage record = _records[tokenId];
        bytes32 recordedHash = record.metadataHash;
        if (recordedHash == 0) {
            record.uri = documentURI;
            record.metadataHash = metadataHash;
            emit CertificateRecorded(tokenId, metadataHash);
            return true;
        }
        require(
            recordedHash == metadataHash && keccak256(bytes(record.uri)) == keccak256(bytes(documentURI)),
            CertificateRecordMismatch(tokenId)
        );
    }
}
