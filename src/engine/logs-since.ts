import type { Address, Hex, Log } from 'viem';
import type { ChainReads } from './order-kind.ts';

/** The block range of one filter, within the limits of the known providers. */
const MAX_BLOCK_RANGE = 2_000;

/**
 * Logs from a block up to the block that `reads` is pinned to, oldest first, fetched in ranges that providers accept.
 * @throws {NotNow} if a range gets no answer.
 */
export async function logsSince(
  reads: ChainReads,
  filter: { readonly address: Address; readonly topics: readonly (Hex | null)[] },
  fromBlock: number,
): Promise<readonly Log[]> {
  const starts: number[] = [];
  for (let start = Math.max(0, fromBlock); start <= reads.blockNumber; start += MAX_BLOCK_RANGE) starts.push(start);
  const parts = await Promise.all(
    starts.map((start) =>
      reads.logs({ ...filter, fromBlock: start, toBlock: Math.min(reads.blockNumber, start + MAX_BLOCK_RANGE - 1) }),
    ),
  );
  return parts.flat();
}
