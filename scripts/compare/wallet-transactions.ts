import {
  createPublicClient,
  http,
  serializeTransaction,
  type Address,
  type Hex,
  type PublicClient,
  type Transaction,
} from 'viem';
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
 * Reads the final blocks since a time for transactions of these wallets, from the node with the newest block. It needs no index and no archive,
 * only blocks. The counts are the highest of all nodes, so that a node that lags hides no transaction.
 * @param rpcUrls The chain's nodes; those that do not answer are skipped.
 * @param wallets Lower case.
 * @throws if no node answers, one is on another chain, or the one that is read lacks a block.
 */
export async function walletTransactions(
  { id, finality }: ChainDefinition,
  rpcUrls: readonly string[],
  wallets: ReadonlySet<Address>,
  since: Date,
): Promise<ChainRecord> {
  const nodes = await answeringNodes(id, rpcUrls);
  const [{ client, height }] = nodes;
  const toBlock = Math.max(0, height - finality + 1);
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
    await Promise.all(Array.from(wallets, async (address) => [address, await countsOf(nodes, address)] as const)),
  );
  return { fromBlock, toBlock, mined, counts };
}

interface Node {
  readonly client: PublicClient;
  /** Its newest block. */
  readonly height: number;
}

/** @returns the nodes that answer, the one with the newest block first. @throws if none does, or one is on another chain. */
async function answeringNodes(id: string, rpcUrls: readonly string[]): Promise<[Node, ...Node[]]> {
  const asked = await Promise.allSettled(
    rpcUrls.map(async (url) => {
      const client = createPublicClient({ transport: http(url, { batch: { batchSize: CHUNK }, timeout: 30_000 }) });
      const [chainId, height] = await Promise.all([client.getChainId(), client.getBlockNumber({ cacheTime: 0 })]);
      return { client, chainId: String(chainId), height: Number(height) };
    }),
  );
  const [first, ...others] = asked
    .flatMap((node) => (node.status === 'fulfilled' ? [node.value] : []))
    .toSorted((a, b) => b.height - a.height);
  if (first === undefined) throw new Error(`No node of chain ${id} answers`);
  const elsewhere = [first, ...others].find(({ chainId }) => chainId !== id);
  if (elsewhere !== undefined) throw new Error(`A node of chain ${id} is on chain ${elsewhere.chainId}`);
  return [first, ...others];
}

async function countsOf(nodes: readonly Node[], address: Address) {
  const highest = async (blockTag: 'latest' | 'pending') =>
    Math.max(...(await Promise.all(nodes.map(({ client }) => client.getTransactionCount({ address, blockTag })))));
  const [mined, pending] = await Promise.all([highest('latest'), highest('pending')]);
  return { mined, pending };
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
