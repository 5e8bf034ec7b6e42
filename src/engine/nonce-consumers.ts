import type { Hex } from 'viem';
import type { RpcClient } from '../chains/rpc-client.ts';
import type { RpcReply } from '../chains/rpc-exchange.ts';
import { bodyOf, integerOf, resultOf, toHex } from '../chains/rpc-values.ts';
import type { HeadObservation } from '../platform/database/schema.ts';
import { authorizedNonces, proveTransaction, type ProvenTransaction } from '../chains/signed-transaction.ts';
import type { EpochMs } from '../core/epoch-ms.ts';
import { blockRangeOfNonce } from './evidence.ts';
import { areFinalForMost } from './majority.ts';
import type { ChainHead } from './chain-head.ts';
import type { LaneContext } from './lane-context.ts';

/** Block bodies read by one call. */
const MAX_BODIES = 64;
/** Block bodies in one JSON-RPC batch. */
const BATCH_SIZE = 8;

/** How many blocks a search that found nothing is first widened by; the slack then quadruples each time. */
const INITIAL_SLACK = 16;
/** How much faster than the chain adds blocks a search beyond the observed range reads them: it must catch up. */
const SPEED = 4;
/** The longest pause between two calls of such a search. */
const MAX_PAUSE_MS = 60_000;

/** How far the search for the transaction that used a nonce has come. */
interface SearchProgress {
  readonly nonce: number;
  /** The block whose body is read next. */
  readonly next: number;
  /** How many blocks beyond the observed range are searched. */
  readonly slack: number;
  /** Whether each node is asked for the blocks, because the first ones have shown nothing. */
  readonly asksEach: boolean;
  /** When the search continues. */
  readonly notBefore: EpochMs;
}

/** A search for what used nonces, one at a time, which continues where its last call has stopped. */
export class NonceSearch {
  #progress: SearchProgress | undefined;

  /**
   * Finds the transaction of the wallet that used a nonce, by reading the bodies of final blocks between the
   * observations of the nonce unused and used. Each call reads a limited number of blocks and the next one continues.
   * The block and the count of an observation may come from different nodes, and a node may hide a transaction, so a
   * search that finds nothing is repeated with each node, and then widened, once the block that showed the nonce used
   * is final itself. Until then only new final blocks are read, and none while the nonce was last observed unused in a
   * block that is not final. Nodes bill by the call, and what no node shows may never be shown, so beyond the observed
   * range, and where a block is not to be had, it pauses after each call.
   * @param usedAt A block at which the nonce was observed used.
   * @returns by nonce, all transactions of the wallet in the blocks read.
   */
  async findConsumers(
    driver: LaneContext & { readonly observations: readonly HeadObservation[] },
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
      this.#progress?.nonce === nonce
        ? this.#progress
        : { nonce, slack: 0, asksEach: false, next: await startWith(0), notBefore: 0 };
    this.#progress = search;
    if (head.readAt < search.notBefore) return new Map();
    const { slack, asksEach } = search;
    const end = endWith(slack);
    const length = Math.max(0, Math.min(MAX_BODIES, end - search.next + 1));
    const { consumers, read } = await this.#read(driver, search, length);
    const next = search.next + read;
    const hasFailed = next > end && isUsedAtFinal && !consumers.has(nonce);
    const isAsked = asksEach || chain.rpc.providers === 1;
    const wider = hasFailed && isAsked ? Math.max(INITIAL_SLACK, slack * 4) : slack;
    const pause = wider > 0 || read < length ? Math.min(MAX_PAUSE_MS, (length * chain.blockTimeMs) / SPEED) : 0;
    const notBefore = head.readAt + pause;
    if (consumers.has(nonce)) {
      // Whoever asks again has forgotten what was found.
      this.#progress = undefined;
    } else if (hasFailed) {
      this.#progress = { nonce, slack: wider, asksEach: !isAsked, next: await startWith(wider), notBefore };
    } else {
      this.#progress = { ...search, next, notBefore };
    }
    return consumers;
  }

  /** Reads blocks up to the first that no node returns. @returns what used nonces in them, and their number. */
  async #read(
    driver: LaneContext,
    { next, asksEach }: SearchProgress,
    length: number,
  ): Promise<{ readonly consumers: ReadonlyMap<number, Consumer>; readonly read: number }> {
    const consumers = new Map<number, Consumer>();
    for (let read = 0; read < length;) {
      const numbers = Array.from({ length: Math.min(BATCH_SIZE, length - read) }, (_, index) => next + read + index);
      for (const body of await readBodies(driver, numbers, asksEach)) {
        if (body === undefined) return { consumers, read };
        for (const own of body) {
          const blockNumber = next + read;
          // A node that hides the transaction with the nonce may show an authorization that came too late for it.
          if (
            own.transaction === undefined &&
            (consumers.has(own.nonce) || (!asksEach && driver.chain.rpc.providers > 1))
          )
            continue;
          consumers.set(own.nonce, { ...own, blockNumber, finalAt: blockNumber + driver.chain.finality - 1 });
        }
        read += 1;
      }
    }
    return { consumers, read: length };
  }
}

/** What used a nonce of the wallet, in a block. */
interface Use {
  readonly nonce: number;
  /** The transaction that used the nonce. */
  readonly hash: Hex;
  /** Undefined: somebody's transaction used it by an authorization of the wallet (EIP-7702). */
  readonly transaction?: ProvenTransaction;
}

/** What used a nonce. */
export interface Consumer extends Use {
  readonly blockNumber: number;
  /** The lowest head at which its block is final. */
  readonly finalAt: number;
}

/**
 * Reads the wallet's transactions in blocks, in one batch, and in one of each node where that proves nothing.
 * @param asksEach Whether a body without a transaction of the wallet proves nothing: a node may hide it.
 * @returns undefined for each block that no node returned, or whose body does not count.
 */
async function readBodies(
  context: LaneContext,
  numbers: readonly number[],
  asksEach: boolean,
): Promise<(readonly Use[] | undefined)[]> {
  const { rpc } = context.chain;
  const calls = numbers.map((number) => ({ method: 'eth_getBlockByNumber', params: [toHex(number), true] }));
  const read = (replies: readonly RpcReply[]) =>
    Promise.all(numbers.map((number, index) => usesIn(context, number, replies[index])));
  const first = await read(await rpc.request(calls));
  const hasOwn = (uses: readonly Use[]) => uses.some(({ transaction }) => transaction !== undefined);
  const isEnough = (uses: readonly Use[] | undefined) => uses !== undefined && (hasOwn(uses) || !asksEach);
  if (rpc.providers === 1 || first.every(isEnough)) return first;
  const others = await Promise.all((await rpc.requestOfEach(calls)).map(read));
  return first.map((uses, index) => {
    if (isEnough(uses)) return uses;
    const bodies = others.flatMap((each) => each[index] ?? []);
    const isRead = others.some((each) => each[index] !== undefined);
    return isRead ? [...bodies.filter(({ transaction }) => transaction !== undefined), ...bodies] : undefined;
  });
}

/**
 * What used nonces of the wallet in a block, by its body. What uses a nonce is checked, not believed: a transaction counts if its
 * hash and its signer follow from its fields, and if it is final in this block for more than half of the nodes.
 */
async function usesIn(
  { lane, chain, services }: LaneContext,
  number: number,
  reply: RpcReply | undefined,
): Promise<readonly Use[] | undefined> {
  const body = bodyOf(resultOf(reply), new Set([lane.walletAddress]));
  if (body === undefined) return undefined;
  const authorizing = await Promise.all(
    body.delegating.map(async (transaction) => {
      const nonces = await authorizedNonces(transaction, lane.chainId);
      return nonces.filter(({ wallet }) => wallet === lane.walletAddress).map(({ nonce }) => ({ nonce, transaction }));
    }),
  );
  const used = [...body.own.map((transaction) => ({ nonce: undefined, transaction })), ...authorizing.flat()];
  // A body without a transaction of the wallet proves nothing, whoever has the block.
  if (used.length === 0) return [];
  const { hash: blockHash } = body;
  const proven: Use[] = [];
  for (const { nonce, transaction: reported } of used) {
    const transaction = await proveTransaction(reported);
    if (transaction === undefined || (transaction.chainId ?? lane.chainId) !== lane.chainId) continue;
    const { hash } = transaction;
    proven.push(nonce === undefined ? { nonce: transaction.nonce, hash, transaction } : { nonce, hash });
  }
  const mined = proven.map(({ hash }) => ({ hash, blockNumber: number, blockHash }));
  if (proven.length === used.length && (await areFinalForMost(chain, mined))) return proven;
  services.log.warn('block.not_proven', { ...lane, number, hash: blockHash });
  return undefined;
}

/**
 * A block before the one that used a nonce, found by binary search over the wallet's historical counts; only needed
 * when no observation bounds the range. If the node has pruned those states, the most recent blocks are searched.
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
