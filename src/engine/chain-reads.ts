import type { Address, Hex, Log } from 'viem';
import { MAX_SPEED } from '../chains/definition.ts';
import { batched } from '../chains/rpc-transport.ts';
import { classifyCallReply } from '../chains/rpc-error.ts';
import { headerOf, logsOf, receiptOf, resultOf, toData, toHex, type Receipt } from '../chains/rpc-values.ts';
import type { ChainHead } from './chain-head.ts';
import type { LaneChain } from './lane-context.ts';
import { logsOfMost, repliesOfMost } from './majority.ts';
import { NotNow, type CallResult, type ChainReads, type KindContext } from './order-kind.ts';
import type { View } from '../chains/view.ts';

/** Gas limit of a simulated call, so that no contract can keep a node busy. */
const CALL_GAS = 10_000_000n;

/**
 * The block parameter of calls and estimates (EIP-1898). A node on another branch, or one that lags, answers a hash
 * with an error, where it would answer a number with the state of its own block. Chains without branches, whose
 * finality is 1, are asked by number.
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
 * Reads a chain at one block. Reads started in the same turn of the event loop are batched. Logs count only from a node
 * that has this block.
 */
export function createChainReads(chain: Pick<LaneChain, 'rpc' | 'finality'>, block: Block): ChainReads {
  const at = blockParameter(chain, block);
  const request = batched((calls) => repliesOfMost(chain.rpc, calls));
  return {
    blockNumber: block.number,
    async call({ from, to, data, gas = CALL_GAS }): Promise<CallResult> {
      const call = { from, to, data, gas: `0x${gas.toString(16)}` };
      const outcome = classifyCallReply(await request({ method: 'eth_call', params: [call, at] }), toData);
      if (outcome.kind === 'unknown') throw new NotNow(`The chain does not answer: ${outcome.detail}`);
      return outcome.kind === 'value'
        ? { data: outcome.value }
        : { reverted: true, data: outcome.data, reason: outcome.reason };
    },
    async code(address) {
      const code = toData(resultOf(await request({ method: 'eth_getCode', params: [address, at] })));
      if (code === undefined) throw new NotNow('The chain does not answer');
      return code;
    },
    async logs({ address, topics, fromBlock, toBlock }) {
      const filter = { address, topics, fromBlock: toHex(fromBlock), toBlock: toHex(toBlock) };
      const replies = await chain.rpc.requestOfEach([
        [
          { method: 'eth_getLogs', params: [filter] },
          { method: 'eth_getBlockByNumber', params: [toHex(block.number), false] },
        ],
      ]);
      const lists = replies.flatMap(([reply, top]) => {
        const logs = logsOf(resultOf(reply));
        return headerOf(top)?.hash === block.hash && logs !== undefined ? [logs] : [];
      });
      const logs = lists.length === 0 ? undefined : logsOfMost(chain, lists, replies.length);
      // A node that refuses the range may have a vote in a shorter one.
      if (logs === undefined && !replies.some(([reply]) => reply !== undefined && 'error' in reply)) {
        throw new NotNow('The chain does not answer');
      }
      return logs;
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

/** The block range of one filter, within the limits of most providers; it is halved where one has a lower limit. */
const MAX_BLOCK_RANGE = 2_000;
/** Nodes limit how much they are asked at once. */
const RANGES_AT_A_TIME = 8;

/**
 * Logs from a block up to the block that `reads` is pinned to, oldest first, fetched in ranges that providers accept.
 * @returns undefined if nodes refuse even those of single blocks.
 * @throws {NotNow} if a range gets no answer.
 */
export async function logsSince(
  reads: ChainReads,
  filter: { readonly address: Address; readonly topics: readonly (Hex | null)[] },
  fromBlock: number,
): Promise<readonly Log[] | undefined> {
  const logs: Log[] = [];
  let length = MAX_BLOCK_RANGE;
  for (let from = Math.max(0, fromBlock); from <= reads.blockNumber;) {
    const starts = Array.from({ length: RANGES_AT_A_TIME }, (_, index) => from + index * length);
    const parts = await Promise.all(
      starts
        .filter((start) => start <= reads.blockNumber)
        .map((start) =>
          reads.logs({ ...filter, fromBlock: start, toBlock: Math.min(reads.blockNumber, start + length - 1) }),
        ),
    );
    const refused = parts.indexOf(undefined);
    const read = refused === -1 ? parts.length : refused;
    logs.push(...parts.slice(0, read).flatMap((part) => part ?? []));
    from += read * length;
    if (refused === -1) continue;
    if (length === 1) return undefined;
    length = Math.floor(length / 2);
  }
  return logs;
}

/**
 * The receipt of the transaction that wrote a log. It counts only if it is of the log's block: behind one URL another
 * node may answer, which has the transaction in a block of another branch, where it did something else.
 * @throws {NotNow}
 */
export async function receiptOfLog(reads: ChainReads, { transactionHash, blockHash }: Log): Promise<Receipt> {
  const receipt = transactionHash === null ? undefined : await reads.receipt(transactionHash);
  if (receipt?.status !== 'success' || receipt.blockHash !== blockHash) {
    throw new NotNow('The node returns a log but not the receipt of its transaction');
  }
  return receipt;
}

/** The most blocks that a chain can have added since a time. Unlike a stored height, it is not a node's word. */
export function mostBlocksSince(
  { clock, blockTimeMs }: Pick<KindContext, 'clock' | 'blockTimeMs'>,
  time: Date,
): number {
  return Math.ceil((MAX_SPEED * (clock.now() - time.getTime())) / blockTimeMs);
}

/**
 * Calls a view of a contract that may not implement it.
 * @param gas The call's gas limit; by default enough for any view.
 * @returns undefined if the call reverts or its result does not decode.
 * @throws {NotNow} if the chain does not answer.
 */
export async function readView<Value>(
  reads: ChainReads,
  { from, to, data, read }: View<Value>,
  gas?: bigint,
): Promise<Value | undefined> {
  const result = await reads.call({
    ...(from === undefined ? {} : { from }),
    to,
    data,
    ...(gas === undefined ? {} : { gas }),
  });
  if ('reverted' in result) return undefined;
  try {
    return read(result.data);
  } catch {
    return undefined;
  }
}
