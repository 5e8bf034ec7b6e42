import { DomainError } from '../core/domain-error.ts';
import { fromCaller } from './from-caller.ts';

/** The most bytes of a rejected body that are read and discarded: the platform's limit. */
const DISCARDED_BYTES = 100 * 1_024 * 1_024;

/**
 * Handles a body as it arrives. What is left of it when it is rejected is read and discarded.
 * @param handle Its bytes throw a {@link DomainError}: `invalid` when the caller hangs up; `too-large`.
 */
export async function withBody<Result>(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  handle: (bytes: AsyncIterable<Uint8Array>) => Promise<Result>,
): Promise<Result> {
  const reader = body?.getReader();
  try {
    return await handle(bytesOf(reader, maxBytes));
  } catch (error) {
    if (reader !== undefined) await discard(reader);
    throw error;
  }
}

async function* bytesOf(
  reader: ReadableStreamDefaultReader<Uint8Array> | undefined,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  if (reader === undefined) return;
  let length = 0;
  for (;;) {
    const { value } = await fromCaller(reader.read());
    if (value === undefined) return;
    length += value.length;
    if (length > maxBytes)
      throw new DomainError('too_large', `The body is over the limit of ${maxBytes / 1_048_576} MB`);
    yield value;
  }
}

/**
 * Reads what is left of a body that is rejected: many clients do not read the reply until their whole request is
 * consumed.
 */
export async function discard(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  try {
    let length = 0;
    while (length < DISCARDED_BYTES) {
      const { value } = await reader.read();
      if (value === undefined) return;
      length += value.length;
    }
  } catch {
    // The client has disconnected.
  }
}
