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
