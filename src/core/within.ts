/**
 * Waits for a promise, but not for long. The promise may belong to another request: the runtime cancels a request as
 * hung when all it waits for is such a promise, and the timer is its own.
 * @param milliseconds How long.
 * @returns undefined when the promise has not been fulfilled in time.
 * @throws what the promise was rejected with in time.
 */
export async function within<Result>(
  milliseconds: number,
  promise: Promise<Result>,
): Promise<{ readonly result: Result } | undefined> {
  const timer = new AbortController();
  const timeout = scheduler.wait(milliseconds, { signal: timer.signal }).then(nothing, nothing);
  try {
    return await Promise.race([promise.then((result) => ({ result })), timeout]);
  } finally {
    timer.abort();
  }
}

function nothing(): undefined {}
