import { executionView, nonceView } from '../chains/views.ts';
import { revertReason } from '../chains/rpc-error.ts';
import { NotNow, OrderRefused } from '../engine/order-kind.ts';
import type { Claim, KindContext } from '../engine/order-kind.ts';
import { readView } from '../engine/chain-reads.ts';
import type { Services } from '../services.ts';
import { isPast } from './deadline.ts';
import { predecessorOf, signedRequestOf } from './forward-requests.store.ts';
import type { Relayed } from './forward-requests.store.ts';
import { relayCall } from './relay-call.ts';

/** How long a node may lag if the block that an order depends on is unknown, in milliseconds. */
const LAG_MS = 60_000;

/**
 * Simulates the forwarder's call. It does not revert when the inner call does, so an estimate would not show the failure and
 * the request would be wasted.
 *
 * Once it has been signed, anyone may have the request, and may submit it at a moment when the inner call does not revert. The
 * simulation then decides nothing: the request is sent, which uses it up, and its receipt decides.
 * @throws {OrderRefused} if the request's deadline has passed, if the inner call reverts before the call was ever signed, with the contract's error, or if
 *   the signer's nonce was used by another transaction or can never be reached.
 * @throws {NotNow} if an earlier request is not on chain yet.
 */
export async function checkRelay(
  { services, reads }: KindContext,
  { account, order }: Claim<Relayed>,
  wasSigned: boolean,
): Promise<void> {
  if (order.deadline !== null && isPast(order.deadline, services.clock.now())) {
    throw new OrderRefused(`The deadline of the signed request has passed: ${order.deadline.toISOString()}`);
  }
  const { forwarder, request } = signedRequestOf(order);
  const { data, gas } = relayCall(order);
  const [onChain, execution] = await Promise.all([
    readView(reads, nonceView(forwarder.address, request.from)),
    readView(reads, executionView(account.walletAddress, forwarder.address, data), gas),
  ]);
  if (onChain !== undefined && onChain !== request.nonce) throw await nonceMismatch(services, order, onChain);
  if (execution?.success === false && !wasSigned) {
    throw new OrderRefused(`Reverted: ${innerReason(execution.returndata, request.gas)}`);
  }
  // If the forwarder itself reverts, the estimate reports it with the reason.
}

/** What a mismatch between the on-chain nonce and the request's means for the order. */
async function nonceMismatch({ db, clock }: Services, order: Relayed, onChain: bigint): Promise<OrderRefused | NotNow> {
  const nonces = `the forwarder expects nonce ${onChain} from the signer, and this request has ${order.nonce}`;
  if (onChain > BigInt(order.nonce)) {
    return new OrderRefused(`Another transaction has used the signed request's nonce: ${nonces}`);
  }
  const predecessor = await predecessorOf(db, order);
  if (predecessor?.state === 'open') return new NotNow('An earlier request of the signer is under way');
  if (predecessor?.state !== 'released' && order.notBeforeBlock === null) {
    const changedAt = Math.max(order.createdAt.getTime(), predecessor?.updatedAt.getTime() ?? 0);
    if (clock.now() - changedAt < LAG_MS) return new NotNow('The node may be lagging');
  }
  const who = predecessor === undefined ? 'An earlier request' : `The earlier request, order ${predecessor.orderId},`;
  return new OrderRefused(`${who} of the same signer was not executed: ${nonces}`);
}

/** Why a forwarder's inner call reverted. */
export function innerReason(returndata: `0x${string}`, gas: bigint): string {
  return revertReason(returndata) ?? `the contract gave no reason; it may have run out of the ${gas} gas signed for it`;
}
