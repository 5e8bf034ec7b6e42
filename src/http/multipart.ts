import { HTTPException } from 'hono/http-exception';
import { DomainError, type InputIssue, invalidInput, listedIssues } from '../core/domain-error.ts';
import type { FilePart } from '../core/file-part.ts';
import { unknownName } from '../core/validation-messages.ts';
import { type PacedReader, pacedReader } from './body-pace.ts';
import { discard, fromCaller } from './request-body.ts';

/**
 * The most bytes of a form beside the file: boundaries, headers, other fields, and what precedes and follows them all.
 */
const FORM_BYTES = 64 * 1_024;
const HEADER_BYTES = 16 * 1_024;
const CR = 13;

/**
 * Finds the only part of a multipart/form-data body, a file, without buffering the body. The file itself is read when
 * its content is iterated, and what follows it is refused then.
 * @param field Name of the form field.
 * @param maxBytes The largest file accepted.
 * @param through What the body passes through when it is read; a body that is refused by its headers is not.
 * @throws {HTTPException} 415 when the Content-Type is not multipart/form-data.
 * @throws {DomainError} `invalid` when the form is malformed, ends early, lacks the file or has other fields, or the
 *   caller hangs up; `too-large`; `too-slow`.
 */
export async function filePart(
  request: Request,
  field: string,
  maxBytes: number,
  through: (body: ReadableStream<Uint8Array>) => ReadableStream<Uint8Array>,
): Promise<FilePart> {
  const contentType = request.headers.get('content-type') ?? '';
  if (!/^multipart\/form-data\s*(;|$)/i.test(contentType)) {
    throw new HTTPException(415, { message: 'The body must be multipart/form-data' });
  }
  const boundary = boundaryOf(contentType);
  if (boundary === undefined || request.body === null) {
    throw invalidInput([{ path: field, message: 'must be sent as multipart/form-data, with a boundary' }]);
  }
  const tooLarge = () => new DomainError('too_large', `The file exceeds the limit of ${maxBytes / 1_048_576} MB`);
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes + FORM_BYTES) throw tooLarge();

  const form = new FormReader(through(request.body), boundary);
  try {
    const fileName = await findFile(form, field);
    return { fileName, content: limited(onlyFile(form, field), maxBytes, tooLarge) };
  } catch (error) {
    await form.discard();
    throw error;
  }
}

/**
 * Skips to the content of the file.
 * @returns its name.
 * @throws {DomainError} `invalid`, with the other fields that there are.
 */
async function findFile(form: FormReader, field: string): Promise<string> {
  const others: string[] = [];
  for (let headers = await form.nextPart(); headers !== undefined; headers = await form.nextPart()) {
    const name = nameOf(headers);
    if (name !== field) {
      others.push(name);
      continue;
    }
    refuseOthers(others, field);
    const fileName = parameter(headers, 'filename');
    if (fileName === undefined) throw invalidInput([{ path: field, message: 'must be a file' }]);
    return fileName;
  }
  const unknown = others.map((name) => unknownName(name, [field], 'field'));
  throw invalidInput(listedIssues<InputIssue>([{ path: field, message: 'is required', code: 'required' }, ...unknown]));
}

/**
 * The content of the file that {@link findFile} has found.
 * @throws {DomainError} at its end, `invalid` with the fields after it.
 */
async function* onlyFile(form: FormReader, field: string): AsyncGenerator<Uint8Array> {
  try {
    yield* form.content();
    const others: string[] = [];
    for (let headers = await form.nextPart(); headers !== undefined; headers = await form.nextPart()) {
      others.push(nameOf(headers));
    }
    refuseOthers(others, field);
    await form.end();
  } finally {
    await form.discard();
  }
}

/** A caller who sends another field expects it to have an effect. */
function refuseOthers(names: readonly string[], field: string): void {
  if (names.length === 0) return;
  const issues = names.map((name) =>
    name === field
      ? { path: field, message: 'can only be given once', code: 'not_allowed' as const }
      : unknownName(name, [field], 'field'),
  );
  throw invalidInput(listedIssues<InputIssue>(issues));
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
  readonly #reader: PacedReader;
  readonly #delimiter: Uint8Array;
  /** Bytes received and not yet consumed. Starts with the CRLF that the first boundary lacks. */
  #buffer = new Uint8Array([13, 10]);
  /** How many bytes that are not the file's were consumed. */
  #beside = 0;

  constructor(body: ReadableStream<Uint8Array>, boundary: string) {
    this.#reader = pacedReader(body);
    this.#delimiter = new TextEncoder().encode(`\r\n--${boundary}`);
  }

  /** Skips to the next part. @returns its headers; undefined at the end of the form. */
  async nextPart(): Promise<string | undefined> {
    for await (const _ of this.#besideUntil(this.#delimiter));
    while (this.#buffer.length < 2) await this.#fill();
    if (this.#buffer[0] === 45 && this.#buffer[1] === 45) return undefined;
    const headers: number[] = [];
    for await (const bytes of this.#besideUntil(new TextEncoder().encode('\r\n\r\n'))) {
      if (headers.length + bytes.length > HEADER_BYTES) {
        throw invalidInput([{ path: '', message: "A part's headers are too long" }]);
      }
      headers.push(...bytes);
    }
    return utf8(headers);
  }

  /** The content of the part that {@link nextPart} found. */
  async *content(): AsyncGenerator<Uint8Array> {
    yield* this.#until(this.#delimiter);
    // As before the first part.
    this.#buffer = joined(this.#delimiter, this.#buffer);
  }

  /** Reads what follows the last part. */
  async end(): Promise<void> {
    this.#countBeside(this.#buffer.length);
    for (let bytes = await this.#read(); bytes !== undefined; bytes = await this.#read()) {
      this.#countBeside(bytes.length);
    }
  }

  /** Reads what is left, when the form is rejected. */
  async discard(): Promise<void> {
    await discard(this.#reader);
  }

  /** As {@link #until}, for bytes that are not the file's. */
  async *#besideUntil(delimiter: Uint8Array): AsyncGenerator<Uint8Array> {
    for await (const bytes of this.#until(delimiter)) {
      this.#countBeside(bytes.length);
      yield bytes;
    }
    this.#countBeside(delimiter.length);
  }

  #countBeside(bytes: number): void {
    this.#beside += bytes;
    if (this.#beside <= FORM_BYTES) return;
    throw new DomainError('too_large', `The form has more than ${FORM_BYTES / 1_024} KB besides its file`);
  }

  /** Yields the bytes before the delimiter, and consumes the delimiter. */
  async *#until(delimiter: Uint8Array): AsyncGenerator<Uint8Array> {
    for (;;) {
      const at = indexOf(this.#buffer, delimiter);
      const end = at >= 0 ? at : this.#buffer.length - delimiter.length + 1;
      if (end > 0) yield this.#buffer.subarray(0, end);
      if (at >= 0) {
        this.#buffer = this.#buffer.subarray(at + delimiter.length);
        return;
      }
      if (end > 0) this.#buffer = this.#buffer.subarray(end);
      await this.#fill();
    }
  }

  async #fill(): Promise<void> {
    const bytes = await this.#read();
    if (bytes === undefined) throw invalidInput([{ path: '', message: 'The form ends early' }]);
    this.#buffer = joined(this.#buffer, bytes);
  }

  async #read(): Promise<Uint8Array | undefined> {
    return await fromCaller(this.#reader.read());
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}

/** Replacing invalid bytes would store another file name than the caller's. */
function utf8(bytes: readonly number[]): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
  } catch {
    throw invalidInput([{ path: '', message: "A part's headers are not valid UTF-8" }]);
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

function nameOf(headers: string): string {
  return parameter(headers, 'name') ?? '';
}

/** A parameter of a part's Content-Disposition. Browsers escape a quote as %22, other clients as \". */
function parameter(headers: string, name: string): string | undefined {
  const line = headers.split('\r\n').find((header) => /^content-disposition\s*:\s*form-data\s*;/i.test(header));
  const [, quoted, bare] = new RegExp(`;\\s*${name}=(?:"((?:\\\\"|[^"])*)"|([^\\s;"]+))`, 'i').exec(line ?? '') ?? [];
  return quoted?.replaceAll(/\\"|%22/g, '"') ?? bare;
}
