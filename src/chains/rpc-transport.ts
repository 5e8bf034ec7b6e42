import { custom, type Transport } from 'viem';
import type { RpcClient } from './rpc-client.ts';
import { classifyCallReply, RpcFailure } from './rpc-error.ts';
import type { RpcCall, RpcReply } from './rpc-exchange.ts';
import { headerOf, toData, toQuantity } from './rpc-values.ts';

/**
 * A viem transport for reads. Calls made in the same tick are sent as one batch, in the order in which they were made.
 * A call that one node cannot answer, or answers with nonsense, is asked of the others. Fails with {@link RpcFailure}.
 */
export function rpcTransport(rpc: RpcClient): Transport {
  const ask = batched((calls) => askAll(rpc, calls));
  const request = async ({
    method,
    params = [],
  }: {
    readonly method: string;
    readonly params?: readonly unknown[];
  }) => {
    if (RESULTS[method] === undefined) throw new Error(`Nothing is known of the results of ${method}`);
    const reply = await ask({ method, params });
    if (!('result' in reply)) throw new RpcFailure(method, reply);
    if (readResult(method, reply.result) === undefined) throw new RpcFailure(method, { lost: 'the reply is invalid' });
    return reply.result;
  };
  return custom({ request }, { key: 'rpc', name: 'JSON-RPC', retryCount: 0 });
}

async function askAll(rpc: RpcClient, calls: readonly RpcCall[]): Promise<readonly RpcReply[]> {
  const replies = await rpc.request(calls);
  const open = [...calls.keys()].filter((index) => !isAnswer(calls[index], replies[index]));
  // If nothing came back, every node has been tried.
  if (open.length === 0 || rpc.providers < 2 || replies.every((reply) => 'lost' in reply)) return replies;
  const others = await rpc.requestOfEach(calls.filter((_, index) => open.includes(index)));
  return replies.map((reply, index) => {
    const again = others.map((each) => each[open.indexOf(index)]);
    return again.find((other) => isAnswer(calls[index], other)) ?? reply;
  });
}

/** Whether a reply is about the call, and not about the state of the node. */
function isAnswer(call: RpcCall | undefined, reply: RpcReply | undefined): reply is RpcReply {
  if (call === undefined || reply === undefined) return false;
  return classifyCallReply(reply, (result) => readResult(call.method, result)).kind !== 'unknown';
}

/** What a method returns, if it has the form that viem takes for granted; undefined otherwise. */
export function readResult(method: string, result: unknown): unknown {
  return RESULTS[method]?.(result);
}

const RESULTS: Readonly<Record<string, (result: unknown) => unknown>> = {
  eth_blockNumber: toQuantity,
  eth_call: toData,
  eth_estimateGas: toQuantity,
  eth_getBalance: toQuantity,
  eth_getBlockByNumber: (result) => headerOf({ result }),
  eth_getCode: toData,
};

/** Batches the calls made in one turn of the event loop. @param send Returns one reply per call, in order. */
export function batched(
  send: (calls: readonly RpcCall[]) => Promise<readonly RpcReply[]>,
): (call: RpcCall) => Promise<RpcReply> {
  let pending: {
    readonly call: RpcCall;
    readonly resolve: (reply: RpcReply) => void;
    readonly reject: (error: unknown) => void;
  }[] = [];
  const flush = async () => {
    const batch = pending;
    pending = [];
    try {
      const replies = await send(batch.map(({ call }) => call));
      for (const [index, { resolve }] of batch.entries()) resolve(replies[index] ?? { lost: 'no answer' });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };
  return (call) =>
    new Promise((resolve, reject) => {
      pending.push({ call, resolve, reject });
      if (pending.length === 1) setTimeout(() => void flush(), 0);
    });
}
