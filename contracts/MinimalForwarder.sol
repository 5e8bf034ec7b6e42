// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC2771Context} from "@openzeppelin/contracts/metatx/ERC2771Context.sol";
import {LowLevelCall} from "@openzeppelin/contracts/utils/LowLevelCall.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";

/// @title Minimal ERC-2771 forwarder
/// @notice Executes calls that their sender has only signed, so that someone else can pay the gas. Anyone may submit a
/// request; only the signature counts. A request is executed at most once, and its signer can cancel it.
/// @dev The forwarder trusts itself (ERC-2771), so a signer can also cancel with a signed request to the forwarder.
/// @custom:security-contact See SECURITY.md in the source repository.
contract MinimalForwarder is EIP712, ERC2771Context {
    /// @param from Signer and sender of the call.
    /// @param to Contract to call. It must trust this forwarder.
    /// @param value Native coins to send with the call, in wei.
    /// @param gas Gas given to the call: exactly this much, whatever the gas limit of the transaction.
    /// @param nonce Next nonce of the signer, see {getNonce}.
    /// @param data Calldata: function selector and arguments.
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

    /// @dev Upper bound of the gas spent between measuring the remaining gas and the first instruction of the called
    /// contract: 9000 for a call with value, 100 for a warm address, and a few instructions.
    uint256 private constant CALL_OVERHEAD = 10_000;

    /// @dev Gas given to the target for answering `isTrustedForwarder`. An answer costs a few hundred gas, or a few
    /// thousand when the target is a proxy that reads it from storage.
    uint256 private constant TRUST_QUERY_GAS = 50_000;

    /// @dev Bytes of return data that are kept: enough for any custom error or a long sentence. Without a limit the
    /// called contract could spend gas of the relayer beyond the gas that was signed.
    uint256 private constant MAX_RETURN_DATA = 512;

    /// @dev Nonces that one call of {cancel} can use up at most. Without a limit, one call could use up all nonces and
    /// lock its signer out.
    uint256 private constant MAX_CANCELLED = 65_536;

    mapping(address signer => uint256) private _nonces;

    /// @notice The signature is not one of `from` over this request, for this chain and this forwarder.
    /// @param from Sender named by the request.
    error ForwarderInvalidSignature(address from);

    /// @notice The nonce is not the signer's next one, or {cancel} was given one out of range.
    /// @param from Signer.
    /// @param expected Next nonce of the signer.
    /// @param given Nonce that was given.
    error ForwarderInvalidNonce(address from, uint256 expected, uint256 given);

    /// @notice The value of the transaction is not the value of the request.
    /// @param requested Value of the request, in wei.
    /// @param given Value of the transaction, in wei.
    error ForwarderValueMismatch(uint256 requested, uint256 given);

    /// @notice The target does not trust this forwarder, so it would not take the signer for the sender.
    /// @param to Target of the request.
    error ForwarderUntrustedTarget(address to);

    /// @notice The gas left is not enough to give the call what the signer signed for.
    /// @param requested Gas of the request.
    error ForwarderInsufficientGas(uint256 requested);

    /// @notice The call failed and the relayer did not accept its coins back.
    /// @param relayer Caller of {execute}.
    error ForwarderRefundFailed(address relayer);

    /// @notice A request was executed and its nonce used up.
    /// @param from Signer.
    /// @param to Contract that was called.
    /// @param nonce Nonce of the request.
    /// @param success Whether the call succeeded. If not, it had no effect.
    /// @param returndata Return data or revert data of the call: at most its first 512 bytes.
    event Executed(address indexed from, address indexed to, uint256 nonce, bool success, bytes returndata);

    /// @notice A signer used up nonces without a call. No request with one of them can be executed.
    /// @param from Signer.
    /// @param firstNonce First nonce that was used up.
    /// @param lastNonce Last nonce that was used up.
    event NoncesCancelled(address indexed from, uint256 firstNonce, uint256 lastNonce);

    constructor() EIP712("MinimalForwarder", "1.0") ERC2771Context(address(this)) {}

    /// @notice Next nonce of a signer: the one its next request must carry.
    /// @param from Signer.
    /// @return Next nonce.
    function getNonce(address from) external view virtual returns (uint256) {
        return _nonces[from];
    }

    /// @notice Whether {execute} would execute the request now, given its value and enough gas.
    /// @dev Says nothing about whether the call itself would succeed.
    /// @param req Request.
    /// @param signature Signature of `req.from` over the request: 65 bytes, low `s`.
    /// @return Whether nonce, signature and target are valid.
    function verify(ForwardRequest calldata req, bytes calldata signature) external view virtual returns (bool) {
        return _nonces[req.from] == req.nonce && _isSignedBySender(req, signature) && _isTrustedBy(req.to);
    }

    /// @notice Executes a request: calls `to` with `data` followed by the address `from`.
    ///
    /// The nonce is used up whether the call succeeds or not. A request has no deadline: one that stayed valid after a
    /// failed call could be submitted again by anyone at any later time, and would block all later requests of its
    /// signer until then.
    ///
    /// Requirements:
    ///
    /// - the value of the transaction is `value`, else `ForwarderValueMismatch`;
    /// - `nonce` is the signer's next nonce, else `ForwarderInvalidNonce`;
    /// - `from` signed the request, else `ForwarderInvalidSignature`;
    /// - `to` is a contract that trusts this forwarder, else `ForwarderUntrustedTarget`;
    /// - enough gas is left to give the call all of `gas`, else `ForwarderInsufficientGas`.
    ///
    /// If one is not met, the transaction reverts and the request stays valid.
    ///
    /// Emits an {Executed} event. If the call failed, the coins are returned to the relayer.
    /// @param req Request.
    /// @param signature Signature of `req.from` over the request: 65 bytes, low `s`.
    /// @return success Whether the call succeeded.
    /// @return returndata Return data or revert data of the call: at most its first 512 bytes.
    function execute(
        ForwardRequest calldata req,
        bytes calldata signature
    ) external payable virtual returns (bool success, bytes memory returndata) {
        require(msg.value == req.value, ForwarderValueMismatch(req.value, msg.value));
        uint256 expectedNonce = _nonces[req.from];
        require(req.nonce == expectedNonce, ForwarderInvalidNonce(req.from, expectedNonce, req.nonce));
        require(_isSignedBySender(req, signature), ForwarderInvalidSignature(req.from));
        require(_isTrustedBy(req.to), ForwarderUntrustedTarget(req.to));

        // Before the call, so that the called contract cannot submit the same request again.
        _nonces[req.from] = expectedNonce + 1;

        (success, returndata) = _call(req);
        emit Executed(req.from, req.to, req.nonce, success, returndata);

        if (!success && req.value != 0) {
            require(LowLevelCall.callNoReturn(msg.sender, req.value, ""), ForwarderRefundFailed(msg.sender));
        }
    }

    /// @notice Cancels requests of the caller that were signed but not executed: uses up its nonces up to and including
    /// `lastNonce`.
    ///
    /// The caller sends this transaction itself, or signs a request with this forwarder as `to`. Such a request uses up
    /// its own nonce, which then counts as the first one cancelled; its `lastNonce` is that nonce or a later one.
    ///
    /// Cancelling all outstanding requests takes their last nonce: if only the first were cancelled, the second would
    /// be the next to be executed.
    ///
    /// Requirements:
    ///
    /// - `lastNonce` was not used up before, and the call uses up at most 65536 nonces, else `ForwarderInvalidNonce`.
    ///
    /// Emits a {NoncesCancelled} event.
    /// @param lastNonce Last nonce to use up.
    function cancel(uint256 lastNonce) external virtual {
        address from = _msgSender();
        uint256 firstNonce = _nonces[from];
        // Called by this contract: for a request, whose own nonce was used up just before.
        if (msg.sender == address(this)) --firstNonce;
        require(
            lastNonce >= firstNonce && lastNonce - firstNonce < MAX_CANCELLED,
            ForwarderInvalidNonce(from, firstNonce, lastNonce)
        );
        _nonces[from] = lastNonce + 1;
        emit NoncesCancelled(from, firstNonce, lastNonce);
    }

    /// @dev Calls `req.to` with all of `req.gas`, or reverts.
    ///
    /// A call is given at most 63/64 of the gas left (EIP-150), silently less than asked for. So a relayer could choose
    /// the transaction's gas limit such that the call fails and the request is used up. Checking the gas left after the
    /// call detects this only if the called contract itself ran out of gas. If a contract further down did, such as the
    /// receiver of a token in its hook, each level kept 1/64, and half of the signed gas would pass. Therefore the gas
    /// is checked before the call.
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

    /// @dev Most gas that a call can be given when `gasAmount` is left.
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

    /// @dev Whether `target` is a contract that answers `isTrustedForwarder` with true; anything else counts as false.
    /// Without this check, anyone could make the forwarder itself the sender of any call to any contract. A precompile
    /// has no code, and may return whatever it is given.
    function _isTrustedBy(address target) private view returns (bool) {
        bytes memory query = abi.encodeCall(this.isTrustedForwarder, (address(this)));
        bool success;
        uint256 size;
        uint256 answer;
        assembly ("memory-safe") {
            success := staticcall(TRUST_QUERY_GAS, target, add(query, 0x20), mload(query), 0x00, 0x20)
            size := returndatasize()
            answer := mload(0x00)
        }
        return success && size >= 0x20 && answer == 1 && target.code.length != 0;
    }
}
