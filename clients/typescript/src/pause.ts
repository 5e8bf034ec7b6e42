/**
 * Waits.
 * @param ms Milliseconds.
 * @param signal Ends the wait.
 * @throws the reason of the signal.
 */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- whatever the caller has aborted with
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, ms);
    signal?.addEventListener('abort', end, { once: true });
  });
}

/** A duration from half of it to all of it, so that many who wait do not come back together. */
export function jittered(ms: number): number {
  return ms * (1 + Math.random()) * 0.5;
}

/** How long to wait before what goes on is read for the second time, in milliseconds. */
export const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 10_000;
const GROWTH = 1.5;

/** How long to wait before it is read once more. @param ms The wait before. */
export function longerWait(ms: number): number {
  return Math.min(ms * GROWTH, LONGEST_WAIT_MS);
}
