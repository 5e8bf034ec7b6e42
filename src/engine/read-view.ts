import type { View } from '../chains/views.ts';
import type { ChainReads } from './order-kind.ts';

/**
 * Asks a contract that may not be what it is taken for.
 * @param gas The most that the call may take; absent: what any view needs.
 * @returns undefined where it reverts, or its answer has another form.
 * @throws {NotNow} when the chain does not answer.
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
