import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readBody, startHttpServer } from '../../stack/http-server.ts';
import { call, createMetadata, newClient, stack, type Client } from '../fixtures/client.ts';
import { commandsOf, runInShell } from '../fixtures/document-commands.ts';
import { makeKey } from '../fixtures/keys.ts';
import { certificateInput, ticketInput } from '../fixtures/metadata-inputs.ts';

let directory: string;
let client: Client;
let gateKey: string;
let gateCommand: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'nft-gate-'));
  client = await newClient();
  await copyFile('docs/programs/gate.mjs', join(directory, 'gate.mjs'));
  const { key: metadataKey } = await makeKey(client, { scopes: ['metadata'] });
  const { key: keysKey } = await makeKey(client, { scopes: ['keys', 'status'] });
  const [setRules = '', createKey = '', runGate = ''] = await commandsOf('docs/gate.md');
  const env = { NFT_URL: stack.url, NFT_KEY: metadataKey, KEYS_KEY: keysKey };
  const { code, stdout, stderr } = await runInShell(`set -e\n${setRules}\necho\n${createKey}`, { env });
  if (code !== 0) throw new Error(stdout + stderr);
  gateKey = JSON.parse(stdout.split('\n')[1] ?? '').key;
  gateCommand = runGate;
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const gate = (...codes: readonly string[]) => gateAt(stack.url, ...codes);

/** A gate at a service that gets these codes. @returns what it says. */
async function gateAt(url: string, ...codes: readonly string[]): Promise<string[]> {
  const env = { NFT_URL: url, GATE_KEY: gateKey };
  const { code, stdout, stderr } = await runInShell(gateCommand, {
    cwd: directory,
    env,
    input: `${codes.join('\n')}\n`,
  });
  if (code !== 0) throw new Error(stderr);
  return stdout.trimEnd().split('\n');
}

it('of two gates that run the program of the recipe, one opens for a ticket, and both only for tickets of the account', async () => {
  const other = await newClient();
  const [shared, mine, yours, foreign] = await Promise.all([
    createMetadata(client, ticketInput),
    createMetadata(client, ticketInput),
    createMetadata(client, ticketInput),
    createMetadata(other, ticketInput),
  ]);
  const said = await Promise.all([gate(shared, mine, foreign), gate(shared, yours, 'no code')]);
  expect(new Set(said.map(([first]) => first))).toEqual(new Set([`OPEN ${shared}`, 'STOP Used']));
  expect(said.map(([, ...rest]) => rest)).toEqual([
    [`OPEN ${mine}`, 'STOP Metadata not found'],
    [`OPEN ${yours}`, 'STOP Validation failed'],
  ]);
});

it('a code that is no ticket, such as that of a certificate, does not stop the gate', async () => {
  const certificate = (await client.post('/metadata', certificateInput)).body._id;
  const ticket = await createMetadata(client, ticketInput);
  expect(await gate(certificate, '', ticket)).toEqual([
    'STOP The metadata of a certificate never changes',
    `OPEN ${ticket}`,
  ]);
});

it('a service that does not answer does not stop the gate, and a ticket whose use got no reply opens it when it is shown again', async () => {
  const ticket = await createMetadata(client, ticketInput);
  let requests = 0;
  const proxy = await startHttpServer('proxy', async (request, response) => {
    const { method = '', url = '', headers } = request;
    const own = ['x-api-key', 'content-type', 'idempotency-key'].map((name) => [name, String(headers[name])] as const);
    const body = new Uint8Array(await readBody(request, 1_000));
    const reply = await fetch(stack.url + url, { method, headers: Object.fromEntries(own), body });
    requests += 1;
    if (requests <= 10) response.destroy();
    else response.writeHead(reply.status, { 'content-type': 'application/json' }).end(await reply.text());
  });
  const said = await gateAt(`${proxy.url}/`, ticket, ticket, ticket);
  await proxy.stop();
  expect(said).toEqual(['STOP No answer: show the ticket again', `OPEN ${ticket}`, 'STOP Used']);
});

it('a page on any site may set a status, and read the reply', async () => {
  const id = await createMetadata(client, ticketInput);
  const path = `/metadata/${id}/status`;
  const preflight = await call(path, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://gate.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type,idempotency-key,x-api-key',
    },
  });
  expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([
    204,
    'content-type,idempotency-key,x-api-key',
  ]);
  for (const key of [gateKey, 'wrong']) {
    const headers = { origin: 'https://gate.example', 'x-api-key': key, 'content-type': 'application/json' };
    const reply = await call(path, { method: 'POST', headers, body: JSON.stringify({ status: 'Used' }) });
    expect([reply.status, reply.headers.get('access-control-allow-origin')]).toEqual([
      key === gateKey ? 200 : 401,
      '*',
    ]);
    // The scope `status` shows nothing else of a document.
    const fields =
      key === gateKey
        ? ['_id', 'currentStatus', 'version']
        : ['statusCode', 'code', 'timestamp', 'path', 'requestId', 'message'];
    expect(Object.keys(reply.body)).toEqual(fields);
  }
});
