import { formatTransactionReceipt, hexToBigInt, hexToNumber } from 'viem';
import type { TransactionReceipt } from 'viem';
import type { Lane, SignedJob } from './job.ts';

/** What one look at the chain shows of a batch. */
export interface Sighting<Order> {
  /** Mined, and deep enough to count. */
  readonly mined: readonly { readonly job: SignedJob<Order>; readonly receipt: TransactionReceipt }[];
  /** Mined, not deep enough yet. */
  readonly shallow: readonly SignedJob<Order>[];
  /** None of their attempts is mined. */
  readonly unmined: readonly SignedJob<Order>[];
  /** How many transactions of the wallet are mined, by the node and at the moment of this look. */
  readonly chainNonce: number;
}

/**
 * Asks for the receipt of every attempt of every job in one JSON-RPC batch. Nothing is remembered between looks: a
 * receipt counts when it is found at a depth of `confirmations`, so one that a reorganisation took away never counts.
 */
export async function lookForReceipts<Order>(
  { chain, account }: Lane<Order, unknown>,
  jobs: readonly SignedJob<Order>[],
): Promise<Sighting<Order>> {
  const { client } = chain;
  const [head, chainNonce, found] = await Promise.all([
    client.request({ method: 'eth_blockNumber' }).then(hexToBigInt),
    client
      .request({ method: 'eth_getTransactionCount', params: [account.walletAddress, 'latest'] })
      .then((count) => hexToNumber(count)),
    Promise.all(
      jobs.map(async (job) => {
        const receipts = await Promise.all(
          job.transaction.hashes.map(async (hash) => {
            const receipt = await client.request({ method: 'eth_getTransactionReceipt', params: [hash] });
            // A node that answers with another transaction's receipt has not shown one for this hash.
            return receipt?.transactionHash.toLowerCase() === hash ? receipt : null;
          }),
        );
        return { job, receipt: receipts.find((receipt) => receipt !== null) };
      }),
    ),
  ]);
  const deepest = head - BigInt(chain.definition.confirmations - 1);
  const mined: { job: SignedJob<Order>; receipt: TransactionReceipt }[] = [];
  const shallow: SignedJob<Order>[] = [];
  const unmined: SignedJob<Order>[] = [];
  for (const { job, receipt: reply } of found) {
    if (reply === undefined) {
      unmined.push(job);
      continue;
    }
    const receipt = formatTransactionReceipt(reply);
    if (receipt.blockNumber <= deepest) mined.push({ job, receipt });
    else shallow.push(job);
  }
  return { mined, shallow, unmined, chainNonce };
}
