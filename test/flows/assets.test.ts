import { Client as Postgres } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  digest,
  fetchBack,
  folderOf,
  headersOf,
  MEGABYTE,
  objectsIn,
  PNG,
  pngOf,
  recordsOf,
  uploadAs,
} from '../fixtures/assets.ts';
import { call, newClient, stack, type Client } from '../fixtures/client.ts';
import { setFaults } from '../fixtures/fault-proxy.ts';
/** The media type of the forms that {@link part} and {@link end} make. */
const FORM = 'multipart/form-data; boundary=b';
let client: Client;
let database: Postgres;

beforeAll(async () => {
  client = await newClient();
  database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
  await database.connect();
});
afterEach(() => setFaults(stack.proxies.objects, [], 'assets'));
afterAll(() => database.end());

const headers = () => headersOf(client);
const upload = (content: Buffer, name?: string, type?: string) => uploadAs(client, content, name, type);
const records = () => recordsOf(client, database);

/** Sends a raw body. */
function uploadRaw(body: string | ReadableStream, contentType: string) {
  const init = { method: 'POST', headers: { ...headers(), 'content-type': contentType }, body };
  return call('/assets/upload', typeof body === 'string' ? init : { ...init, duplex: 'half' });
}

describe('POST /assets/upload', () => {
  it('stores a public file and its record', async () => {
    const { status, body } = await upload(PNG);
    expect(status).toBe(201);
    expect(body).toEqual({
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
      original_file_name: 'picture.png',
      s3_key: expect.stringMatching(new RegExp(`^[0-9a-f]{16}/${body._id}\\.png$`)),
      url: `${stack.settings['ASSET_BASE_URL']}/${body.s3_key}`,
      mime_type: 'image/png',
    });
    const { bytes, headers: served } = await fetchBack(body.url);
    expect(digest(bytes)).toBe(digest(PNG));
    expect(served.get('content-type')).toBe('image/png');
    expect((await records()).at(-1)).toMatchObject({
      id: body._id,
      s3_key: body.s3_key,
      url: body.url,
      mime_type: 'image/png',
      size_bytes: PNG.length,
    });
  });

  it('takes the media type from the bytes, not from the form or the file name', async () => {
    const { status, body } = await upload(Buffer.from('\xff\xd8\xff\xe0\0\x10JFIF\0', 'latin1'), 'a.png', 'text/html');
    expect(status).toBe(201);
    expect(body).toMatchObject({ mime_type: 'image/jpeg', s3_key: expect.stringMatching(/\.jpg$/) });
  });

  it.each([
    ['a page', '<!doctype html><script>alert(1)</script>'],
    ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
    ['a program', '\x7fELF\x02\x01\x01'],
    ['text', 'just text'],
  ])('refuses %s that is called a picture, says what it takes, and stores nothing', async (_, text) => {
    const before = await records();
    const { status, body } = await upload(Buffer.from(text, 'latin1'));
    expect(status).toBe(400);
    expect(body.errors).toHaveLength(1);
    expect(body.errors[0]).toMatchObject({
      path: 'file',
      message: expect.stringContaining('must be one of image/png, image/jpeg'),
    });
    expect(await records()).toEqual(before);
  });

  it('sanitises the file name, and keeps it out of the key', async () => {
    const { body } = await upload(PNG, '../../etc/\u202Epass\u0000"<b>wd.png');
    expect(body.original_file_name).toBe('passbwd.png');
    expect(body.s3_key).not.toContain('pass');
    expect((await upload(PNG, 'C:\\pictures\\büro 日本.png')).body.original_file_name).toBe('büro 日本.png');
    expect((await upload(PNG, '..')).body.original_file_name).toBe('file');
  });

  it('refuses a file over 20 MB, with or without Content-Length, and stores nothing', async () => {
    const folder = folderOf(await upload(PNG));
    const before = [await records(), await objectsIn(folder)];
    const file = pngOf(20 * MEGABYTE + 1);
    const said = await upload(file);
    expect(said.status).toBe(413);
    expect(said.body).toMatchObject({ statusCode: 413, message: 'The file exceeds the limit of 20 MB' });
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(file)]), 'a.png');
    const request = new Request('http://any', { method: 'POST', body: form });
    if (request.body === null) throw new Error('A form has a body');
    const unsaid = await uploadRaw(request.body, request.headers.get('content-type') ?? '');
    expect(unsaid.status).toBe(413);
    expect((await upload(pngOf(25 * MEGABYTE))).status).toBe(413);
    expect([await records(), await objectsIn(folder)]).toEqual(before);
  });

  it.each([
    ['in a field before it', part('note', undefined, 'x'.repeat(5 * MEGABYTE)) + part('file', 'a.png')],
    ['in 20 MB of empty parts', '--b\r\n\r\n\r\n\r\n'.repeat((20 * MEGABYTE) / 13)],
    [
      'in a field after it',
      part('file', 'a.png', PNG.toString('latin1')) + part('note', undefined, 'x'.repeat(MEGABYTE)),
    ],
  ])('refuses a form with more than 64 KB besides its file, %s, and stores nothing', async (_, parts) => {
    const before = await records();
    const { status, body } = await uploadRaw(parts + end(), FORM);
    expect([status, body.message]).toEqual([413, 'The form has more than 64 KB besides its file']);
    expect(await records()).toEqual(before);
  });

  it.each([
    [
      'a form without a boundary',
      '',
      'multipart/form-data',
      'file',
      'must be sent as multipart/form-data, with a boundary',
    ],
    [
      'a form without the field',
      part('picture', 'a.png') + end(),
      FORM,
      'file',
      'is required',
      'Unknown field picture',
    ],
    ['an empty form', end(), FORM, 'file', 'is required'],
    [
      'a field after the file',
      part('file', 'a.png', PNG.toString('latin1')) + part('fil', undefined, 'x') + end(),
      FORM,
      'fil',
      'Unknown field fil; did you mean file?',
    ],
    ['a field that is no file', part('file') + end(), FORM, 'file', 'must be a file'],
    ['an empty file', part('file', 'a.png', '') + end(), FORM, 'file', 'must not be empty'],
    ['a form that breaks off', part('file', 'a.png').slice(0, -2), FORM, '', 'The form ends early'],
    ['a form that breaks off in its headers', '--b\r\nContent-Dis', FORM, '', 'The form ends early'],
  ])('refuses %s', async (_, text, contentType, path, ...messages) => {
    const before = await records();
    const { status, body } = await uploadRaw(text, contentType);
    expect(status).toBe(400);
    expect(body.errors).toMatchObject(messages.map((message, index) => ({ message, ...(index === 0 && { path }) })));
    expect(await records()).toEqual(before);
  });

  it('refuses a query parameter', async () => {
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(PNG)]), 'a.png');
    const { status, body } = await call('/assets/upload?name=a', { method: 'POST', headers: headers(), body: form });
    expect([status, body.errors]).toEqual([
      400,
      [{ path: 'name', code: 'unknown_field', message: 'Unknown query parameter name' }],
    ]);
  });

  it.each(['application/json', 'multipart/form-data-x', ''])('is 415 for a body of type "%s"', async (contentType) => {
    expect((await uploadRaw('{}', contentType)).status).toBe(415);
  });

  it('requires an account', async () => {
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(PNG)]), 'a.png');
    expect((await call('/assets/upload', { method: 'POST', body: form })).status).toBe(401);
  });
});

describe('an object store that fails', () => {
  it('is a 502 that leaves no record; the next upload works', async () => {
    const folder = folderOf(await upload(PNG));
    const before = await records();
    await setFaults(stack.proxies.objects, [{ match: folder, effect: 'refuse', times: 3 }], 'assets');
    const { status, body } = await upload(PNG);
    expect(status).toBe(502);
    expect(body).toMatchObject({ statusCode: 502, message: 'The object store answered 503', path: '/assets/upload' });
    expect(await records()).toEqual(before);
    expect((await client.get('/contracts')).status).toBe(200);
    expect((await upload(PNG)).status).toBe(201);
  });
});

function part(name: string, fileName?: string, content = 'content'): string {
  const file = fileName === undefined ? '' : `; filename="${fileName}"`;
  return `--b\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${content}\r\n`;
}

function end(): string {
  return '--b--\r\n';
}
