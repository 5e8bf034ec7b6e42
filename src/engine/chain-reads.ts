import { isHex } from 'viem';
import type { Hex } from 'viem';
import type { RpcCall, RpcClient, RpcReply } from '../chains/rpc-client.ts';
import { resultOf, toHex } from './chain-head.ts';
import { NotNow } from './order-kind.ts';
import type { CallResult, ChainReads } from './order-kind.ts';
import { logOf, receiptOf } from './receipts.ts';
import { classifyCallError } from './verdicts.ts';

/** What a simulated call may take, so that no contract can have a node work for long. */
const CALL_GAS = 10_000_000n;

/**
 * Reads of a chain at one block; what is asked for in the same turn leaves together.
 * @param blockHash Logs count only from a node that has this block, so that none is missed; absent: one of that number.
 */
export function createChainReads(rpc: RpcClient, blockNumber: number, blockHash?: Hex): ChainReads {
  const at = toHex(blockNumber);
  const ask = inBatches(rpc);
  return {
    blockNumber,
    async call({ from, to, data, gas = CALL_GAS }): Promise<CallResult> {
      const call = { from, to, data, gas: `0x${gas.toString(16)}` };
      const verdict = classifyCallError(await ask({ method: 'eth_call', params: [call, at] }), hexOf);
      if (verdict.kind === 'unknown') throw new NotNow(`The chain does not answer: ${verdict.detail}`);
      return verdict.kind === 'value'
        ? { data: verdict.value }
        : { reverted: true, data: verdict.data, reason: verdict.reason };
    },
    async code(address) {
      const code = hexOf(resultOf(await ask({ method: 'eth_getCode', params: [address, at] })));
      if (code === undefined) throw new NotNow('The chain does not answer');
      return code;
    },
    async logs({ address, topics, fromBlock, toBlock }) {
      const filter = { address, topics, fromBlock: toHex(fromBlock), toBlock: toHex(toBlock) };
      // A node that is behind, or on another branch, answers with the logs that it knows.
      const [reply, block] = await Promise.all([
        ask({ method: 'eth_getLogs', params: [filter] }),
        ask({ method: 'eth_getBlockByNumber', params: [at, false] }),
      ]);
      const [logs, hash] = [resultOf(reply), hashOf(resultOf(block))];
      const isKnown = hash !== undefined && (blockHash === undefined || hash === blockHash);
      if (!isKnown || !Array.isArray(logs)) throw new NotNow('The chain does not answer');
      return logs.map(logOf);
    },
    async receipt(hash) {
      const reply = await ask({ method: 'eth_getTransactionReceipt', params: [hash] });
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

/** Collects what is asked for in one turn of the event loop. */
function inBatches(rpc: RpcClient): (call: RpcCall) => Promise<RpcReply> {
  let open: { readonly call: RpcCall; readonly answer: (reply: RpcReply) => void }[] = [];
  const flush = async () => {
    const asked = open;
    open = [];
    const replies = await rpc.requestAtOnce(asked.map(({ call }) => call));
    for (const [index, { answer }] of asked.entries()) answer(replies[index] ?? { lost: 'no answer' });
  };
  return (call) =>
    new Promise((resolve) => {
      open.push({ call, answer: resolve });
      if (open.length === 1) setTimeout(() => void flush(), 0);
    });
}
