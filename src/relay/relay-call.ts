import { hexToBytes, type Hex } from 'viem';
import { type Call, type Claim, type KindContext, NotNow, OrderRefused } from '../engine/order-kind.ts';
import { encodeExecute, encodeInnerCall, executionReport } from './forward-request.ts';
import { signedRequestOf, findPredecessor, type Relayed } from './forward-requests.store.ts';
import { executionView, nonceView } from '../catalog/contracts/views.ts';
import { revertReason } from '../chains/rpc-error.ts';
import { readView } from '../engine/chain-reads.ts';
import { isPast } from './deadline.ts';
import type { Receipt } from '../chains/rpc-values.ts';

/** Gas of `execute` besides the inner call and the calldata: nonce, signature, trust check, log. */
const FORWARDER_GAS = 75_000n;

/**
 * The forwarder's call that executes a signed request. Its gas limit follows from the request alone: the forwarder
 * requires all of the signed gas to be available for the inner call, whatever an estimate says.
 */
export function relayCall(order: Relayed): Call {
  const { forwarder, request } = signedRequestOf(order);
  const data = encodeExecute(request, order.signature);
  return { to: forwarder.address, data, gas: outerGas(request.gas, data) };
}

/**
 * The most gas that a request may use.
 * @param signedCeiling The most gas that may be signed for an inner call.
 */
export function relayGasCeiling(order: Relayed, signedCeiling: number): bigint {
  const { request } = signedRequestOf(order);
  return outerGas(BigInt(signedCeiling), encodeExecute(request, order.signature));
}

/** A call can pass on 63/64 of its remaining gas (EIP-150). */
function outerGas(signed: bigint, calldata: Hex): bigint {
  return (signed * 64n + 62n) / 63n + FORWARDER_GAS + calldataGas(calldata);
}

/** EIP-2028. */
function calldataGas(calldata: Hex): bigint {
  return hexToBytes(calldata).reduce((gas, byte) => gas + (byte === 0 ? 4n : 16n), 0n);
}

/** How long a node may lag if the block that an order depends on is unknown, in milliseconds. */
const LAG_MS = 60_000;

/**
 * Simulates the forwarder's call. It does not revert when the inner call does, so an estimate would not show the
 * failure and the request would be wasted.
 *
 * Once it has been signed, anyone may have the request, and may submit it at a moment when the inner call does not
 * revert. The simulation then decides nothing: the request is sent, which uses it up, and its receipt decides.
 * @throws {OrderRefused} if the request's deadline has passed, if the inner call reverts before the call was ever
 *   signed, with the contract's error, or if the signer's nonce was used by another transaction or can never be
 *   reached.
 * @throws {NotNow} if an earlier request is not on chain yet.
 */
export async function checkRelay(
  { db, clock, reads }: KindContext,
  claim: Claim<Relayed>,
  wasSigned: boolean,
): Promise<void> {
  const { account, order } = claim;
  if (order.deadline !== null && isPast(order.deadline, clock.now())) {
    throw new OrderRefused(`The deadline of the signed request has passed: ${order.deadline.toISOString()}`);
  }
  const { forwarder, request } = signedRequestOf(order);
  const { data, gas } = relayCall(order);
  const [onChain, execution] = await Promise.all([
    readView(reads, nonceView(forwarder.address, request.from)),
    readView(reads, executionView(account.walletAddress, forwarder.address, data), gas),
  ]);
  if (onChain !== undefined && onChain !== request.nonce) throw await nonceMismatch({ db, clock }, claim, onChain);
  if (execution?.success === false && !wasSigned) {
    throw new OrderRefused(`Reverted: ${innerReason(execution.returndata, request.gas)}`);
  }
  // If the forwarder itself reverts, the estimate reports it with the reason.
}

/** What a mismatch between the on-chain nonce and the request's means for the order. */
async function nonceMismatch(
  { db, clock }: Pick<KindContext, 'db' | 'clock'>,
  { account, order }: Claim<Relayed>,
  onChain: bigint,
): Promise<OrderRefused | NotNow> {
  const nonces = `the forwarder expects nonce ${onChain} from the signer, and this request has ${order.nonce}`;
  if (onChain > BigInt(order.nonce)) {
    return new OrderRefused(`Another transaction has used the signed request's nonce: ${nonces}`);
  }
  const predecessor = await findPredecessor(db, order);
  if (predecessor?.state === 'open') return new NotNow('An earlier request of the signer is under way');
  if (predecessor?.state !== 'released' && order.notBeforeBlock === null) {
    const changedAt = Math.max(order.createdAt.getTime(), predecessor?.updatedAt.getTime() ?? 0);
    if (clock.now() - changedAt < LAG_MS) return new NotNow('The node may be lagging');
  }
  const isOwn = predecessor?.corporateAccountId === account.id;
  const who = isOwn ? `The earlier request, order ${predecessor.orderId},` : 'An earlier request';
  return new OrderRefused(`${who} of the same signer was not executed: ${nonces}`);
}

/** Why a forwarder's inner call reverted. */
function innerReason(returndata: `0x${string}`, gas: bigint): string {
  return revertReason(returndata) ?? `the contract gave no reason; it may have run out of the ${gas} gas signed for it`;
}

const MISSING = 'The transaction was mined, but its logs do not contain the ordered Transfer';

/** Why a mined forwarder call lacks the requested effect, from its logs. */
export function failureOfRelay(order: Relayed, { logs }: Receipt): string {
  const { forwarder, request } = signedRequestOf(order);
  const report = executionReport(forwarder, request, logs);
  if (report === undefined) return MISSING;
  return report.success
    ? `${MISSING}, although the contract reports no failure`
    : `${MISSING}: reverted: ${innerReason(report.returndata, request.gas)}`;
}

/**
 * Adds the contract's revert reason by replaying the inner call, for forwarders that do not report it.
 * @param reason The reason so far.
 */
export async function explainRelay(
  { reads }: Pick<KindContext, 'reads'>,
  order: Relayed,
  reason: string,
  receipt: Receipt | undefined,
): Promise<string> {
  if (receipt === undefined || receipt.status === 'reverted') return reason;
  const { forwarder, request } = signedRequestOf(order);
  if (executionReport(forwarder, request, receipt.logs) !== undefined) return reason;
  try {
    const call = { from: forwarder.address, to: request.to, data: encodeInnerCall(request), gas: request.gas };
    const result = await reads.call(call);
    if (!('reverted' in result)) return reason;
    return `${reason}: reverted: ${result.reason ?? innerReason('0x', request.gas)}`;
  } catch (error) {
    if (error instanceof NotNow) return reason;
    throw error;
  }
}
