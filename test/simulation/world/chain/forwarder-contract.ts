import {
  decodeFunctionData,
  encodeFunctionResult,
  getAddress,
  hashTypedData,
  keccak256,
  size,
  slice,
  concat,
  zeroHash,
  type Address,
  type Hex,
} from 'viem';
import { Secp256k1, Signature } from 'ox';
import { minimalForwarder } from '../../../../contracts/artifacts/MinimalForwarder.ts';
import {
  forwardRequestTypedData,
  forwarderDomain,
  type ForwardRequest,
} from '../../../../src/relay/forward-request.ts';
import {
  Revert,
  handedOn,
  outOfGas,
  revertWith,
  type CallResult,
  type EventLog,
  type Message,
  type Run,
} from './call.ts';
import type { Contract, State } from './state.ts';
import { encodeLog } from './token-contract.ts';

/** Gas used before and after the inner call, and the reserve that the forwarder subtracts in its check. */
const GAS = { view: 3_000n, cancel: 9_000n, checks: 35_000n, event: 6_000n, callOverhead: 10_000n };
/** How many nonces one call may use up. */
const MAX_CANCELLED = 65_536n;
/** How many bytes of the inner call's return data are kept. */
const RETURN_BYTES = 512;

const { abi } = minimalForwarder;
const recovered = new Map<Hex, Address | undefined>();

type Forwarder = Extract<Contract, { kind: 'forwarder' }>;

/** The forwarder: each signed request is executed at most once, whoever submits it. */
export function callForwarder(
  state: State,
  message: Message,
  forwarder: Forwarder,
  chainId: string,
  run: Run,
): CallResult {
  if (message.gas < GAS.view) throw outOfGas(message);
  let call: ReturnType<typeof decodeFunctionData<typeof abi>>;
  try {
    call = decodeFunctionData({ abi, data: message.data });
  } catch {
    throw new Revert('0x', GAS.view);
  }
  const viewed = (data: Hex): CallResult => ({ data, gasUsed: GAS.view, logs: [] });
  if (call.functionName === 'getNonce') {
    const result = forwarder.nonces.get(lower(call.args[0])) ?? 0n;
    return viewed(encodeFunctionResult({ abi, functionName: 'getNonce', result }));
  }
  if (call.functionName === 'verify') {
    const [request, signature] = call.args;
    const result = faultOf(state, message, forwarder, chainId, request, signature) === undefined;
    return viewed(encodeFunctionResult({ abi, functionName: 'verify', result }));
  }
  if (call.functionName === 'isTrustedForwarder') {
    const result = lower(call.args[0]) === message.to;
    return viewed(encodeFunctionResult({ abi, functionName: 'isTrustedForwarder', result }));
  }
  if (call.functionName === 'eip712Domain') {
    const { name, version, verifyingContract } = forwarderDomain({ chainId, address: message.to });
    // All fields but the salt.
    const result = ['0x0f', name, version, BigInt(chainId), verifyingContract, zeroHash, []] as const;
    return viewed(encodeFunctionResult({ abi, functionName: 'eip712Domain', result }));
  }
  if (call.functionName === 'cancel') return cancel(state, message, forwarder, call.args[0]);
  if (call.functionName !== 'execute') throw new Revert('0x', GAS.view);
  const [request, signature] = call.args;
  const obstacle = faultOf(state, message, forwarder, chainId, request, signature);
  if (obstacle !== undefined) throw obstacle;
  return execute(state, message, forwarder, request, run);
}

/**
 * Uses up the sender's nonces up to one. In a signed request to the forwarder itself, that request has used the first
 * of them.
 */
function cancel(state: State, message: Message, forwarder: Forwarder, lastNonce: bigint): CallResult {
  const isRequest = message.from === message.to;
  const from = isRequest ? slice(message.data, -20) : message.from;
  const firstNonce = (forwarder.nonces.get(from) ?? 0n) - (isRequest ? 1n : 0n);
  if (lastNonce < firstNonce || lastNonce - firstNonce >= MAX_CANCELLED) {
    throw revertWith(abi, 'ForwarderInvalidNonce', [getAddress(from), firstNonce, lastNonce], GAS.view);
  }
  if (message.gas < GAS.cancel) throw outOfGas(message);
  state.setContract(message.to, { ...forwarder, nonces: new Map(forwarder.nonces).set(from, lastNonce + 1n) });
  const log = encodeLog(abi, message.to, 'NoncesCancelled', { from, firstNonce, lastNonce });
  return { data: '0x', gasUsed: GAS.cancel, logs: [log] };
}

function execute(state: State, message: Message, forwarder: Forwarder, request: ForwardRequest, run: Run): CallResult {
  const from = lower(request.from);
  state.setContract(message.to, {
    ...forwarder,
    nonces: new Map(forwarder.nonces).set(from, (forwarder.nonces.get(from) ?? 0n) + 1n),
  });
  if (message.gas < GAS.checks) throw outOfGas(message);
  const available = message.gas - GAS.checks;
  if (available <= GAS.callOverhead || handedOn(available - GAS.callOverhead) < request.gas) {
    throw revertWith(abi, 'ForwarderInsufficientGas', [request.gas], GAS.checks);
  }
  const inner = { ...message, from: message.to, to: lower(request.to), gas: request.gas };
  const { success, returned, gasUsed, logs } = attempt(state, { ...inner, data: concat([request.data, from]) }, run);
  const returndata = size(returned) > RETURN_BYTES ? slice(returned, 0, RETURN_BYTES) : returned;
  const event = encodeLog(abi, message.to, 'Executed', {
    from,
    to: lower(request.to),
    nonce: request.nonce,
    success,
    returndata,
  });
  const total = GAS.checks + gasUsed + GAS.event;
  if (total > message.gas) throw outOfGas(message);
  return {
    data: encodeFunctionResult({ abi, functionName: 'execute', result: [success, returndata] }),
    gasUsed: total,
    logs: [...logs, event],
  };
}

/** The inner call. If it fails, the previous state is restored. */
function attempt(state: State, message: Message, run: Run) {
  const trial = state.copy();
  try {
    const { data, gasUsed, logs } = run(trial, message);
    state.become(trial);
    return { success: true, returned: data, gasUsed, logs };
  } catch (error) {
    if (!(error instanceof Revert)) throw error;
    const none: readonly EventLog[] = [];
    return { success: false, returned: error.data, gasUsed: error.gasUsed, logs: none };
  }
}

function faultOf(
  state: State,
  { to, value }: Message,
  forwarder: Forwarder,
  chainId: string,
  request: ForwardRequest,
  signature: Hex,
): Revert | undefined {
  const from = lower(request.from);
  if (value !== request.value) return fault('ForwarderValueMismatch', [request.value, value]);
  const expected = forwarder.nonces.get(from) ?? 0n;
  if (request.nonce !== expected) return fault('ForwarderInvalidNonce', [request.from, expected, request.nonce]);
  if (signerOf(chainId, to, request, signature) !== from) return fault('ForwarderInvalidSignature', [request.from]);
  const target = state.contract(lower(request.to));
  const isTrusted = lower(request.to) === to || (target?.kind === 'token' && target.forwarder === to);
  return isTrusted ? undefined : fault('ForwarderUntrustedTarget', [getAddress(request.to)]);
}

function fault(name: string, args: readonly unknown[]): Revert {
  return revertWith(abi, name, args, GAS.checks);
}

function signerOf(chainId: string, forwarder: Address, request: ForwardRequest, signature: Hex): Address | undefined {
  const hash = hashTypedData(forwardRequestTypedData({ chainId, address: forwarder }, request));
  const key = keccak256(concat([hash, signature]));
  if (!recovered.has(key)) recovered.set(key, recover(hash, signature));
  return recovered.get(key);
}

function recover(hash: Hex, signature: Hex): Address | undefined {
  try {
    return lower(Secp256k1.recoverAddress({ payload: hash, signature: Signature.fromHex(signature) }));
  } catch {
    return undefined;
  }
}

function lower(address: string): Address {
  return address.toLowerCase() as Address;
}
