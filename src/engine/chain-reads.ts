import { isHex } from 'viem';
import type { Hex } from 'viem';
import type { RpcCall, RpcClient, RpcReply } from '../chains/rpc-client.ts';
import { resultOf, toHex } from './chain-head.ts';
import { NotNow } from './order-kind.ts';
import type { CallResult, ChainReads } from './order-kind.ts';
import { logOf, receiptOf } from './receipts.ts';
import { classifyCallReply } from './rpc-outcomes.ts';

/** Gas limit of a simulated call, so that no contract can keep a node busy. */
const CALL_GAS = 10_000_000n;

/**
 * Reads a chain at one block. Reads started in the same turn of the event loop are batched.
 * @param blockHash The block's hash. Logs count only from a node that has this block, or without a hash any block of that number: a node
 *   that lags or is on another branch would leave some out.
 */
export function createChainReads(rpc: RpcClient, blockNumber: number, blockHash?: Hex): ChainReads {
  const at = toHex(blockNumber);
  const request = batched(rpc);
  return {
    blockNumber,
    async call({ from, to, data, gas = CALL_GAS }): Promise<CallResult> {
      const call = { from, to, data, gas: `0x${gas.toString(16)}` };
      const outcome = classifyCallReply(await request({ method: 'eth_call', params: [call, at] }), hexOf);
      if (outcome.kind === 'unknown') throw new NotNow(`The chain does not answer: ${outcome.detail}`);
      return outcome.kind === 'value'
        ? { data: outcome.value }
        : { reverted: true, data: outcome.data, reason: outcome.reason };
    },
    async code(address) {
      const code = hexOf(resultOf(await request({ method: 'eth_getCode', params: [address, at] })));
      if (code === undefined) throw new NotNow('The chain does not answer');
      return code;
    },
    async logs({ address, topics, fromBlock, toBlock }) {
      const filter = { address, topics, fromBlock: toHex(fromBlock), toBlock: toHex(toBlock) };
      const [reply, block] = await Promise.all([
        request({ method: 'eth_getLogs', params: [filter] }),
        request({ method: 'eth_getBlockByNumber', params: [at, false] }),
      ]);
      const [logs, hash] = [resultOf(reply), hashOf(resultOf(block))];
      const isKnown = hash !== undefined && (blockHash === undefined || hash === blockHash);
      if (!isKnown || !Array.isArray(logs)) throw new NotNow('The chain does not answer');
      return logs.map(logOf);
    },
    async receipt(hash) {
      const reply = await request({ method: 'eth_getTransactionReceipt', params: [hash] });
      if (resultOf(reply) === null) return undefined;
      const receipt = receiptOf(reply, hash);
      if (receipt === undefined) throw new NotNow('The chain does not answer');
      return receipt;
    },
  };
}

function hashOf(block: unknown): unknown {
  return typeof block === 'object' && block !== null && 'hash' in block ? block.hash : undefined;
}

function hexOf(result: unknown): Hex | undefined {
  return isHex(result) ? result : undefined;
}

/** Batches the calls made in one turn of the event loop. */
function batched(rpc: RpcClient): (call: RpcCall) => Promise<RpcReply> {
  let pending: { readonly call: RpcCall; readonly resolve: (reply: RpcReply) => void }[] = [];
  const flush = async () => {
    const batch = pending;
    pending = [];
    const replies = await rpc.requestInParallel(batch.map(({ call }) => call));
    for (const [index, { resolve }] of batch.entries()) resolve(replies[index] ?? { lost: 'no answer' });
  };
  return (call) =>
    new Promise((resolve) => {
      pending.push({ call, resolve });
      if (pending.length === 1) setTimeout(() => void flush(), 0);
    });
}
