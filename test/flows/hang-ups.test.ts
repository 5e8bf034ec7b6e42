import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Client as Postgres } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newClient, stack, type Client } from '../fixtures/client.ts';

const FORM = 'multipart/form-data; boundary=b';
const FILE = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n\x89PNG\r\n\x1a\n';

let client: Client;
let database: Postgres;

beforeAll(async () => {
  client = await newClient();
  database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
  await database.connect();
});
afterAll(() => database.end());

/**
 * How long the service has for reading what it gets of a request: it never sees some of those that are given up at
 * once.
 */
const PATIENCE_MS = 200;

/** Sends a request whose body lacks its end, and closes the connection. */
async function hangUp(line: string, headers: Record<string, string>, body: string): Promise<void> {
  const { hostname, port } = new URL(stack.url);
  const credentials = {
    'x-api-key': stack.settings['GLOBAL_SECRET_KEY'] ?? '',
    'x-admin-secret-key': stack.settings['ADMIN_SECRET_KEY'] ?? '',
    'x-corporate-id': client.account.corporateId,
  };
  const lines = Object.entries({ host: `${hostname}:${port}`, ...credentials, ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const socket = connect(Number(port), hostname);
  const closed = new Promise<void>((resolve, reject) => socket.on('error', reject).on('close', () => resolve()));
  socket.write(`${[`${line} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n${body}`, 'latin1');
  await delay(PATIENCE_MS);
  socket.destroy();
  await closed;
}

/** What the audit log has of requests with this id: the statuses of their replies. */
async function statusesOf(requestId: string): Promise<number[]> {
  const query = 'select status_code from audit_log where request_id = $1';
  const { rows } = await database.query<{ status_code: number }>(query, [requestId]);
  return rows.map((row) => row.status_code);
}

describe('a caller who hangs up in the middle of a body', () => {
  const json = { 'content-type': 'application/json', 'content-length': '1000' };
  const form = { 'content-type': FORM, 'content-length': '1000' };
  it.each([
    ['with-a-length', 'POST /metadata', json, '{"chainId":'],
    [
      'in-chunks',
      'POST /metadata',
      { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
      'b\r\n{"chainId":\r\n',
    ],
    ['of-an-order-with-a-key', 'POST /minting/order', { ...json, 'idempotency-key': 'a' }, '{'],
    ['of-a-route-without-one', `POST /webhooks/endpoints/${'0'.repeat(24)}/test`, { 'content-length': '1000' }, '{'],
    ['in-a-file', 'POST /assets/upload', form, FILE],
    ['in-the-headers-of-a-file', 'POST /assets/upload', form, '--b\r\nContent-'],
    ['of-the-operator', 'PUT /admin/accounts/nobody/limits', json, '{"spend":'],
  ])('%s is no failure of the service', async (requestId, line, headers, body) => {
    const ended = async () => {
      await hangUp(line, { ...headers, 'x-request-id': requestId }, body);
      return await statusesOf(requestId);
    };
    await expect.poll(ended).not.toEqual([]);
    expect(new Set(await statusesOf(requestId))).toEqual(new Set([400]));
  });
});
