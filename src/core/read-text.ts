/** A reply that has more bytes than its reader takes. */
export class ReplyTooLargeError extends Error {
  override readonly name = 'ReplyTooLargeError';
}

/**
 * Reads a reply's body as UTF-8 text without ever holding more than `maxBytes` of it; the rest is not read.
 * @throws {ReplyTooLargeError} where there is more.
 */
export async function readText(reply: Response, maxBytes: number): Promise<string> {
  if (reply.body === null) return '';
  const tooLarge = () => new ReplyTooLargeError(`The reply has more than ${maxBytes} bytes`);
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
