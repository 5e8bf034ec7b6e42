import { HTTPException } from 'hono/http-exception';
import { DomainError, invalidInput } from '../core/domain-error.ts';
import type { FilePart } from '../core/file-part.ts';

/** Room for the boundaries, the headers and the other fields of a form, in bytes. */
const FORM_BYTES = 64 * 1_024;
const HEADER_BYTES = 16 * 1_024;
/** What is read of a form that is refused, so that its sender reads the reply: as much as the platform takes at most. */
const DISCARDED_BYTES = 100 * 1_024 * 1_024;
const CR = 13;

/**
 * Finds the file in a form (multipart/form-data) without holding the form in memory: what comes before it is skipped, the
 * file itself is read by whoever asks for its content.
 * @param field Name of the form's field.
 * @param maxBytes How long the file may be.
 * @throws {HTTPException} 415 when the body says that it is something else.
 * @throws {DomainError} `invalid` when the body is no such form, breaks off, or has no such file; `too-large`.
 */
export async function filePart(request: Request, field: string, maxBytes: number): Promise<FilePart> {
  const contentType = request.headers.get('content-type') ?? '';
  if (!/^multipart\/form-data\s*(;|$)/i.test(contentType))
    throw new HTTPException(415, { message: 'The body must be multipart/form-data' });
  const boundary = boundaryOf(contentType);
  if (boundary === undefined || request.body === null) {
    throw invalidInput([{ path: field, message: 'must be sent as multipart/form-data, with a boundary' }]);
  }
  const tooLarge = () => new DomainError('too-large', `The file is over the limit of ${maxBytes / 1_048_576} MB`);
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes + FORM_BYTES) throw tooLarge();

  const form = new FormReader(request.body, boundary, maxBytes + FORM_BYTES, tooLarge);
  for (let headers = await form.nextPart(); headers !== undefined; headers = await form.nextPart()) {
    if (parameter(headers, 'name') !== field) continue;
    const fileName = parameter(headers, 'filename');
    if (fileName === undefined) throw invalidInput([{ path: field, message: 'must be a file' }]);
    return { fileName, content: limited(form.content(), maxBytes, tooLarge) };
  }
  throw invalidInput([{ path: field, message: 'is required' }]);
}

async function* limited(content: AsyncIterable<Uint8Array>, maxBytes: number, tooLarge: () => Error) {
  let length = 0;
  for await (const bytes of content) {
    length += bytes.length;
    if (length > maxBytes) throw tooLarge();
    yield bytes;
  }
}

/** Reads a form part by part (RFC 7578, RFC 2046): each part is preceded by CRLF, two dashes and the boundary. */
class FormReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #delimiter: Uint8Array;
  readonly #maxBytes: number;
  readonly #tooLarge: () => Error;
  /** What has arrived and was not used yet. The first boundary has no line before it: this is its CRLF. */
  #held = new Uint8Array([13, 10]);
  #length = 0;

  constructor(body: ReadableStream<Uint8Array>, boundary: string, maxBytes: number, tooLarge: () => Error) {
    this.#reader = body.getReader();
    this.#delimiter = new TextEncoder().encode(`\r\n--${boundary}`);
    this.#maxBytes = maxBytes;
    this.#tooLarge = tooLarge;
  }

  /** Skips to the next part. @returns its header lines; undefined at the form's end. */
  async nextPart(): Promise<string | undefined> {
    for await (const _ of this.#until(this.#delimiter));
    while (this.#held.length < 2) await this.#fill();
    if (this.#held[0] === 45 && this.#held[1] === 45) {
      await this.#discard();
      return undefined;
    }
    let headers = '';
    for await (const bytes of this.#until(new TextEncoder().encode('\r\n\r\n'))) {
      headers += new TextDecoder().decode(bytes);
      if (headers.length > HEADER_BYTES) throw invalidInput([{ path: '', message: "A part's headers are too long" }]);
    }
    return headers;
  }

  /** The rest of the part that {@link nextPart} came to. */
  async *content(): AsyncGenerator<Uint8Array> {
    try {
      yield* this.#until(this.#delimiter);
    } finally {
      // Also where the file is refused: many clients read no reply before all that they send is taken.
      await this.#discard();
    }
  }

  /** Yields what comes before the delimiter, and takes the delimiter itself away. */
  async *#until(delimiter: Uint8Array): AsyncGenerator<Uint8Array> {
    for (;;) {
      const at = indexOf(this.#held, delimiter);
      const end = at >= 0 ? at : this.#held.length - delimiter.length + 1;
      if (end > 0) yield this.#held.subarray(0, end);
      if (at >= 0) {
        this.#held = this.#held.subarray(at + delimiter.length);
        return;
      }
      if (end > 0) this.#held = this.#held.subarray(end);
      await this.#fill();
    }
  }

  async #fill(): Promise<void> {
    const bytes = await this.#read();
    if (bytes === undefined) throw invalidInput([{ path: '', message: 'The form breaks off' }]);
    const joined = new Uint8Array(this.#held.length + bytes.length);
    joined.set(this.#held);
    joined.set(bytes, this.#held.length);
    this.#held = joined;
  }

  async #read(): Promise<Uint8Array | undefined> {
    const { value } = await this.#reader.read();
    this.#length += value?.length ?? 0;
    if (this.#length > this.#maxBytes) throw this.#tooLarge();
    return value;
  }

  async #discard(): Promise<void> {
    try {
      let length = 0;
      while (length < DISCARDED_BYTES) {
        const { value } = await this.#reader.read();
        if (value === undefined) return;
        length += value.length;
      }
    } catch {
      // The sender is gone.
    }
  }
}

function indexOf(bytes: Uint8Array, wanted: Uint8Array): number {
  for (let at = bytes.indexOf(CR); at >= 0; at = bytes.indexOf(CR, at + 1)) {
    if (at + wanted.length > bytes.length) return -1;
    if (wanted.every((byte, index) => bytes[at + index] === byte)) return at;
  }
  return -1;
}

function boundaryOf(contentType: string): string | undefined {
  if (!/^multipart\/form-data\s*;/i.test(contentType)) return undefined;
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? [];
  return quoted ?? bare;
}

/** A parameter of a part's Content-Disposition. Browsers write a quote in it as %22, others as \". */
function parameter(headers: string, name: string): string | undefined {
  const line = headers.split('\r\n').find((header) => /^content-disposition\s*:\s*form-data\s*;/i.test(header));
  const [, quoted, bare] = new RegExp(`;\\s*${name}=(?:"((?:\\\\"|[^"])*)"|([^\\s;"]+))`, 'i').exec(line ?? '') ?? [];
  return quoted?.replaceAll(/\\"|%22/g, '"') ?? bare;
}
