import type { Hex } from 'viem';
import type { RpcClient } from '../chains/rpc-client.ts';
import type { RpcReply } from '../chains/rpc-exchange.ts';
import { bodyOf, integerOf, resultOf, toHex } from '../chains/rpc-values.ts';
import { proveTransaction, type ProvenTransaction } from '../chains/signed-transaction.ts';
import { blockRangeOfNonce, isFinalForMost } from './evidence.ts';
import type { ChainHead } from './chain-head.ts';
import type { LaneContext } from './lane-context.ts';
import type { Driver } from './driver.ts';

/** Block bodies read by one call. */
const MAX_BODIES = 64;
/** Block bodies in one JSON-RPC batch. */
const BATCH_SIZE = 8;

/** How many blocks a search that found nothing is first widened by; the slack then quadruples each time. */
const INITIAL_SLACK = 16;
/** The longest pause before a search is widened. Nodes bill by the call, and what no node shows may never be shown. */
const MAX_PAUSE_MS = 60_000;

/**
 * Finds the transaction of the wallet that used a nonce, by reading the bodies of final blocks between the observations
 * of the nonce unused and used. Each call reads a limited number of blocks and the next one continues. The block and the
 * count of an observation may come from different nodes, and a node may hide a transaction, so a search that finds nothing is repeated with each
 * node, and then, after a pause, widened, once the block that showed the nonce used is final itself. Until then only new final blocks are read, and
 * none while the nonce was last observed unused in a block that is not final. Blocks read raise the lane's floor.
 * @param usedAt A block at which the nonce was observed used.
 * @returns by nonce, all transactions of the wallet in the blocks read.
 */
export async function findNonceConsumers(
  driver: Driver,
  { nonce, usedAt }: { readonly nonce: number; readonly usedAt: number },
  head: ChainHead,
): Promise<ReadonlyMap<number, Consumer>> {
  const { lane, chain } = driver;
  const lastFinal = head.number - chain.finality + 1;
  const isUsedAtFinal = usedAt <= lastFinal;
  const unusedAt = driver.observations.filter(([, count]) => count <= nonce).map(([block]) => block);
  if (!isUsedAtFinal && unusedAt.some((block) => block >= lastFinal)) return new Map();
  const { after, to = head.number } = blockRangeOfNonce(driver.observations, nonce, chain.finality);
  const endWith = (slack: number) => Math.min(to + slack, lastFinal);
  const startWith = async (slack: number) =>
    Math.max((after ?? (await blockOfNonce(chain.rpc, lane.walletAddress, nonce, endWith(0)))) - slack, 0);
  const search =
    driver.memory.search?.nonce === nonce
      ? driver.memory.search
      : { nonce, slack: 0, asksEach: false, next: await startWith(0), notBefore: 0 };
  driver.memory.search = search;
  if (head.readAt < search.notBefore) return new Map();
  const { next: from, slack, asksEach } = search;
  const end = endWith(slack);
  const consumers = new Map<number, Consumer>();
  const numbers = Array.from({ length: Math.max(0, Math.min(MAX_BODIES, end - from + 1)) }, (_, index) => from + index);
  for (let first = 0; first < numbers.length; first += BATCH_SIZE) {
    const batch = numbers.slice(first, first + BATCH_SIZE);
    const bodies = await readBodies(driver, batch, asksEach);
    for (const [index, number] of batch.entries()) {
      const own = bodies[index];
      if (own === undefined) return consumers;
      for (const { hash, nonce: used } of own) {
        consumers.set(used, { hash, finalAt: number + chain.finality - 1 });
        driver.raiseFloor(used + 1);
      }
      driver.memory.search = { ...search, next: number + 1 };
    }
  }
  if (driver.memory.search.next > end && isUsedAtFinal && !consumers.has(nonce)) {
    const isAsked = asksEach || chain.rpc.providers === 1;
    const wider = isAsked ? Math.max(INITIAL_SLACK, slack * 4) : slack;
    const notBefore = isAsked ? head.readAt + Math.min(MAX_PAUSE_MS, wider * chain.blockTimeMs) : 0;
    driver.memory.search = { nonce, slack: wider, asksEach: !isAsked, next: await startWith(wider), notBefore };
  }
  return consumers;
}

/** The transaction that used a nonce. */
export interface Consumer {
  readonly hash: Hex;
  /** The lowest head at which its block is final. */
  readonly finalAt: number;
}

type OwnTransactions = readonly ProvenTransaction[];

/**
 * Reads the wallet's transactions in blocks, in one batch, and in one of each node where that proves nothing.
 * @param asksEach Whether a body without a transaction of the wallet proves nothing: a node may hide it.
 * @returns undefined for each block that no node returned, or whose body does not count.
 */
async function readBodies(
  context: LaneContext,
  numbers: readonly number[],
  asksEach: boolean,
): Promise<(OwnTransactions | undefined)[]> {
  const { rpc } = context.chain;
  const calls = numbers.map((number) => ({ method: 'eth_getBlockByNumber', params: [toHex(number), true] }));
  const read = (replies: readonly RpcReply[]) =>
    Promise.all(numbers.map((number, index) => ownTransactions(context, number, replies[index])));
  const first = await read(await rpc.request(calls));
  const isEnough = (own: OwnTransactions | undefined) => own !== undefined && (own.length > 0 || !asksEach);
  if (rpc.providers === 1 || first.every(isEnough)) return first;
  const others = await Promise.all((await rpc.requestOfEach(calls)).map(read));
  return first.map((own, index) => {
    if (isEnough(own)) return own;
    const bodies = others.map((each) => each[index]);
    return bodies.find((body) => body !== undefined && body.length > 0) ?? bodies.find((body) => body !== undefined);
  });
}

/**
 * The wallet's transactions in a block's body. What uses a nonce is checked, not believed: a transaction counts if its hash and its signer
 * follow from its fields, in a block that is final for more than half of the nodes.
 */
async function ownTransactions(
  { lane, chain, services }: LaneContext,
  number: number,
  reply: RpcReply | undefined,
): Promise<OwnTransactions | undefined> {
  const body = bodyOf(resultOf(reply), lane.walletAddress);
  if (body === undefined) return undefined;
  // It proves nothing, whoever has the block.
  if (body.own.length === 0) return [];
  const proven: ProvenTransaction[] = [];
  for (const transaction of body.own) {
    const own = await proveTransaction(transaction);
    if (own !== undefined && (own.chainId ?? lane.chainId) === lane.chainId) proven.push(own);
  }
  if (proven.length === body.own.length && (await isFinalForMost(chain, { number, hash: body.hash }))) return proven;
  services.log.warn('block.not_proven', { ...lane, number, hash: body.hash });
  return undefined;
}

/**
 * A block before the one that used a nonce, found by binary search over the wallet's historical counts; only needed when no
 * observation bounds the range. If the node has pruned those states, the most recent blocks are searched.
 */
async function blockOfNonce(rpc: RpcClient, walletAddress: string, nonce: number, end: number): Promise<number> {
  const isUsedAt = async (block: number) => {
    const [reply] = await rpc.request([{ method: 'eth_getTransactionCount', params: [walletAddress, toHex(block)] }]);
    const count = integerOf(reply);
    return count === undefined ? undefined : count > nonce;
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
