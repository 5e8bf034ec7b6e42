import type { Hex } from 'viem';
import type { RpcClient } from '../chains/rpc-client.ts';
import { headerOf, isHash, quantityOf, resultOf, toHex, toQuantity } from './chain-head.ts';
import type { ChainHead } from './chain-head.ts';
import type { LaneContext } from './lane-context.ts';
import type { LaneMemory, LaneState } from './lane-state.ts';
import { blocksOfNonce } from './looks.ts';

/** Bodies that one search reads; the next goes on. */
const BODIES = 64;
/** Bodies in one JSON-RPC batch. */
const BODIES_AT_ONCE = 8;

/** By how many blocks a search that found nothing is widened at first; after that it is four times as wide each time. */
const WIDENED = 16;

/**
 * Finds out which transaction of the wallet used a nonce, by reading the bodies of final blocks between the looks
 * that saw it unused and used; one call reads some, the next goes on. The block and the count of a look may come from
 * nodes far apart, so where nothing is found the search is widened. Where blocks can be taken back a body counts only from a node that
 * has the head too: a node that stayed on another branch would prove what never happened. What is read raises the lane's floor.
 * @returns the hashes by nonce, of all transactions of the wallet in what was read.
 */
export async function findNonceTakers(
  { lane, chain }: LaneContext,
  state: LaneState,
  memory: LaneMemory,
  nonce: number,
  head: ChainHead,
): Promise<ReadonlyMap<number, Hex>> {
  const lastFinal = head.number - chain.finality + 1;
  const { after, to = head.number } = blocksOfNonce(state.looks, nonce, chain.finality);
  const endWith = (slack: number) => Math.min(to + slack, lastFinal);
  const startWith = async (slack: number) =>
    Math.max((after ?? (await blockOfNonce(chain.rpc, lane.walletAddress, nonce, endWith(0)))) - slack, 0);
  const search = memory.search?.nonce === nonce ? memory.search : { nonce, slack: 0, next: await startWith(0) };
  memory.search = search;
  const { next: from, slack } = search;
  const end = endWith(slack);
  const takers = new Map<number, Hex>();
  const numbers = Array.from({ length: Math.max(0, Math.min(BODIES, end - from + 1)) }, (_, index) => from + index);
  const hasBranches = chain.finality > 1;
  // With the head they are two calls, which no provider's limit parts.
  const atOnce = hasBranches ? 1 : BODIES_AT_ONCE;
  for (let first = 0; first < numbers.length; first += atOnce) {
    const asked = numbers.slice(first, first + atOnce);
    const replies = await chain.rpc.request([
      ...asked.map((number) => ({ method: 'eth_getBlockByNumber', params: [toHex(number), true] })),
      ...(hasBranches ? [{ method: 'eth_getBlockByNumber', params: [toHex(head.number), false] }] : []),
    ]);
    if (hasBranches && headerOf(replies.at(-1))?.hash !== head.hash) return takers;
    for (const [index, number] of asked.entries()) {
      const own = ownTransactions(resultOf(replies[index]), lane.walletAddress);
      if (own === undefined) return takers;
      for (const [taken, hash] of own) takers.set(taken, hash);
      state.readBodies(number, own.length === 0 ? undefined : Math.max(...own.map(([taken]) => taken)));
      memory.search = { nonce, slack, next: number + 1 };
    }
  }
  if (memory.search.next > end && !takers.has(nonce)) {
    const wider = Math.max(WIDENED, slack * 4);
    memory.search = { nonce, slack: wider, next: await startWith(wider) };
  }
  return takers;
}

/** @returns undefined where it is no block. */
function ownTransactions(block: unknown, walletAddress: string): readonly (readonly [number, Hex])[] | undefined {
  if (typeof block !== 'object' || block === null || !('transactions' in block)) return undefined;
  const { transactions } = block;
  if (!Array.isArray(transactions)) return undefined;
  return transactions.flatMap((transaction: unknown): (readonly [number, Hex])[] => {
    if (typeof transaction !== 'object' || transaction === null) return [];
    if (!('from' in transaction) || !('nonce' in transaction) || !('hash' in transaction)) return [];
    const { from, nonce, hash } = transaction;
    const taken = toQuantity(nonce);
    const isOwn = typeof from === 'string' && from.toLowerCase() === walletAddress;
    return isOwn && taken !== undefined && isHash(hash) ? [[Number(taken), hash]] : [];
  });
}

/**
 * The block that used a nonce, by the wallet's counts in old states; only where no look of ours says from where to
 * read. Where the node has lost those states it is somewhere before, and the last blocks are read.
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
    if (isUsed === undefined) return Math.max(0, used - BODIES);
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
