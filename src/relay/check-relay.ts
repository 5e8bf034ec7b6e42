import { executionView, nonceView } from '../chains/views.ts';
import { revertReason } from '../chains/rpc-error.ts';
import { NotNow, OrderRefused } from '../engine/order-kind.ts';
import type { Claim, KindContext } from '../engine/order-kind.ts';
import { readView } from '../engine/read-view.ts';
import type { Services } from '../services.ts';
import { predecessorOf, signedRequestOf } from './forward-requests.store.ts';
import type { Relayed } from './forward-requests.store.ts';
import { relayCall } from './relay-call.ts';

/** How long a node may lag behind where it is not known which block an order builds on, in milliseconds. */
const LAG_MS = 60_000;

/**
 * Simulates the forwarder's call: it does not revert when the call it makes does, so an estimate would not show that, and
 * the request would be used up for nothing.
 * @throws {OrderRefused} when the inner call reverts, with the contract's error; or the signer's nonce was used by someone
 *   else, or will not come up.
 * @throws {NotNow} when the chain does not show yet what must come before.
 */
export async function checkRelay({ services, reads }: KindContext, { account, order }: Claim<Relayed>): Promise<void> {
  const { forwarder, request } = signedRequestOf(order);
  const { data, gas } = relayCall(order);
  const [onChain, execution] = await Promise.all([
    readView(reads, nonceView(forwarder.address, request.from)),
    readView(reads, executionView(account.walletAddress, forwarder.address, data), gas),
  ]);
  if (onChain !== undefined && onChain !== request.nonce) throw await outOfTurn(services, order, onChain);
  if (execution?.success === false) {
    throw new OrderRefused(`Reverted: ${innerReason(execution.returndata, request.gas)}`);
  }
  // Where the forwarder itself reverts, the estimate finds it, with the reason.
}

/** Why the signer's nonce on the chain is not this request's, and what that means for it. */
async function outOfTurn({ db, clock }: Services, order: Relayed, onChain: bigint): Promise<OrderRefused | NotNow> {
  const nonces = `the forwarder expects nonce ${onChain} of the signer, and this request has ${order.nonce}`;
  if (onChain > BigInt(order.nonce)) {
    return new OrderRefused(`Another transaction has used the signed request's nonce: ${nonces}`);
  }
  const predecessor = await predecessorOf(db, order);
  if (predecessor?.state === 'open') return new NotNow('An earlier request of the signer is under way');
  if (predecessor?.state !== 'released' && order.notBeforeBlock === null) {
    const shownAt = Math.max(order.createdAt.getTime(), predecessor?.updatedAt.getTime() ?? 0);
    if (clock.now() - shownAt < LAG_MS) return new NotNow('The node may lag behind');
  }
  const who = predecessor === undefined ? 'An earlier request' : `The earlier request, order ${predecessor.orderId},`;
  return new OrderRefused(`${who} of the same signer was not carried out: ${nonces}`);
}

/** Why the call that a forwarder makes reverted. */
export function innerReason(returndata: `0x${string}`, gas: bigint): string {
  return revertReason(returndata) ?? `the contract gave no reason; it may have run out of the ${gas} gas signed for it`;
}
