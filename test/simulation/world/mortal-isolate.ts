import type { Isolate } from './isolate.ts';

/**
 * An isolate without a Worker in it, which a test ends.
 * @param program What the isolate runs.
 */
export function mortalIsolate(program: object): Isolate & { die(): void } {
  const mourners: (() => void)[] = [];
  const isolate = {
    name: 'mortal',
    isAlive: true,
    pausedUntil: 0,
    env: {},
    whenDead: (act: () => void) => mourners.push(act),
    die: () => {
      isolate.isAlive = false;
      for (const act of mourners) act();
    },
    ...program,
  };
  return isolate as unknown as Isolate & { die(): void };
}
