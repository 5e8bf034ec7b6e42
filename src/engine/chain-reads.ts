import { isHex } from 'viem';
import type { Hex } from 'viem';
import type { RpcCall, RpcClient, RpcReply } from '../chains/rpc-client.ts';
import { resultOf, toHex } from './chain-head.ts';
import type { ChainHead } from './chain-head.ts';
import type { LaneChain } from './lane-context.ts';
import { NotNow } from './order-kind.ts';
import type { CallResult, ChainReads } from './order-kind.ts';
import { logOf, receiptOf } from './receipts.ts';
import { classifyCallReply } from './rpc-outcomes.ts';

/** Gas limit of a simulated call, so that no contract can keep a node busy. */
const CALL_GAS = 10_000_000n;

/**
 * The block parameter of calls and estimates (EIP-1898). A node on another branch, or one that lags, answers a hash with an error, where it
 * would answer a number with the state of its own block. Chains without branches, whose finality is 1, are asked by number.
 */
export function blockParameter(
  { finality }: Pick<LaneChain, 'finality'>,
  { number, hash }: Block,
): Hex | { readonly blockHash: Hex; readonly requireCanonical: true } {
  return finality === 1 ? toHex(number) : { blockHash: hash, requireCanonical: true };
}

/** A block of the branch that the engine follows. */
type Block = Pick<ChainHead, 'number' | 'hash'>;

/**
 * Reads a chain at one block. Reads started in the same turn of the event loop are batched. Logs count only from a node that has this block.
 */
export function createChainReads(chain: Pick<LaneChain, 'rpc' | 'finality'>, block: Block): ChainReads {
  const at = blockParameter(chain, block);
  const request = batched(chain.rpc);
  return {
    blockNumber: block.number,
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
      const [reply, top] = await Promise.all([
        request({ method: 'eth_getLogs', params: [filter] }),
        request({ method: 'eth_getBlockByNumber', params: [toHex(block.number), false] }),
      ]);
      const logs = resultOf(reply);
      if (hashOf(resultOf(top)) !== block.hash || !Array.isArray(logs)) throw new NotNow('The chain does not answer');
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
