import type { Address, Hex, Log } from 'viem';
import type { ChainReads } from './order-kind.ts';

/** Providers refuse filters over more blocks than they like; this is within the limits of those that we know. */
const BLOCKS_AT_ONCE = 2_000;

/**
 * Logs from a block up to the one that is read, oldest first, asked for in ranges that providers take.
 * @throws {NotNow} when one of them is not answered.
 */
export async function logsSince(
  reads: ChainReads,
  filter: { readonly address: Address; readonly topics: readonly (Hex | null)[] },
  fromBlock: number,
): Promise<readonly Log[]> {
  const starts: number[] = [];
  for (let start = Math.max(0, fromBlock); start <= reads.blockNumber; start += BLOCKS_AT_ONCE) starts.push(start);
  const parts = await Promise.all(
    starts.map((start) =>
      reads.logs({ ...filter, fromBlock: start, toBlock: Math.min(reads.blockNumber, start + BLOCKS_AT_ONCE - 1) }),
    ),
  );
  return parts.flat();
}
