import { describe, expect, it } from 'vitest';
import { DomainError } from '../core/domain-error.ts';
import type { FilePart } from '../core/file-part.ts';
import { filePart } from './multipart.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const form = (name: string) =>
  `--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\nabc\r\n--b--\r\n`;

const field = (length: number) => `--b\r\nContent-Disposition: form-data; name="note"\r\n\r\n${'x'.repeat(length)}\r\n`;
const after = (rest: string) => form('a.png').replace('--b--\r\n', rest);

/** The file of a form that arrives in parts of this many bytes. */
async function fileOf(body: Uint8Array, size: number): Promise<FilePart> {
  const stream = new ReadableStream({
    start(controller) {
      for (let at = 0; at < body.length; at += size) controller.enqueue(body.slice(at, at + size));
      controller.close();
    },
  });
  const request = new Request('http://service.test/', {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
    body: stream,
  });
  return await filePart(request, 'file', 1_000_000, (all) => all);
}

const nameOf = async (body: Uint8Array, size: number) => (await fileOf(body, size)).fileName;

async function contentOf(text: string): Promise<string> {
  const decoder = new TextDecoder();
  let content = '';
  for await (const bytes of (await fileOf(bytesOf(text), 10_000)).content) content += decoder.decode(bytes);
  return content;
}

describe('the name of an uploaded file', () => {
  it('is the same however the bytes of its characters are split', async () => {
    for (const size of [1, 2, 3, 5, 100]) expect(await nameOf(bytesOf(form('표-😀.png')), size)).toBe('표-😀.png');
  });

  it('is refused if it is not valid UTF-8, and not stored as another', async () => {
    const body = bytesOf(form('x.png'));
    const at = body.indexOf('x'.charCodeAt(0), 60);
    body[at] = 0xff;
    await expect(nameOf(body, 100)).rejects.toThrow(DomainError);
  });
});

describe('what a form has beside its file', () => {
  it('may be 64 KB', async () => {
    expect(await contentOf(`${'x'.repeat(60_000)}\r\n${form('a.png')}`)).toBe('abc');
    expect(await contentOf(form('a.png') + 'x'.repeat(60_000))).toBe('abc');
  });

  it.each([
    ['in a field before it', field(70_000) + form('a.png')],
    ['in fields before it', field(1_000).repeat(70) + form('a.png')],
    ['in parts with nothing in them', `${'--b\r\n\r\n\r\n\r\n'.repeat(7_000)}${form('a.png')}`],
    ['before the first boundary', `${'x'.repeat(70_000)}\r\n${form('a.png')}`],
    ['in a field after it', after(`${field(70_000)}--b--\r\n`)],
    ['after the last boundary', form('a.png') + '\r\n'.repeat(35_000)],
    ['half before and half after it', `${'x'.repeat(35_000)}\r\n${after(`${field(35_000)}--b--\r\n`)}`],
  ])('is too large if it is more, %s', async (_, text) => {
    await expect(contentOf(text)).rejects.toMatchObject({ kind: 'too-large' });
  });

  it.each([
    ['a field before it', field(3) + form('a.png'), ['note', 'Unknown field note']],
    ['a field after it', after(`${field(3)}--b--\r\n`), ['note', 'Unknown field note']],
    ['another file', after(form('b.png')), ['file', 'can only be given once']],
  ])('is refused if it is %s', async (_, text, [path, message]) => {
    const error: unknown = await contentOf(text).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ kind: 'invalid', issues: [{ path, message }] });
  });
});

describe('a form without the file', () => {
  it('is refused, and its fields are named with the one that was meant', async () => {
    const misspelt = form('a.png').replace('name="file"', 'name="flie"');
    const error: unknown = await fileOf(bytesOf(`${field(3)}${misspelt}`), 100).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(DomainError);
    expect(error).toMatchObject({
      issues: [
        { path: 'file', message: 'is required', code: 'required' },
        { path: 'note', message: 'Unknown field note', code: 'unknown_field' },
        { path: 'flie', message: 'Unknown field flie; did you mean file?', code: 'unknown_field' },
      ],
    });
  });
});
