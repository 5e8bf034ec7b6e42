import { createPublicClient, http, serializeTransaction } from 'viem';
import type { Address, Hex, PublicClient, Transaction } from 'viem';
import { lowerCase } from '../../src/core/lower-case.ts';
import type { ChainDefinition } from '../../src/chains/definition.ts';

/** A mined transaction of one of our wallets. */
export interface WalletTransaction {
  /** Lower case. */
  readonly wallet: Address;
  readonly nonce: number;
  readonly hash: Hex;
  readonly blockNumber: number;
  /** The time of its block. */
  readonly minedAt: Date;
  readonly to: Address | null;
  readonly data: Hex;
  readonly value: bigint;
  readonly gas: bigint;
  /** Wei. */
  readonly maxFeePerGas: bigint;
  /** Wei. */
  readonly maxPriorityFeePerGas: bigint;
  /** Its signed bytes. */
  readonly raw: Hex;
}

/** What a chain has of our wallets. */
export interface ChainRecord {
  readonly fromBlock: number;
  /** The newest final block. */
  readonly toBlock: number;
  /** In the order in which they were mined. */
  readonly mined: readonly WalletTransaction[];
  /** By wallet: how many transactions are mined or known to the node. */
  readonly counts: ReadonlyMap<Address, { readonly mined: number; readonly pending: number }>;
}

/** Blocks read at a time. */
const CHUNK = 50;

/**
 * Reads the final blocks since a time for transactions of these wallets. It needs no index and no archive, only blocks.
 * @param wallets Lower case.
 * @throws if the node does not answer or lacks a block.
 */
export async function walletTransactions(
  { id, finality }: ChainDefinition,
  rpcUrl: string,
  wallets: ReadonlySet<Address>,
  since: Date,
): Promise<ChainRecord> {
  const client = createPublicClient({ transport: http(rpcUrl, { batch: { batchSize: CHUNK }, timeout: 30_000 }) });
  const chainId = await client.getChainId();
  if (String(chainId) !== id) throw new Error(`The node of chain ${id} is on chain ${chainId}`);
  const toBlock = Math.max(0, Number(await client.getBlockNumber({ cacheTime: 0 })) - finality + 1);
  const fromBlock = await firstBlockSince(client, since, toBlock);
  const mined: WalletTransaction[] = [];
  for (let from = fromBlock; from <= toBlock; from += CHUNK) {
    const numbers = Array.from({ length: Math.min(CHUNK, toBlock - from + 1) }, (_, index) => BigInt(from + index));
    const blocks = await Promise.all(
      numbers.map((blockNumber) => client.getBlock({ blockNumber, includeTransactions: true })),
    );
    for (const { transactions, timestamp } of blocks) {
      const minedAt = new Date(Number(timestamp) * 1_000);
      mined.push(...transactions.flatMap((sent) => ofWallets(sent, wallets, minedAt)));
    }
  }
  const counts = new Map(
    await Promise.all(
      Array.from(wallets, async (address) => {
        const [latest, pending] = await Promise.all([
          client.getTransactionCount({ address }),
          client.getTransactionCount({ address, blockTag: 'pending' }),
        ]);
        return [address, { mined: latest, pending }] as const;
      }),
    ),
  );
  return { fromBlock, toBlock, mined, counts };
}

/** @returns the number of the first block that is not older than `since`, by bisection. */
async function firstBlockSince(client: PublicClient, since: Date, newest: number): Promise<number> {
  const seconds = BigInt(Math.floor(since.getTime() / 1_000));
  let low = 0;
  let high = newest;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const { timestamp } = await client.getBlock({ blockNumber: BigInt(middle) });
    if (timestamp < seconds) low = middle + 1;
    else high = middle;
  }
  return low;
}

function ofWallets(sent: Transaction, wallets: ReadonlySet<Address>, minedAt: Date): WalletTransaction[] {
  const wallet = lowerCase(sent.from);
  // The service signs no other type.
  if (!wallets.has(wallet) || sent.type !== 'eip1559' || sent.blockNumber === null) return [];
  const {
    nonce,
    hash,
    blockNumber,
    to,
    input: data,
    value,
    gas,
    maxFeePerGas,
    maxPriorityFeePerGas,
    accessList,
  } = sent;
  const { chainId, r, s, yParity } = sent;
  const raw = serializeTransaction(
    { type: 'eip1559', chainId, nonce, to, data, value, gas, maxFeePerGas, maxPriorityFeePerGas, accessList },
    { r, s, yParity },
  );
  const fields = { nonce, hash, to, data, value, gas, maxFeePerGas, maxPriorityFeePerGas, raw };
  return [{ wallet, blockNumber: Number(blockNumber), minedAt, ...fields }];
}
