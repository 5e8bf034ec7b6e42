import { describe, expect, it } from 'vitest';
import { DomainError } from '../core/domain-error.ts';
import { filePart } from './multipart.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const form = (name: string) =>
  `--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\nabc\r\n--b--\r\n`;

/** The name of the file in a form that arrives in parts of this many bytes. */
async function nameOf(body: Uint8Array, size: number): Promise<string> {
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
  return (await filePart(request, 'file', 1_000, (all) => all)).fileName;
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
