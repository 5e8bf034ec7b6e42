import type { RpcCall, RpcReply } from './rpc-exchange.ts';

/** Batches the calls made in one turn of the event loop. @param send Returns one reply per call, in order. */
export function batched(
  send: (calls: readonly RpcCall[]) => Promise<readonly RpcReply[]>,
): (call: RpcCall) => Promise<RpcReply> {
  let pending: { readonly call: RpcCall; readonly resolve: (reply: RpcReply) => void }[] = [];
  const flush = async () => {
    const batch = pending;
    pending = [];
    const replies = await send(batch.map(({ call }) => call));
    for (const [index, { resolve }] of batch.entries()) resolve(replies[index] ?? { lost: 'no answer' });
  };
  return (call) =>
    new Promise((resolve) => {
      pending.push({ call, resolve });
      if (pending.length === 1) setTimeout(() => void flush(), 0);
    });
}
