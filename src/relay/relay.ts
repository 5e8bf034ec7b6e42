import type { Address, Hex, TransactionReceipt } from 'viem';
import { valueOf } from '../chains/ask.ts';
import { configuredChain } from '../chains/client.ts';
import type { Chain } from '../chains/client.ts';
import { encodeExecute, encodeInnerCall, executionReport } from './forward-request.ts';
import type { ForwardRequest } from './forward-request.ts';
import { askExecution, askNonce } from '../chains/questions.ts';
import { callVerdict, revertReason } from '../chains/rpc-error.ts';
import type { Statement, SystemDb } from '../platform/database/client.ts';
import type { Services } from '../services.ts';
import { OperationDeferred, OperationRefused } from '../transactions/operation.ts';
import type { Call, Claim, Outcome } from '../transactions/operation.ts';
import { orDeferred } from '../transactions/or-deferred.ts';
import { endForwardRequests, openSuccessors, predecessorOf, signedRequestOf } from './forward-requests.store.ts';
import type { StoredRequest } from './forward-requests.store.ts';

/** An order that someone else signed for: a relayed mint or a transfer. */
interface Relayed {
  readonly request: StoredRequest;
  readonly createdAt: Date;
}

/** How long a node may lag behind the one that showed that the signer's turn has come, in milliseconds. */
const LAG_MS = 60_000;

/**
 * The call of the forwarder that carries a signed request out. Simulated first: the forwarder does not revert when the
 * call it makes does, so an estimate would not show that, and the request would be used up for nothing.
 * @throws {OperationRefused} when the inner call reverts, with the contract's error; or the signer's number was used by
 *   someone else, or will not come up.
 * @throws {OperationDeferred} when the chain does not answer, or does not show yet what must come before.
 */
export async function buildRelayCall(services: Services, { chainId, account, order }: Claim<Relayed>): Promise<Call> {
  const chain = configuredChain(services.chains, chainId);
  const { forwarder, request } = signedRequestOf(order.request);
  const data = encodeExecute(request, order.request.signature);
  const [nonce, execution] = await orDeferred(
    Promise.all([
      askNonce(chain.client, forwarder.address, request.from),
      askExecution(chain.client, account.walletAddress, forwarder.address, data),
    ]),
  );
  const onChain = valueOf(nonce);
  if (onChain !== undefined && onChain !== request.nonce) throw await notItsTurn(services, order, onChain);
  const simulated = valueOf(execution);
  if (simulated?.success === false) {
    throw new OperationRefused(`Reverted: ${innerReason(simulated.returndata, request.gas)}`);
  }
  // Where the forwarder itself reverts, the engine's estimate finds it, with the reason.
  return { to: forwarder.address, data, reservedGas: request.gas };
}

/** Why the signer's number on the chain is not this request's, and what that means for it. */
async function notItsTurn(
  { db, clock }: Services,
  { request, createdAt }: Relayed,
  onChain: bigint,
): Promise<OperationRefused | OperationDeferred> {
  const numbers = `the forwarder expects nonce ${onChain} of the signer, and this request has ${request.nonce}`;
  if (onChain > BigInt(request.nonce)) {
    return new OperationRefused(`Another transaction has used the signed request's nonce: ${numbers}`);
  }
  const predecessor = await predecessorOf(db, request);
  if (predecessor?.state === 'open') return new OperationDeferred('An earlier request of the signer is under way');
  if (predecessor?.state !== 'released') {
    const shownAt = Math.max(createdAt.getTime(), predecessor?.updatedAt.getTime() ?? 0);
    if (clock.now() - shownAt < LAG_MS) return new OperationDeferred('The node may lag behind');
  }
  const who = predecessor === undefined ? 'An earlier request' : `The earlier request, order ${predecessor.orderId},`;
  return new OperationRefused(`${who} of the same signer was not carried out: ${numbers}`);
}

/** Why a mined transaction of the forwarder does not show what its request asks for. */
export async function reasonOfNoEffect(
  services: Services,
  { chainId, order }: Claim<Relayed>,
  receipt: TransactionReceipt,
): Promise<string> {
  const { forwarder, request } = signedRequestOf(order.request);
  const missing = 'The transaction was mined, but its logs do not have the Transfer that was ordered';
  const report = executionReport(forwarder, request, receipt.logs);
  if (report?.success === true) return `${missing}, although the contract reports no failure`;
  if (report !== undefined) return `${missing}: reverted: ${innerReason(report.returndata, request.gas)}`;
  const reason = await askInnerCall(
    configuredChain(services.chains, chainId),
    forwarder.address,
    request,
    receipt.blockNumber - 1n,
  );
  return reason === undefined ? missing : `${missing}: reverted: ${reason}`;
}

/** The statements of a settle that end the signed requests of its orders. */
export function endRelays<Order extends Relayed>(
  db: SystemDb,
  settlementId: string,
  outcomes: readonly Outcome<Order, unknown>[],
): Statement {
  return endForwardRequests(
    db,
    settlementId,
    outcomes.map(({ claim, result, at }) => ({
      orderId: claim.orderId,
      state: result === 'dropped' ? 'released' : 'mined',
      at,
    })),
  );
}

/** Wakes the requests whose turn it is after these. */
export async function wakeSuccessors({ db, queues }: Services, orderIds: readonly string[]): Promise<void> {
  const successors = await openSuccessors(db, orderIds);
  await queues.send(successors.map(({ kind, orderId }) => ({ kind, id: orderId })));
}

/**
 * Asks the contract why it refuses the inner call, for forwarders that do not report it.
 * @param blockNumber The block after which it is asked.
 */
async function askInnerCall(
  { client }: Chain,
  forwarder: Address,
  request: ForwardRequest,
  blockNumber: bigint,
): Promise<string | undefined> {
  try {
    const data = encodeInnerCall(request);
    await client.call({ account: forwarder, to: request.to, data, gas: request.gas, blockNumber });
    return undefined;
  } catch (error) {
    // Only a reason to show: where the node does not tell it, the order's end does not wait for it.
    const verdict = callVerdict(error);
    return verdict.kind === 'reverted' ? (verdict.reason ?? innerReason('0x', request.gas)) : undefined;
  }
}

function innerReason(returndata: Hex, gas: bigint): string {
  return revertReason(returndata) ?? `the contract gave no reason; it may have run out of the ${gas} gas signed for it`;
}
