import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newClient, stack, type Client } from '../fixtures/client.ts';
import { startEdge, type RunningEdge } from '../fixtures/edge.ts';

let client: Client;
let edge: RunningEdge;

beforeAll(async () => {
  [client, edge] = await Promise.all([newClient(), startEdge()]);
});
afterAll(() => edge.stop());

/** Sends a byte of a body each second, until there is a reply. @returns it. */
async function trickle(origin: string, line: string, headers: Record<string, string>, body: string): Promise<string> {
  const { hostname, port } = new URL(origin);
  const credentials = {
    'x-api-key': stack.settings['GLOBAL_SECRET_KEY'] ?? '',
    'x-corporate-id': client.account.corporateId,
  };
  const lines = Object.entries({ host: `${hostname}:${port}`, ...credentials, ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const socket = connect(Number(port), hostname);
  socket.write(`${[`${line} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n${body}`, 'latin1');
  const timer = setInterval(() => socket.write('x'), 1_000);
  try {
    return await new Promise<string>((resolve, reject) => {
      let reply = '';
      socket.on('error', reject);
      socket.on('close', () => resolve(reply));
      socket.on('data', (bytes) => {
        reply += bytes.toString('latin1');
        if (/^[^]*\r\n\r\n[^]*\}/.test(reply)) resolve(reply);
      });
    });
  } finally {
    clearInterval(timer);
    socket.destroy();
  }
}

const FORM = 'multipart/form-data; boundary=b';
const FILE = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n\x89PNG\r\n\x1a\n';
const ID = '0'.repeat(24);

describe.each([
  ['the core', () => stack.url],
  ['the edge', () => edge.url],
] as const)('at %s, a body of which a byte arrives each second', (_, origin) => {
  const json = { 'content-type': 'application/json', 'content-length': '1000' };
  it.each([
    ['of an order', 'POST /minting/order', json, '{'],
    ['of a claim, without a key', `POST /claims/${ID}/open`, json, '{'],
    ['of a file', 'POST /assets/upload', { 'content-type': FORM, 'content-length': '100000' }, FILE],
    [
      'of an import',
      'POST /imports?kind=metadata&chainId=43114',
      { 'content-type': 'text/csv', 'content-length': '100000' },
      'name\r\n',
    ],
  ])('%s ends with 408', async (__, line, headers, start) => {
    const reply = await trickle(origin(), line, headers, start);
    expect(reply).toMatch(/^HTTP\/1.1 408 /);
    expect(reply).toContain('"code":"body_too_slow"');
  });

  it.each([
    ['with an unknown key', 401, 'POST /minting/order', { 'x-api-key': `key_live_${'0'.repeat(64)}` }],
    ['of a file, with an unknown key', 401, 'POST /assets/upload', { 'x-api-key': `key_live_${'0'.repeat(64)}` }],
    ['with a wrong admin key', 401, 'POST /admin/chains/43114/pause', { 'x-admin-secret-key': 'wrong' }],
    ['with a method that the path does not have', 405, 'PUT /minting/order', {}],
    ['to a path that nothing has', 404, 'POST /nothing', {}],
  ])('of a request %s ends with %i', async (__, status, line, headers) => {
    const reply = await trickle(origin(), line, { ...json, ...headers }, '{');
    expect(reply).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });
});
