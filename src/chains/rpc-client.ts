import type { EpochMs } from '../core/epoch-ms.ts';
import { inParallel } from '../core/in-parallel.ts';
import { newRoom, type Room } from './read-reply.ts';
import { endpointOf, exchange, MISSING, type Endpoint, type RpcCall, type RpcReply } from './rpc-exchange.ts';

/** A call, or several of which one node must answer all. */
export type Question = RpcCall | readonly RpcCall[];

export interface RpcClient {
  /** How many providers there are. */
  readonly providers: number;
  /**
   * Makes calls in as few JSON-RPC batches as the provider allows, sequentially and in order. Never throws.
   * @param questions Calls that one node must answer are in one HTTP request: only a provider that refuses so many is
   *   asked for each by itself.
   * @param end Ends it: what is not answered by then is lost.
   * @returns one reply per call, in order, matched by id.
   */
  request(questions: readonly Question[], end?: AbortSignal): Promise<readonly RpcReply[]>;
  /** As {@link request}, with several batches in parallel. */
  requestInParallel(questions: readonly Question[]): Promise<readonly RpcReply[]>;
  /**
   * As {@link request}, of every provider by itself, in parallel. Those that have failed twice in a row, a quarter of a
   * minute apart, are left out for a while, unless all have.
   * @returns the replies of each that is asked, in the order of their URLs.
   */
  requestOfEach(questions: readonly Question[], end?: AbortSignal): Promise<readonly (readonly RpcReply[])[]>;
}

interface RpcOptions {
  /** The chain that the calls are counted for. */
  readonly chainId: string;
  /** The initial number of calls in a batch. */
  readonly batchSize: number;
  /** How long one HTTP request may take. */
  readonly timeoutMs: number;
  /** How long a provider is asked for the same calls, in as many requests as it takes; by default as long as two. */
  readonly providerMs?: number;
}

/** Parallel batches of one lane; the platform allows six connections per invocation. */
const MAX_PARALLEL = 4;
/** Parallel single calls of one provider, of three at once. */
const MAX_ALONE = 2;
/** How long a provider that failed is not tried; twice as long after each further failure, up to the maximum. */
const AVOID_MS = 15_000;
const MAX_AVOID_MS = 240_000;
/** A provider that has failed so often since it last replied is out of order. */
const OUT_OF_ORDER = 2;

/** A provider and what has been learned about it. */
interface Provider extends Endpoint {
  /** Larger batches were rejected as too large. */
  maxBatchSize: number;
  batchSize: number;
  avoidUntil: EpochMs;
  /** Since it last replied. */
  failures: number;
}

/**
 * Creates a JSON-RPC client over HTTP. Replies are matched by id, a missing one does not shift the others and is asked
 * for once more, and every request times out. A batch that is refused or times out, or whose reply is too long, is
 * split, so that one call does not fail the others. The replies to one batch are from one provider: the next is asked
 * once one has replied to none of it, or has been asked for long enough, and it is then avoided for a while.
 * @param urls Tried in order. Credentials in them are sent in a header.
 */
export function createRpcClient(
  urls: readonly string[],
  { chainId, batchSize, timeoutMs, providerMs = 2 * timeoutMs }: RpcOptions,
): RpcClient {
  const providers = urls.map((url): Provider => {
    return { ...endpointOf(chainId, url), batchSize, maxBatchSize: batchSize, avoidUntil: 0, failures: 0 };
  });
  /** Those that are not avoided; all if each is. @param failures After fewer than these, one is asked all the same. */
  const unavoided = (failures: number) => {
    const now = Date.now();
    const known = providers.filter((provider) => provider.failures < failures || provider.avoidUntil <= now);
    return known.length > 0 ? known : providers;
  };
  const usable = () => unavoided(0);
  /**
   * What has made all of them fail may have been the network on our side: the first one that replies again is not the
   * only one in order, and must not be believed as such.
   */
  const recover = (provider: Provider) => {
    const isAfterOutage = providers.every(({ failures }) => failures > 0);
    provider.failures = 0;
    if (isAfterOutage) for (const each of providers) Object.assign(each, { failures: 0, avoidUntil: 0 });
  };

  const askOne = async (provider: Provider, groups: readonly Group[], room: Room, end?: AbortSignal) => {
    const signals = [AbortSignal.timeout(providerMs), ...(end === undefined ? [] : [end])];
    const replies = await ask({ provider, timeoutMs, end: AbortSignal.any(signals), room }, groups);
    if (replies.some(isAnswered)) recover(provider);
    else if (end?.aborted !== true) avoid(provider);
    return replies;
  };
  const askFirst = async (
    groups: readonly Group[],
    rooms: ReadonlyMap<Provider, Room>,
    end?: AbortSignal,
  ): Promise<readonly RpcReply[]> => {
    let replies: readonly RpcReply[] = lost(groups.flat(), 'no provider');
    for (const provider of usable()) {
      if (end?.aborted === true) break;
      replies = await askOne(provider, groups, rooms.get(provider) ?? newRoom(), end);
      if (replies.some(isAnswered)) break;
    }
    return replies;
  };
  const newRooms = () => new Map(providers.map((provider) => [provider, newRoom()]));
  const chunksNow = (questions: readonly Question[]) =>
    chunksOf(groupsOf(questions), usable()[0]?.batchSize ?? batchSize);

  return {
    providers: providers.length,
    async request(questions, end) {
      const rooms = newRooms();
      return (await inParallel(chunksNow(questions), 1, (chunk) => askFirst(chunk, rooms, end))).flat();
    },
    async requestInParallel(questions) {
      const rooms = newRooms();
      return (await inParallel(chunksNow(questions), MAX_PARALLEL, (chunk) => askFirst(chunk, rooms))).flat();
    },
    requestOfEach: (questions, end) =>
      Promise.all(unavoided(OUT_OF_ORDER).map((provider) => askOne(provider, groupsOf(questions), newRoom(), end))),
  };
}

/** Of whom calls are made, and how. */
interface Asked {
  readonly provider: Provider;
  /** Ends it: what is not answered by then is lost. */
  readonly end: AbortSignal;
  /** Of one HTTP request. */
  readonly timeoutMs: number;
  /** For its replies. */
  readonly room: Room;
}

const isAnswered = (reply: RpcReply | undefined) => reply !== undefined && !('lost' in reply);

/** Calls that are answered by one node. */
type Group = readonly RpcCall[];

function groupsOf(questions: readonly Question[]): readonly Group[] {
  return questions.map((question) => ('method' in question ? [question] : question));
}

/** The first groups with at most `size` calls, but one group at least. */
function firstOf(groups: readonly Group[], size: number): readonly Group[] {
  let calls = 0;
  const end = groups.findIndex((group) => (calls += group.length) > size);
  return end === -1 ? groups : groups.slice(0, Math.max(1, end));
}

function chunksOf(groups: readonly Group[], size: number): readonly (readonly Group[])[] {
  const chunks: (readonly Group[])[] = [];
  for (let next = 0; next < groups.length; next += chunks.at(-1)?.length ?? 0) {
    chunks.push(firstOf(groups.slice(next), size));
  }
  return chunks;
}

/**
 * Makes calls of one provider, in batches of the size that it accepts, whatever it has been slow to answer before if one
 * node must answer them.
 */
async function ask(asked: Asked, groups: readonly Group[]): Promise<readonly RpcReply[]> {
  const { provider, end } = asked;
  const replies: RpcReply[] = [];
  // Two are tried together even if a fault has taught that none can be.
  const most = Math.max(2, provider.maxBatchSize);
  let left: readonly Group[] = groups.flatMap((group) => (group.length > most ? groupsOf(group) : [group]));
  let size = provider.batchSize;
  let isRefused = false;
  let reason = 'no answer in time';
  while (left.length > 0 && !end.aborted) {
    const part = firstOf(left, size);
    const calls = part.flat();
    const answer = await exchangeWith(asked, calls);
    if (!('replies' in answer)) {
      ({ reason } = answer);
      if (answer.kind === 'down') break;
    }
    left = left.slice(part.length);
    const smaller = part.length > 1 ? part : groupsOf(calls);
    const half = Math.floor(calls.length / 2);
    if ('replies' in answer) {
      if (isRefused) provider.maxBatchSize = provider.batchSize = size;
      // Each full batch that succeeds raises the size by one, so that one timeout does not keep batches small for good.
      else if (calls.length === provider.batchSize) {
        provider.batchSize = Math.min(provider.maxBatchSize, calls.length + 1);
      }
      replies.push(...(await withMissing(asked, part, answer.replies)));
    } else if (answer.kind === 'too-large' && smaller.length > 1) {
      // Learned once a smaller batch has succeeded: a provider that refuses everything says nothing about sizes.
      isRefused = true;
      size = half;
      left = [...smaller, ...left];
    } else if (answer.kind === 'too-long' && smaller.length > 1) {
      const middle = Math.ceil(smaller.length / 2);
      replies.push(...(await ask(asked, smaller.slice(0, middle))), ...(await ask(asked, smaller.slice(middle))));
    } else if (answer.kind === 'timeout' && part.length > 1) {
      const alone = await individually(asked, part);
      // If few calls are slow, that says nothing about sizes.
      const slow = alone.filter((reply) => !isAnswered(reply)).length;
      if (slow === 0 || slow * 2 >= alone.length) size = provider.batchSize = half;
      replies.push(...alone);
    } else {
      replies.push(...lost(calls, reason));
    }
  }
  return [...replies, ...lost(left.flat(), reason)];
}

const lost = (calls: readonly RpcCall[], reason: string): RpcReply[] => calls.map(() => ({ lost: reason }));

/** Asks once more for what a provider has left out of its response, but for what one node must answer. */
async function withMissing(
  asked: Asked,
  groups: readonly Group[],
  replies: readonly RpcReply[],
): Promise<readonly RpcReply[]> {
  const isSingle = groups.flatMap((group) => group.map(() => group.length === 1));
  const missing = [...replies.keys()].filter((index) => replies[index] === MISSING && isSingle[index] === true);
  if (missing.length === 0) return replies;
  const calls = groups.flat();
  const answer = await exchangeWith(
    asked,
    calls.filter((_, index) => missing.includes(index)),
  );
  if (!('replies' in answer)) return replies;
  return replies.map((reply, index) => answer.replies[missing.indexOf(index)] ?? reply);
}

/**
 * Asks each group of a batch that has timed out on its own, so that only a slow one is lost. What takes long is asked
 * again, with twice the time, once the others had their turn: so slow ones, however many and wherever, do not use up
 * the time of the rest.
 */
async function individually(asked: Asked, groups: readonly Group[]): Promise<readonly RpcReply[]> {
  const answered = new Map<Group, readonly RpcReply[]>();
  let isDown = false;
  for (let timeoutMs = asked.timeoutMs / 8; timeoutMs < asked.timeoutMs; timeoutMs *= 2) {
    const open = groups.filter((group) => !answered.has(group));
    await inParallel(open, MAX_ALONE, async (group) => {
      if (isDown || asked.end.aborted) return;
      const answer = await exchangeWith({ ...asked, timeoutMs }, group);
      if ('replies' in answer) answered.set(group, answer.replies);
      else isDown ||= answer.kind === 'down';
    });
  }
  return groups.flatMap((group) => answered.get(group) ?? lost(group, 'no answer in time'));
}

async function exchangeWith({ provider, timeoutMs, end, room }: Asked, calls: readonly RpcCall[]) {
  return await exchange(provider, calls, AbortSignal.any([end, AbortSignal.timeout(timeoutMs)]), room);
}

/** Parallel requests fail together: that counts as one failure. */
function avoid(provider: Provider): void {
  const now = Date.now();
  if (provider.avoidUntil > now) return;
  provider.avoidUntil = now + Math.min(MAX_AVOID_MS, AVOID_MS * 2 ** provider.failures);
  provider.failures += 1;
}
