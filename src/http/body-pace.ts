import { DomainError } from '../core/domain-error.ts';
import { within } from '../core/within.ts';

/** How long a caller may send nothing, in milliseconds. */
const STALL_MS = 10_000;
/** The slowest that a body may arrive, in bytes a millisecond: that of a poor mobile connection. */
const BYTES_PER_MS = 4;

/** Waits for what a caller sends. @throws {DomainError} `too-slow` if it is not there in time. */
async function arrivedIn<Result>(milliseconds: number, arrival: Promise<Result>): Promise<Result> {
  const arrived = await within(milliseconds, arrival);
  if (arrived === undefined) throw tooSlow();
  return arrived.result;
}

function tooSlow(): DomainError {
  return new DomainError('body_too_slow', `The body arrives too slowly: send at least ${BYTES_PER_MS} KB a second`);
}

/** Reads a body while it arrives fast enough. */
export interface PacedReader {
  /**
   * @returns the next bytes; undefined at the end.
   * @throws {DomainError} `too-slow`; whatever else reading throws.
   */
  read(): Promise<Uint8Array | undefined>;
}

/**
 * Only the time counts that is spent waiting for the caller, not what the service needs for what has arrived; and what
 * arrived fast earns no longer a pause later.
 * @param now Milliseconds.
 */
export function pacedReader(body: ReadableStream<Uint8Array>, now: () => number = Date.now): PacedReader {
  const reader = body.getReader();
  let patience = STALL_MS;
  return {
    async read() {
      const begun = now();
      const { value } = await arrivedIn(patience, reader.read());
      if (value === undefined) return undefined;
      patience = Math.min(STALL_MS, patience - (now() - begun) + value.length / BYTES_PER_MS);
      if (patience <= 0) throw tooSlow();
      return value;
    },
  };
}

/**
 * A body that fails with `too-slow` once it does not arrive fast enough. The runtime discards a body that nobody has
 * begun to read, and drops the connection of one that is left in the middle: so it is begun with the first read.
 */
export function pacedBody(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  let reader: PacedReader | undefined;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        reader ??= pacedReader(body);
        const bytes = await reader.read();
        if (bytes === undefined) controller.close();
        else controller.enqueue(bytes);
      },
    },
    { highWaterMark: 0 },
  );
}
