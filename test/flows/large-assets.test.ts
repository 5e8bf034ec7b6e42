import { Client as Postgres } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  digest,
  fetchBack,
  folderOf,
  MEGABYTE,
  objectsIn,
  PNG,
  pngOf,
  recordsOf,
  uploadAs,
} from '../fixtures/assets.ts';
import { newClient, stack, type Client } from '../fixtures/client.ts';
import { setFaults } from '../fixtures/fault-proxy.ts';

let client: Client;
let database: Postgres;

beforeAll(async () => {
  client = await newClient();
  database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
  await database.connect();
});
afterEach(() => setFaults(stack.proxies.objects, [], 'largeassets'));
afterAll(() => database.end());

const upload = (content: Buffer) => uploadAs(client, content);
const records = () => recordsOf(client, database);

describe('POST /assets/upload', () => {
  it('stores a file of 20 MB, part by part, byte for byte', async () => {
    const file = pngOf(20 * MEGABYTE);
    const { status, body } = await upload(file);
    expect(status).toBe(201);
    const { bytes, headers: served } = await fetchBack(body.url);
    expect(digest(bytes)).toBe(digest(file));
    expect(served.get('content-type')).toBe('image/png');
    expect((await records()).at(-1)).toMatchObject({ size_bytes: file.length });
  });

  it('stores a file of exactly one part, and one that is a byte longer', async () => {
    for (const length of [5 * MEGABYTE, 5 * MEGABYTE + 1]) {
      const file = pngOf(length);
      const { body } = await upload(file);
      expect(digest((await fetchBack(body.url)).bytes)).toBe(digest(file));
    }
  });
});

describe('an object store that fails', () => {
  it('during a long upload leaves neither a record nor an object', async () => {
    const folder = folderOf(await upload(PNG));
    const before = [await records(), await objectsIn(folder)];
    await setFaults(stack.proxies.objects, [{ match: 'partNumber=2', effect: 'refuse', times: 3 }], 'largeassets');
    const { status } = await upload(pngOf(12 * MEGABYTE));
    expect(status).toBe(502);
    expect([await records(), await objectsIn(folder)]).toEqual(before);
  });

  it('once is retried without an error', async () => {
    const folder = folderOf(await upload(PNG));
    await setFaults(stack.proxies.objects, [{ match: folder, effect: 'refuse', times: 1 }], 'largeassets');
    expect((await upload(PNG)).status).toBe(201);
  });
});
