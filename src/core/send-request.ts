/** A request with a deadline for the whole exchange, the body of the response included. */
export interface BoundedRequest extends Omit<RequestInit, 'redirect' | 'signal'> {
  readonly signal: AbortSignal;
}

/**
 * Sends a request. Redirects are not followed: whoever answers could otherwise choose who gets our keys and what we
 * fetch, and a target that was checked would not be the one that is reached. A redirect is a response that is not `ok`.
 * @throws {Error} as `fetch`; `TimeoutError` if the signal is a timeout.
 */
export async function sendRequest(url: string | URL, request: BoundedRequest): Promise<Response> {
  // oxlint-disable-next-line eslint/no-restricted-globals -- the one place
  return await fetch(url, { ...request, redirect: 'manual' });
}

/** How many characters of a body that is too long are kept. */
const START_LENGTH = 500;

/** A body is longer than its reader accepts. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';
  /** The first characters of the body. */
  readonly start: string;

  /** @param limit Such as `100 bytes`. */
  constructor(limit: string, body: string) {
    super(`The body has more than ${limit}`);
    this.start = body.slice(0, START_LENGTH);
  }
}

/**
 * Reads a response body as UTF-8 text, at most `maxBytes` of it.
 * @throws {BodyTooLargeError} when the body is longer; the rest is not read.
 */
export async function readText(reply: Response, maxBytes: number): Promise<string> {
  if (reply.body === null) return '';
  const decoder = new TextDecoder();
  let text = '';
  let length = 0;
  // Leaving the loop early cancels the body.
  for await (const bytes of reply.body) {
    length += bytes.byteLength;
    text += decoder.decode(bytes, { stream: true });
    if (length > maxBytes) throw new BodyTooLargeError(`${maxBytes} bytes`, text);
  }
  return text + decoder.decode();
}

/**
 * What each value of a JSON text counts for, in bytes. Parsed, empty lists and objects take many times the memory of
 * their text: up to some 90 bytes each.
 */
const VALUE_BYTES = 40;

/**
 * Reads a response body that is going to be parsed as JSON.
 * @throws {BodyTooLargeError} if it has more than `maxBytes`, or more than one value for each 40 of them.
 */
export async function readJsonText(reply: Response, maxBytes: number): Promise<string> {
  const text = await readText(reply, maxBytes);
  if (jsonSize(text) > maxBytes) throw new BodyTooLargeError(`${maxBytes / VALUE_BYTES} values`, text);
  return text;
}

/**
 * How much a JSON text counts for, in bytes: its length, or that of its values if they are short. Each value, but for
 * the first, follows a comma or the start of a list or an object; those in strings count too.
 */
export function jsonSize(text: string): number {
  let values = 1;
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index];
    if (char === ',' || char === '[' || char === '{') values += 1;
  }
  return Math.max(text.length, values * VALUE_BYTES);
}
