import { keccak256, parseTransaction } from 'viem';
import { hexToBigInt } from 'viem';
import { broadcast } from './broadcast.ts';
import type { SendVerdicts } from './broadcast.ts';
import { gasPriceAt, raised } from './fees.ts';
import { findNonceTaker } from './find-nonce-taker.ts';
import type { Lane, SignedJob } from './job.ts';
import { withAttempt } from './sign.ts';
import { forgetNonce, storeReplacement } from './transactions.store.ts';

/**
 * Looks after signed jobs that are not mined:
 * - the nonce is mined, and by a stranger: none of the job's bytes can ever be mined, so it starts over with a new nonce
 * - it is first in line and waits too long, or its fee was refused: signed again, same nonce, higher fee
 * - it waits behind others for long: its stored bytes are sent again, should the nodes have forgotten them
 * @param chainNonce How many transactions of the wallet were mined when the receipts were looked for.
 */
export async function rescue<Order>(
  lane: Lane<Order, unknown>,
  unmined: readonly SignedJob<Order>[],
  verdicts: SendVerdicts,
  chainNonce: number,
): Promise<void> {
  const now = lane.services.clock.now();
  const old = ({ transaction }: SignedJob<Order>) =>
    now - transaction.signedAt.getTime() >= lane.services.settings.REPLACE_AFTER_SECONDS * 1_000;

  const overtaken = unmined.filter(({ transaction }) => transaction.nonce < chainNonce);
  const waiting = unmined.filter(({ transaction }) => transaction.nonce >= chainNonce);
  const tooCheap = waiting.filter(
    (job) => verdicts.get(job.transaction.id) === 'underpriced' || (job.transaction.nonce === chainNonce && old(job)),
  );
  const forgotten = waiting.filter((job) => !tooCheap.includes(job) && !verdicts.has(job.transaction.id) && old(job));

  for (const job of overtaken) await startOver(lane, job);
  await broadcast(lane, await replace(lane, tooCheap));
  await broadcast(lane, forgotten);
}

async function startOver<Order>({ chain, services }: Lane<Order, unknown>, job: SignedJob<Order>): Promise<void> {
  const { id, nonce, hashes, walletAddress } = job.transaction;
  const taker = await findNonceTaker(chain.client, walletAddress, nonce);
  // A node that knows the count but not yet the receipt would make this look like a loss: only another's hash is proof.
  if (taker === undefined || hashes.includes(taker)) return;
  services.log.warn('transactions.nonce_lost', { orderId: job.claim.orderId, nonce, txHash: taker });
  await forgetNonce(services.db, id, nonce, new Date(services.clock.now()));
}

/** Signs the same calls again for the same nonces and more. @returns those whose new bytes are stored. */
async function replace<Order>(
  lane: Lane<Order, unknown>,
  jobs: readonly SignedJob<Order>[],
): Promise<SignedJob<Order>[]> {
  if (jobs.length === 0) return [];
  const { services, chain } = lane;
  const [signer, block, tip] = await Promise.all([
    services.keys.signerOf(lane.account),
    chain.client.getBlock({ blockTag: 'latest' }),
    chain.client.request({ method: 'eth_maxPriorityFeePerGas' }).then(hexToBigInt),
  ]);
  const stored: SignedJob<Order>[] = [];
  for (const job of jobs) {
    const { transaction } = job;
    const before = parseTransaction(transaction.rawTransaction);
    const fees = raised(
      { maxFeePerGas: before.maxFeePerGas ?? 0n, maxPriorityFeePerGas: before.maxPriorityFeePerGas ?? 0n },
      gasPriceAt(block, tip),
    );
    const rawTransaction = await signer.signTransaction({
      type: 'eip1559',
      chainId: Number(chain.id),
      nonce: transaction.nonce,
      to: before.to ?? null,
      data: before.data ?? '0x',
      gas: before.gas ?? 0n,
      value: before.value ?? 0n,
      ...fees,
    });
    const attempt = {
      transactionId: transaction.id,
      nonce: transaction.nonce,
      rawTransaction,
      hash: keccak256(rawTransaction),
      ...fees,
      signedAt: new Date(services.clock.now()),
    };
    if (await storeReplacement(services.db, attempt, transaction.hashes.length)) {
      stored.push({ claim: job.claim, transaction: withAttempt(job, attempt) });
    }
  }
  return stored;
}
