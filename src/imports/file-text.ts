import { DomainError } from '../core/domain-error.ts';

/** The fewest characters of a piece but the last: a row that spans pieces is looked at again with each of them. */
const PIECE_LENGTH = 128 * 1_024;

/**
 * The text of a file in UTF-8, with a byte order mark or without, in pieces.
 * @throws {DomainError} `invalid` for another encoding.
 */
export async function* textOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });
  let head = new Uint8Array();
  let piece = '';
  for await (const part of bytes) {
    if (head.length < 2) {
      head = Uint8Array.of(...head, ...part.subarray(0, 2));
      if (isUtf16(head)) throw notUtf8('UTF-16');
    }
    piece += decode(decoder, part);
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = '';
  }
  yield piece + decode(decoder);
}

function decode(decoder: TextDecoder, part?: Uint8Array): string {
  try {
    return part === undefined ? decoder.decode() : decoder.decode(part, { stream: true });
  } catch {
    throw notUtf8('not valid UTF-8');
  }
}

function isUtf16([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}

function notUtf8(what: string): DomainError {
  return new DomainError('malformed_body', `The file is ${what}: save it as UTF-8, in a spreadsheet as "CSV UTF-8"`);
}
