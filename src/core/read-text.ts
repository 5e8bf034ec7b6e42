/** A body is longer than its reader accepts. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';
}

/**
 * Reads a response body as UTF-8 text, at most `maxBytes` of it.
 * @throws {BodyTooLargeError} when the body is longer; the rest is not read.
 */
export async function readText(reply: Response, maxBytes: number): Promise<string> {
  if (reply.body === null) return '';
  const tooLarge = () => new BodyTooLargeError(`The body has more than ${maxBytes} bytes`);
  const decoder = new TextDecoder();
  let text = '';
  let length = 0;
  // Leaving the loop early cancels the body.
  for await (const bytes of reply.body) {
    length += bytes.byteLength;
    if (length > maxBytes) throw tooLarge();
    text += decoder.decode(bytes, { stream: true });
  }
  return text + decoder.decode();
}
