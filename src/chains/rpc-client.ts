import { inParallel } from '../core/in-parallel.ts';
import { endpointOf, exchange, MISSING, type Endpoint, type RpcCall, type RpcReply } from './rpc-exchange.ts';

export interface RpcClient {
  /** How many providers there are. */
  readonly providers: number;
  /**
   * Makes calls in as few JSON-RPC batches as the provider allows, sequentially and in order. Never throws.
   * @param end Ends it: what is not answered by then is lost.
   * @returns one reply per call, in order, matched by id.
   */
  request(calls: readonly RpcCall[], end?: AbortSignal): Promise<readonly RpcReply[]>;
  /** As {@link request}, with several batches in parallel. */
  requestInParallel(calls: readonly RpcCall[]): Promise<readonly RpcReply[]>;
  /**
   * Makes calls in one HTTP request, so that one node answers all of them: only a provider that refuses batches is
   * asked for each by itself.
   * @returns one reply per call, in order; `lost` for what is not answered in it.
   */
  requestTogether(calls: readonly RpcCall[]): Promise<readonly RpcReply[]>;
  /**
   * Makes the same calls of every provider by itself, in parallel, as {@link requestTogether} does, for as long as two
   * requests may take. Those that have failed twice in a row, a quarter of a minute apart, are left out for a while,
   * unless all have.
   * @returns the replies of each that is asked, in the order of their URLs.
   */
  requestOfEach(calls: readonly RpcCall[], end?: AbortSignal): Promise<readonly (readonly RpcReply[])[]>;
}

interface RpcOptions {
  /** The chain that the calls are counted for. */
  readonly chainId: string;
  /** The initial number of calls in a batch. */
  readonly batchSize: number;
  /** How long one HTTP request may take. */
  readonly timeoutMs: number;
  /** Whether that is also how long a provider is asked for one batch, its parts included. */
  readonly isTimeoutOfBatch?: boolean;
}

/** Parallel batches of one lane; the platform allows six connections per invocation. */
const MAX_PARALLEL = 4;
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
  avoidUntil: number;
  /** Since it last replied. */
  failures: number;
}

/**
 * Creates a JSON-RPC client over HTTP. Replies are matched by id, a missing one does not shift the others and is asked
 * for once more, and every request times out. A batch that is refused or times out, or whose reply is too long, is
 * split, so that one call does not fail the others. The replies to one batch are from one provider.
 * @param urls Tried in order. Credentials in them are sent in a header.
 */
export function createRpcClient(
  urls: readonly string[],
  { chainId, batchSize, timeoutMs, isTimeoutOfBatch = false }: RpcOptions,
): RpcClient {
  const providers = urls.map((url): Provider => {
    return { ...endpointOf(chainId, url), batchSize, maxBatchSize: batchSize, avoidUntil: 0, failures: 0 };
  });
  const usable = () => {
    const now = Date.now();
    const known = providers.filter(({ avoidUntil }) => avoidUntil <= now);
    return known.length > 0 ? known : providers;
  };
  /** The deadlines of the requests for one batch. */
  const deadlines = (end?: AbortSignal) => {
    const whole = isTimeoutOfBatch ? AbortSignal.timeout(timeoutMs) : undefined;
    return () => whole ?? earlierOf(AbortSignal.timeout(timeoutMs), end);
  };

  const send = async (calls: readonly RpcCall[], end?: AbortSignal): Promise<readonly RpcReply[]> => {
    let replies: readonly RpcReply[] = calls.map(() => ({ lost: 'no provider' }));
    for (const provider of usable()) {
      if (end?.aborted === true) break;
      replies = await ask(provider, calls, deadlines(end));
      if (replies.some((reply) => !('lost' in reply))) return replies;
    }
    return replies;
  };
  const chunksNow = (calls: readonly RpcCall[]) => {
    const size = usable()[0]?.batchSize ?? batchSize;
    return Array.from({ length: Math.ceil(calls.length / size) }, (_, index) =>
      calls.slice(index * size, (index + 1) * size),
    );
  };

  return {
    providers: providers.length,
    async request(calls, end) {
      return (await inParallel(chunksNow(calls), 1, (chunk) => send(chunk, end))).flat();
    },
    async requestInParallel(calls) {
      return (await inParallel(chunksNow(calls), MAX_PARALLEL, (chunk) => send(chunk))).flat();
    },
    async requestTogether(calls) {
      let replies: readonly RpcReply[] = [];
      for (const provider of usable()) {
        replies = await askTogether(provider, calls, deadlines());
        if (replies.some((reply) => !('lost' in reply))) break;
      }
      return replies;
    },
    requestOfEach(calls, end) {
      const now = Date.now();
      const working = providers.filter(({ failures, avoidUntil }) => failures < OUT_OF_ORDER || avoidUntil <= now);
      return Promise.all(
        (working.length > 0 ? working : providers).map(async (provider) => {
          const whole = earlierOf(AbortSignal.timeout(2 * timeoutMs), end);
          return await askTogether(provider, calls, () => AbortSignal.any([whole, AbortSignal.timeout(timeoutMs)]));
        }),
      );
    },
  };
}

function earlierOf(deadline: AbortSignal, end: AbortSignal | undefined): AbortSignal {
  return end === undefined ? deadline : AbortSignal.any([deadline, end]);
}

/**
 * Makes calls of one provider in one HTTP request, whatever it has been slow to answer before; what is not answered in
 * it is lost. Only a provider that refuses that many calls, or whose reply is too long, is asked in parts.
 */
async function askTogether(
  provider: Provider,
  calls: readonly RpcCall[],
  deadline: () => AbortSignal,
): Promise<readonly RpcReply[]> {
  // Two are tried together even if a fault has taught that none can be.
  if (calls.length > Math.max(2, provider.maxBatchSize)) return await ask(provider, calls, deadline);
  const answer = await exchange(provider, calls, deadline());
  if ('replies' in answer) {
    provider.failures = 0;
    return answer.replies;
  }
  if (answer.kind === 'too-large') return await ask(provider, calls, deadline, calls.length);
  if (answer.kind === 'too-long') return await ask(provider, calls, deadline);
  avoid(provider);
  return calls.map(() => ({ lost: answer.reason }));
}

/**
 * Makes calls of one provider, in batches of the size that it accepts.
 * @param deadline Of the next request.
 * @param refusedSize The size of a batch that it has just refused.
 */
async function ask(
  provider: Provider,
  calls: readonly RpcCall[],
  deadline: () => AbortSignal,
  refusedSize = Infinity,
): Promise<readonly RpcReply[]> {
  const replies: RpcReply[] = [];
  let refused = refusedSize < Infinity;
  let size = Math.min(provider.batchSize, Math.max(1, Math.floor(refusedSize / 2)));
  while (replies.length < calls.length) {
    const part = calls.slice(replies.length, replies.length + size);
    const answer = await exchange(provider, part, deadline());
    if ('replies' in answer) {
      provider.failures = 0;
      if (refused) provider.maxBatchSize = provider.batchSize = size;
      // Each full batch that succeeds raises the size by one, so that one timeout does not keep batches small for good.
      else if (part.length >= provider.batchSize) {
        provider.batchSize = Math.min(provider.maxBatchSize, part.length + 1);
      }
      replies.push(...(await withMissing(provider, part, answer.replies, deadline)));
    } else if (answer.kind === 'too-large' && part.length > 1) {
      // Learned once a smaller batch has succeeded: a provider that refuses everything says nothing about sizes.
      refused = true;
      size = Math.floor(part.length / 2);
    } else if (answer.kind === 'too-long' && part.length > 1) {
      const half = Math.ceil(part.length / 2);
      replies.push(...(await ask(provider, part.slice(0, half), deadline)));
      replies.push(...(await ask(provider, part.slice(half), deadline)));
    } else if (answer.kind === 'too-long' && isSimulation(part[0])) {
      replies.push(TOO_LONG);
    } else if (answer.kind === 'timeout' && part.length > 1 && !deadline().aborted) {
      size = provider.batchSize = Math.max(1, Math.floor(Math.min(provider.batchSize, part.length) / 2));
      replies.push(...(await individually(provider, part, deadline)));
    } else {
      if (answer.kind !== 'too-large') avoid(provider);
      const isOver = answer.kind === 'down' || deadline().aborted;
      const lost = isOver ? calls.slice(replies.length) : part;
      replies.push(...lost.map(() => ({ lost: answer.reason })));
    }
  }
  return replies;
}

/** Asks once more for what a provider has left out of its response. */
async function withMissing(
  provider: Provider,
  calls: readonly RpcCall[],
  replies: readonly RpcReply[],
  deadline: () => AbortSignal,
): Promise<readonly RpcReply[]> {
  const missing = [...calls.keys()].filter((index) => replies[index] === MISSING);
  if (missing.length === 0) return replies;
  const left = calls.filter((_, index) => missing.includes(index));
  const answer = await exchange(provider, left, deadline());
  if (!('replies' in answer)) return replies;
  return replies.map((reply, index) => answer.replies[missing.indexOf(index)] ?? reply);
}

/** Sends each call on its own, so that only a slow call is lost. Stops once several in a row are lost. */
async function individually(
  provider: Provider,
  calls: readonly RpcCall[],
  deadline: () => AbortSignal,
): Promise<readonly RpcReply[]> {
  let lostInARow = 0;
  const replies = await inParallel(calls, MAX_PARALLEL, async (call): Promise<readonly RpcReply[]> => {
    if (lostInARow >= MAX_PARALLEL) return [{ lost: 'the provider does not answer' }];
    const answer = await ask(provider, [call], deadline);
    lostInARow = answer.some((reply) => 'lost' in reply) ? lostInARow + 1 : 0;
    return answer;
  });
  return replies.flat();
}

/** Parallel requests fail together: that counts as one failure. */
function avoid(provider: Provider): void {
  const now = Date.now();
  if (provider.avoidUntil > now) return;
  provider.avoidUntil = now + Math.min(MAX_AVOID_MS, AVOID_MS * 2 ** provider.failures);
  provider.failures += 1;
}

/** The code of a revert, as most nodes have it. */
const REVERTED = 3;

/** The outcome of a call whose contract returns more, or reverts with more, than is read. */
export const TOO_LONG: RpcReply = {
  error: { code: REVERTED, message: 'execution reverted: the response of the contract is too long', data: undefined },
};

/** Whether a contract determines the length of the reply. */
function isSimulation(call: RpcCall | undefined): boolean {
  return call?.method === 'eth_call' || call?.method === 'eth_estimateGas';
}
