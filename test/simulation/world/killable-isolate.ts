import type { Isolate } from './isolate.ts';

/**
 * An isolate without a Worker, which a test can kill.
 * @param program What the isolate runs.
 */
export function killableIsolate(program: object): Isolate & { die(): void } {
  const endListeners: (() => void)[] = [];
  const isolate = {
    name: 'killable',
    isAlive: true,
    pausedUntil: 0,
    clockMs: 0,
    env: {},
    whenDead: (act: () => void) => endListeners.push(act),
    die: () => {
      isolate.isAlive = false;
      for (const act of endListeners) act();
    },
    ...program,
  };
  return isolate as unknown as Isolate & { die(): void };
}
