import type { Hex } from 'viem';
import type { RpcClient } from '../chains/rpc-client.ts';
import { isHash, quantityOf, resultOf, toHex, toQuantity } from './chain-head.ts';
import type { ChainHead } from './chain-head.ts';
import type { LaneContext } from './lane-context.ts';
import type { LaneMemory, LaneState } from './lane-state.ts';
import { blockRangeOfNonce } from './head-observations.ts';

/** Block bodies read by one call. */
const MAX_BODIES = 64;
/** Block bodies in one JSON-RPC batch. */
const BATCH_SIZE = 8;

/** How many blocks a search that found nothing is first widened by; the slack then quadruples each time. */
const INITIAL_SLACK = 16;

/**
 * Finds the transaction of the wallet that used a nonce, by reading the bodies of final blocks between the observations
 * of the nonce unused and used. Each call reads a limited number of blocks and the next one continues. The block and the
 * count of an observation may come from different nodes, so a search that finds nothing is widened once the block that
 * showed the nonce used is final itself; until then only new final blocks are read. Blocks read raise the lane's floor.
 * @param usedAt A block at which the nonce was observed used.
 * @returns the hashes, by nonce, of all transactions of the wallet in the blocks read.
 */
export async function findNonceConsumers(
  { lane, chain }: LaneContext,
  state: LaneState,
  memory: LaneMemory,
  { nonce, usedAt }: { readonly nonce: number; readonly usedAt: number },
  head: ChainHead,
): Promise<ReadonlyMap<number, Hex>> {
  const lastFinal = head.number - chain.finality + 1;
  const { after, to = head.number } = blockRangeOfNonce(state.observations, nonce, chain.finality);
  const endWith = (slack: number) => Math.min(to + slack, lastFinal);
  const startWith = async (slack: number) =>
    Math.max((after ?? (await blockOfNonce(chain.rpc, lane.walletAddress, nonce, endWith(0)))) - slack, 0);
  const search = memory.search?.nonce === nonce ? memory.search : { nonce, slack: 0, next: await startWith(0) };
  memory.search = search;
  const { next: from, slack } = search;
  const end = endWith(slack);
  const consumers = new Map<number, Hex>();
  const numbers = Array.from({ length: Math.max(0, Math.min(MAX_BODIES, end - from + 1)) }, (_, index) => from + index);
  for (let first = 0; first < numbers.length; first += BATCH_SIZE) {
    const batch = numbers.slice(first, first + BATCH_SIZE);
    const replies = await chain.rpc.request(
      batch.map((number) => ({ method: 'eth_getBlockByNumber', params: [toHex(number), true] })),
    );
    for (const [index, number] of batch.entries()) {
      const own = ownTransactions(resultOf(replies[index]), lane.walletAddress);
      if (own === undefined) return consumers;
      for (const [used, hash] of own) consumers.set(used, hash);
      state.recordBodiesRead(number, own.length === 0 ? undefined : Math.max(...own.map(([used]) => used)));
      memory.search = { nonce, slack, next: number + 1 };
    }
  }
  if (memory.search.next > end && usedAt <= lastFinal && !consumers.has(nonce)) {
    const wider = Math.max(INITIAL_SLACK, slack * 4);
    memory.search = { nonce, slack: wider, next: await startWith(wider) };
  }
  return consumers;
}

/** @returns undefined if `block` is not a block. */
function ownTransactions(block: unknown, walletAddress: string): readonly (readonly [number, Hex])[] | undefined {
  if (typeof block !== 'object' || block === null || !('transactions' in block)) return undefined;
  const { transactions } = block;
  if (!Array.isArray(transactions)) return undefined;
  return transactions.flatMap((transaction: unknown): (readonly [number, Hex])[] => {
    if (typeof transaction !== 'object' || transaction === null) return [];
    if (!('from' in transaction) || !('nonce' in transaction) || !('hash' in transaction)) return [];
    const { from, nonce, hash } = transaction;
    const used = toQuantity(nonce);
    const isOwn = typeof from === 'string' && from.toLowerCase() === walletAddress;
    return isOwn && used !== undefined && isHash(hash) ? [[Number(used), hash]] : [];
  });
}

/**
 * A block before the one that used a nonce, found by binary search over the wallet's historical counts; only needed when no
 * observation bounds the range. If the node has pruned those states, the most recent blocks are searched.
 */
async function blockOfNonce(rpc: RpcClient, walletAddress: string, nonce: number, end: number): Promise<number> {
  const isUsedAt = async (block: number) => {
    const [reply] = await rpc.request([{ method: 'eth_getTransactionCount', params: [walletAddress, toHex(block)] }]);
    const count = quantityOf(reply);
    return count === undefined ? undefined : Number(count) > nonce;
  };
  let used = end;
  let step = 1;
  let unused: number | undefined;
  while (unused === undefined && used > 0) {
    const block = Math.max(0, used - step);
    const isUsed = await isUsedAt(block);
    if (isUsed === undefined) return Math.max(0, used - MAX_BODIES);
    if (isUsed) used = block;
    else unused = block;
    step *= 2;
  }
  while (unused !== undefined && used - unused > 1) {
    const middle: number = Math.floor((used + unused) / 2);
    const isUsed = await isUsedAt(middle);
    if (isUsed === undefined) break;
    if (isUsed) used = middle;
    else unused = middle;
  }
  return unused ?? 0;
}
