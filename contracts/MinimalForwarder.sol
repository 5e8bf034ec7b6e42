// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {ERC2771Context} from "@openzeppelin/contracts/metatx/ERC2771Context.sol";
import {LowLevelCall} from "@openzeppelin/contracts/utils/LowLevelCall.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";

/// @title Minimal ERC-2771 forwarder
/// @notice Carries out a call that its sender only signed, so that someone else can pay the gas. Anyone may bring a
/// request; what counts is the signature. A request is carried out at most once.
contract MinimalForwarder is EIP712 {
    /// @param from Who asks for the call, and who signed it.
    /// @param to The contract to call. It must trust this forwarder.
    /// @param value Native coins to send along, in wei.
    /// @param gas Gas that the call is given: this much, whatever the transaction has.
    /// @param nonce The signer's next number, see {getNonce}.
    /// @param data The call's data: function selector and arguments.
    struct ForwardRequest {
        address from;
        address to;
        uint256 value;
        uint256 gas;
        uint256 nonce;
        bytes data;
    }

    bytes32 private constant FORWARD_REQUEST_TYPEHASH =
        keccak256("ForwardRequest(address from,address to,uint256 value,uint256 gas,uint256 nonce,bytes data)");

    /// @dev Upper bound of what is spent between the measurement of the remaining gas and the first instruction of the
    /// called contract: 9000 for a call with coins, 100 for an address that was used before, and a few instructions.
    uint256 private constant CALL_OVERHEAD = 10_000;

    /// @dev Bytes of the call's return data that are kept. Enough for any custom error or a long sentence. More would let
    /// the called contract spend the relayer's gas beyond the limit that was signed.
    uint256 private constant MAX_RETURN_DATA = 512;

    mapping(address signer => uint256) private _nonces;

    /// @notice The signature is not the one of `from` over this request on this chain and this forwarder.
    error ForwarderInvalidSignature(address from);

    /// @notice The request's number is not the signer's next one: it was carried out before, or it is too early.
    error ForwarderInvalidNonce(address from, uint256 expected, uint256 given);

    /// @notice The coins that came with the transaction are not the ones that the request sends.
    error ForwarderValueMismatch(uint256 requested, uint256 given);

    /// @notice The contract to call does not trust this forwarder, so it would not see the signer as the sender.
    error ForwarderUntrustedTarget(address to);

    /// @notice The transaction has too little gas to give the call what the signer asked for.
    error ForwarderInsufficientGas(uint256 requested);

    /// @notice The call failed and the relayer did not take its coins back.
    error ForwarderRefundFailed(address relayer);

    /// @notice A request was carried out. If `success` is false, the call had no effect and `returndata` is the reason
    /// it gave: at most the first 512 bytes of it.
    event Executed(address indexed from, address indexed to, uint256 nonce, bool success, bytes returndata);

    constructor() EIP712("MinimalForwarder", "1.0") {}

    /// @notice The number that the next request of `from` must carry.
    function getNonce(address from) external view returns (uint256) {
        return _nonces[from];
    }

    /// @notice Whether {execute} would carry out this request now, given its coins and enough gas.
    /// @dev Says nothing about whether the call itself would succeed.
    function verify(ForwardRequest calldata req, bytes calldata signature) external view returns (bool) {
        return _nonces[req.from] == req.nonce && _isSignedBySender(req, signature) && _isTrustedBy(req.to);
    }

    /// @notice Carries out the request: calls `to` with `data` followed by the address `from`.
    ///
    /// The request is used up whether the call succeeds or not. There is no deadline, so a failed request that stayed
    /// valid could be brought again by anyone, much later, when its signer has long been told that it failed.
    ///
    /// Requirements:
    ///
    /// - the coins sent are exactly `value`, else `ForwarderValueMismatch`;
    /// - `nonce` is the signer's next number, else `ForwarderInvalidNonce`;
    /// - `from` signed the request, else `ForwarderInvalidSignature`;
    /// - `to` trusts this forwarder, else `ForwarderUntrustedTarget`;
    /// - there is enough gas to give the call the whole of `gas`, else `ForwarderInsufficientGas`.
    ///
    /// If one is not met the transaction reverts and the request stays valid.
    ///
    /// Emits an {Executed} event. If the call failed, the coins go back to the relayer.
    /// @return success Whether the call succeeded.
    /// @return returndata What the call returned, or why it reverted: at most the first 512 bytes.
    function execute(
        ForwardRequest calldata req,
        bytes calldata signature
    ) external payable returns (bool success, bytes memory returndata) {
        require(msg.value == req.value, ForwarderValueMismatch(req.value, msg.value));
        uint256 expectedNonce = _nonces[req.from];
        require(req.nonce == expectedNonce, ForwarderInvalidNonce(req.from, expectedNonce, req.nonce));
        require(_isSignedBySender(req, signature), ForwarderInvalidSignature(req.from));
        require(_isTrustedBy(req.to), ForwarderUntrustedTarget(req.to));

        // Before the call, so that the called contract cannot bring the same request again.
        _nonces[req.from] = expectedNonce + 1;

        (success, returndata) = _call(req);
        emit Executed(req.from, req.to, req.nonce, success, returndata);

        if (!success && req.value != 0) {
            require(LowLevelCall.callNoReturn(msg.sender, req.value, ""), ForwarderRefundFailed(msg.sender));
        }
    }

    /// @dev Calls `req.to` with the whole of `req.gas`, or reverts.
    ///
    /// A call gets at most 63/64 of the gas that is left (EIP-150), silently less than asked for. So a relayer could
    /// choose the transaction's gas such that the call fails and the request is used up. Looking at what is left after
    /// the call catches that only when the called contract itself ran out of gas. When a contract deeper down did, say
    /// the receiver of a token in its hook, each level kept 1/64, and half of the signed gas would pass. Therefore the
    /// gas is checked before the call.
    function _call(ForwardRequest calldata req) private returns (bool success, bytes memory returndata) {
        bytes memory data = abi.encodePacked(req.data, req.from);
        address to = req.to;
        uint256 value = req.value;
        uint256 requestedGas = req.gas;

        uint256 available = gasleft();
        require(
            available > CALL_OVERHEAD && _forwardable(available - CALL_OVERHEAD) >= requestedGas,
            ForwarderInsufficientGas(requestedGas)
        );

        assembly ("memory-safe") {
            success := call(requestedGas, to, value, add(data, 0x20), mload(data), 0x00, 0x00)

            let size := returndatasize()
            if gt(size, MAX_RETURN_DATA) {
                size := MAX_RETURN_DATA
            }
            returndata := mload(0x40)
            mstore(returndata, size)
            returndatacopy(add(returndata, 0x20), 0x00, size)
            mstore(0x40, and(add(add(returndata, size), 0x3f), not(0x1f)))
        }
    }

    /// @dev The most gas that a call can be given when `gasAmount` is left.
    function _forwardable(uint256 gasAmount) private pure returns (uint256) {
        return gasAmount - gasAmount / 64;
    }

    function _isSignedBySender(ForwardRequest calldata req, bytes calldata signature) private view returns (bool) {
        bytes32 digest = _hashTypedDataV4(
            keccak256(
                abi.encode(
                    FORWARD_REQUEST_TYPEHASH,
                    req.from,
                    req.to,
                    req.value,
                    req.gas,
                    req.nonce,
                    keccak256(req.data)
                )
            )
        );
        (address signer, ECDSA.RecoverError recoverError, ) = ECDSA.tryRecoverCalldata(digest, signature);
        return recoverError == ECDSA.RecoverError.NoError && signer == req.from;
    }

    /// @dev Whether `target` answers `isTrustedForwarder` with true. Whatever else it does counts as no. Without this
    /// check, anyone could make the forwarder itself the sender of any call to any contract.
    function _isTrustedBy(address target) private view returns (bool) {
        (bool success, bytes32 answer, ) = LowLevelCall.staticcallReturn64Bytes(
            target,
            abi.encodeCall(ERC2771Context.isTrustedForwarder, (address(this)))
        );
        return success && LowLevelCall.returnDataSize() >= 32 && answer != 0;
    }
}
