import type { View } from '../chains/views.ts';
import type { ChainReads } from './order-kind.ts';

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
