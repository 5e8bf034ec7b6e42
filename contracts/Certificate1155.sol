// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {ERC1155} from "@openzeppelin/contracts/token/ERC1155/ERC1155.sol";
import {CertificateRecords} from "./base/CertificateRecords.sol";
import {IssuedERC1155} from "./base/IssuedERC1155.sol";

/// @title Certificate ERC-1155
/// @notice Units that stay with the holder they were minted to (ERC-5192) until that holder burns them. All units of an
/// id share one document, bound by its URI and its hash. No base URI and no royalties.
contract Certificate1155 is IssuedERC1155, CertificateRecords {
    mapping(uint256 id => uint256) private _supply;

    /// @notice No unit of this id exists: it was never minted, or all its units were burned.
    error CertificateNonexistent(uint256 id);

    /// @param name_ Name of the collection.
    /// @param symbol_ Symbol of the collection.
    /// @param initialOwner First owner, who alone may mint.
    /// @param trustedForwarder_ ERC-2771 forwarder, or zero for none.
    constructor(
        string memory name_,
        string memory symbol_,
        address initialOwner,
        address trustedForwarder_
    ) IssuedERC1155(name_, symbol_, initialOwner, trustedForwarder_) {}

    /// @notice Issues `amount` units of the certificate `id` to `to`.
    ///
    /// Requirements:
    ///
    /// - the caller is the owner;
    /// - `amount` is not zero, else `IssuanceZeroAmount`;
    /// - `tokenUri` is not empty and `metadataHash` is not zero;
    /// - if `id` was minted before, both are the same as then, else `CertificateRecordMismatch`;
    /// - `to` is not the zero address and, if it is a contract, accepts the units (`onERC1155Received`).
    ///
    /// Emits {CertificateRecorded} and {URI} at the first mint of the id, {TransferSingle} and {Locked}.
    function mint(
        address to,
        uint256 id,
        uint256 amount,
        string calldata tokenUri,
        bytes32 metadataHash
    ) external onlyOwner {
        if (_recordCertificate(id, tokenUri, metadataHash)) {
            emit URI(tokenUri, id);
        }
        _issue(to, id, amount);
    }

    /// @notice URI of the document of `id`, as given at its first mint.
    ///
    /// Requirements:
    ///
    /// - a unit of `id` exists, else `CertificateNonexistent`.
    function uri(uint256 id) public view override returns (string memory) {
        return _certificateURI(id);
    }

    /// @notice How many units of `id` exist.
    function totalSupply(uint256 id) external view returns (uint256) {
        return _supply[id];
    }

    /// @notice Always reverts.
    function safeTransferFrom(
        address,
        address,
        uint256,
        uint256,
        bytes memory
    ) public virtual override {
        revert CertificateNonTransferable();
    }

    /// @notice Always reverts.
    function safeBatchTransferFrom(
        address,
        address,
        uint256[] memory,
        uint256[] memory,
        bytes memory
    ) public virtual override {
        revert CertificateNonTransferable();
    }

    /// @notice Always reverts.
    function setApprovalForAll(address, bool) public virtual override {
        revert CertificateApprovalBlocked();
    }

    /// @notice ERC-165: ERC-1155 with metadata URI, and ERC-5192.
    function supportsInterface(bytes4 interfaceId) public view override(ERC1155, CertificateRecords) returns (bool) {
        return super.supportsInterface(interfaceId);
    }

    function _requireCertificate(uint256 id) internal view override {
        require(_supply[id] != 0, CertificateNonexistent(id));
    }

    /// @dev Counts the units. Only a mint (`from` is zero) and a burn (`to` is zero) come here. {Locked} is emitted here
    /// and not in {mint}, so that it comes before the receiver's hook can burn the units.
    function _update(address from, address to, uint256[] memory ids, uint256[] memory values) internal override {
        super._update(from, to, ids, values);
        for (uint256 i = 0; i < ids.length; ++i) {
            if (from == address(0)) {
                _supply[ids[i]] += values[i];
                emit Locked(ids[i]);
            } else {
                _supply[ids[i]] -= values[i];
            }
        }
    }
}
