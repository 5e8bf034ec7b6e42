import { keccak256 } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { isUniqueViolation } from '../platform/database/errors.ts';
import type { GasPrice } from './fees.ts';
import type { Job, Lane, SignedJob } from './job.ts';
import { nonceKeeperOf } from './nonces.ts';
import type { ReadyJob } from './prepare.ts';
import { heldNonces, standingOf, storeSigned } from './transactions.store.ts';
import type { Attempt } from './transactions.store.ts';

export interface Signed<Order> {
  readonly signed: readonly SignedJob<Order>[];
  /** These got no nonce now: the window is full, or another consumer has them. */
  readonly waiting: readonly Job<Order>[];
}

/**
 * Takes nonces for a batch, signs, and stores the bytes. Nothing has left the Worker when this returns.
 *
 * A crash between the steps does no harm: asked again, the nonce keeper gives the same nonces; and what was signed but
 * not stored was never sent.
 */
export async function signAndStore<Order>(
  lane: Lane<Order, unknown>,
  ready: readonly ReadyJob<Order>[],
  signer: PrivateKeyAccount,
  gasPrice: GasPrice,
  chainNonce: number,
): Promise<Signed<Order>> {
  if (ready.length === 0) return { signed: [], waiting: [] };
  const { services, chain, account } = lane;
  const keeper = nonceKeeperOf(services, chain.id, account.walletAddress);
  const reservations = await keeper.reserve(
    ready.map(({ transaction }) => transaction.id),
    chainNonce,
    chain.definition.window.start,
  );
  const nonceOf = new Map(reservations.map(({ operationId, nonce }) => [operationId, nonce]));
  const signedAt = new Date(services.clock.now());

  const attempts = new Map<string, Attempt>();
  for (const { transaction, call, gasLimit } of ready) {
    const nonce = nonceOf.get(transaction.id);
    if (nonce === undefined) continue;
    const rawTransaction = await signer.signTransaction({
      type: 'eip1559',
      chainId: Number(chain.id),
      nonce,
      to: call.to,
      data: call.data,
      gas: gasLimit,
      ...gasPrice,
    });
    attempts.set(transaction.id, {
      transactionId: transaction.id,
      nonce,
      rawTransaction,
      hash: keccak256(rawTransaction),
      ...gasPrice,
      signedAt,
    });
  }

  const stored = await store(lane, [...attempts.values()], chainNonce);
  const signed: SignedJob<Order>[] = [];
  const waiting: Job<Order>[] = [];
  for (const job of ready) {
    const attempt = attempts.get(job.transaction.id);
    if (attempt === undefined || !stored.has(job.transaction.id)) waiting.push(job);
    else signed.push({ claim: job.claim, transaction: withAttempt(job, attempt) });
  }
  return { signed, waiting };
}

/** The job's transaction as it stands after `attempt` was stored. */
export function withAttempt<Order>(job: Job<Order>, attempt: Attempt): SignedJob<Order>['transaction'] {
  return {
    ...job.transaction,
    state: 'signed',
    nonce: attempt.nonce,
    rawTransaction: attempt.rawTransaction,
    hashes: [...job.transaction.hashes, attempt.hash],
    maxFeePerGas: attempt.maxFeePerGas.toString(),
    maxPriorityFeePerGas: attempt.maxPriorityFeePerGas.toString(),
    signedAt: attempt.signedAt,
  };
}

/** @returns the ids of the transactions that took their attempt. */
async function store<Order>(
  lane: Lane<Order, unknown>,
  attempts: readonly Attempt[],
  chainNonce: number,
): Promise<Set<string>> {
  const { services, chain, account } = lane;
  const keeper = nonceKeeperOf(services, chain.id, account.walletAddress);
  let stored: Set<string>;
  try {
    stored = await storeSigned(services.db, attempts);
  } catch (error) {
    if (!isUniqueViolation(error, 'transactions_nonce')) throw error;
    // The second lock held: the keeper gave out a nonce that a signed transaction has. The database is right.
    const held = await heldNonces(services.db, { chainId: chain.id, walletAddress: account.walletAddress }, chainNonce);
    services.log.error('nonces.keeper_was_behind', { chainId: chain.id, wallet: account.walletAddress });
    await keeper.adopt(held.map(({ transactionId, nonce }) => ({ operationId: transactionId, nonce })));
    return new Set();
  }
  const lost = attempts.filter(({ transactionId }) => !stored.has(transactionId));
  if (lost.length > 0) {
    // Another consumer was faster. Where it signed with this very nonce, the nonce is in use; any other is given back.
    const inUse = await standingOf(
      services.db,
      lost.map(({ transactionId }) => transactionId),
    );
    await keeper.release(
      lost
        .filter(({ transactionId, nonce }) => inUse.get(transactionId)?.nonce !== nonce)
        .map(({ transactionId, nonce }) => ({ operationId: transactionId, nonce })),
    );
  }
  return stored;
}
