import { describe, expect, it } from 'vitest';
import { pacedReader } from './body-pace.ts';

/** A body that arrives in parts, each after so many seconds. */
function arriving(parts: readonly (readonly [seconds: number, bytes: number])[]) {
  let at = 0;
  const left = [...parts];
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const [seconds, bytes] = left.shift() ?? [0, 0];
        if (bytes === 0) return controller.close();
        at += seconds * 1_000;
        return controller.enqueue(new Uint8Array(bytes));
      },
    },
    { highWaterMark: 0 },
  );
  return { body, now: () => at };
}

/** How many bytes are read of a body until it ends, or is too slow. */
async function read({ body, now }: ReturnType<typeof arriving>): Promise<readonly [number, unknown]> {
  const reader = pacedReader(body, now);
  let bytes = 0;
  try {
    for (let part = await reader.read(); part !== undefined; part = await reader.read()) bytes += part.length;
    return [bytes, undefined];
  } catch (error) {
    return [bytes, error];
  }
}

const times = (count: number, part: readonly [number, number]) => Array.from({ length: count }, () => part);

describe('a body', () => {
  it('of 20 MB may arrive at 4 KB a second', async () => {
    expect(await read(arriving(times(20 * 256, [1, 4_096])))).toEqual([20 * 1_048_576, undefined]);
  });

  it('may stop for a while, again and again', async () => {
    const parts = times(50, [9, 65_536]);
    expect(await read(arriving(parts))).toEqual([50 * 65_536, undefined]);
  });

  it('of which a byte arrives now and then is cut off', async () => {
    const [bytes, error] = await read(arriving(times(60, [1, 1])));
    expect(bytes).toBeLessThan(12);
    expect(error).toMatchObject({ kind: 'too-slow' });
  });

  it('that arrived fast is cut off all the same once it is slow', async () => {
    const [bytes, error] = await read(arriving([[0, 10 * 1_048_576], ...times(60, [1, 1])]));
    expect(bytes).toBeLessThan(10 * 1_048_576 + 12);
    expect(error).toMatchObject({ kind: 'too-slow' });
  });
});
