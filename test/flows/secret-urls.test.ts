import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPublicClient, encodeErrorResult, http, parseAbi, size, toHex, type Address, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { fundWallet } from '../../cli/local-stack/fund-wallet.ts';
import { startHostileNode, type HostileNode, type NodeMode } from '../fixtures/hostile-node.ts';
import { ticketInput } from '../fixtures/metadata-inputs.ts';
import { startOwnStack, type OwnStack } from '../fixtures/own-stack.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../fixtures/webhook-receiver.ts';

/** Of each node: a key of letters in the path and one in place of the user's name; one that has a plus in the query. */
const PATH_KEY = 'pathkeyabcdef';
const USER_KEY = 'us3rkey0123456789abcdef';
/** A part of a URL that is redacted, though nobody would call it a key. */
const NO_KEY = 'v3-nodes';
const QUERY_KEY = 'qu3ry+key/0123456789abcdef';
/** Every key, and each form in which it goes out or can come back. */
const FORMS = [PATH_KEY, USER_KEY, btoa(`${USER_KEY}:x`), QUERY_KEY, encodeURIComponent(QUERY_KEY)];
const CHAIN_IDS = ['43114', '43113'] as const;
const MODES = ['refuse', 'hang-up', 'nonsense', 'leak'] as const satisfies readonly NodeMode[];

let nodes: Record<(typeof CHAIN_IDS)[number], HostileNode>;
let receiver: WebhookReceiver;
let own: OwnStack;
let headers: Record<string, string>;

beforeAll(async () => {
  nodes = { '43114': await startHostileNode(), '43113': await startHostileNode() };
  receiver = await startWebhookReceiver();
  own = await startOwnStack({
    RPC_URL_43114: `${nodes['43114'].url.replace('://', `://${USER_KEY}:x@`)}/${NO_KEY}/${PATH_KEY}`,
    RPC_URL_43113: `${nodes['43113'].url}/rpc?apikey=${QUERY_KEY}`,
  });
  for (const chainId of CHAIN_IDS) nodes[chainId].target = own.rpcUrls[chainId] ?? '';
  const account = await own.createAccount({ name: 'Test', webhookUrl: receiver.url });
  await fundWallet(account.walletAddress as Address, Object.values(own.rpcUrls));
  headers = {
    'x-api-key': own.settings['GLOBAL_SECRET_KEY'] ?? '',
    'x-corporate-id': account.corporateId,
    'x-admin-secret-key': own.settings['ADMIN_SECRET_KEY'] ?? '',
  };
});
afterAll(async () => {
  await own.stop();
  await receiver.close();
  await Promise.all(Object.values(nodes).map((node) => node.close()));
});

/** Every reply in this file, searched by the last test. */
const replies: string[] = [];

async function ask(path: string, body?: unknown, method = body === undefined ? 'GET' : 'POST') {
  const reply = await fetch(`${own.baseUrl}${path}`, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  replies.push(text, JSON.stringify([...reply.headers]));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- replies are read by the tests, which say what they expect
  return { status: reply.status, body: JSON.parse(text) as Record<string, string> };
}

async function deploy(chainId: string, fields: Record<string, unknown> = {}) {
  const { body } = await ask('/contracts/deploy', {
    chainId,
    name: 'Tokens',
    symbol: 'T',
    ercStandard: '721',
    contractType: 'standard',
    ...fields,
  });
  return String(body['_id']);
}

async function ended(id: string) {
  const read = async () => (await ask(`/contracts/${id}`)).body;
  await expect.poll(async () => (await read())['status'], { timeout: 40_000 }).not.toBe('DEPLOYING');
  return await read();
}

const containsKey = (text: string) => FORMS.some((key) => text.includes(key));

describe.each(CHAIN_IDS)('a node of chain %s that fails and repeats the key in its URL', (chainId) => {
  it('reveals the key to no caller: reads, lists of mints, requests that read the chain', async () => {
    const { contractAddress } = await ended(await deploy(chainId));
    const statuses = new Set<number>();
    for (const mode of MODES) {
      nodes[chainId].mode = mode;
      const answers = [
        await ask('/contracts/read', { chainId, contractAddress, method: 'owner' }),
        await ask('/minting/occupancy/check', { chainId, contractAddress, tokenId: '1' }),
        await ask('/contracts/transfer-ownership', {
          chainId,
          contractAddress,
          newOwnerAddress: `0x${'1'.repeat(40)}`,
        }),
        await ask('/status'),
      ];
      for (const { status, body } of answers) {
        statuses.add(status);
        expect([mode, containsKey(JSON.stringify(body))]).toEqual([mode, false]);
      }
    }
    nodes[chainId].mode = 'work';
    expect(statuses).toContain(502);
    expect(statuses).toContain(400);
  });

  it('reveals it neither in the errorMessage of an order nor in its webhook', async () => {
    nodes[chainId].mode = 'leak';
    const id = await deploy(chainId);
    const contract = await ended(id);
    nodes[chainId].mode = 'work';
    expect(containsKey(contract['errorMessage'] ?? '')).toBe(false);
    expect(contract).toMatchObject({
      status: 'FAILED',
      errorMessage: expect.stringContaining(`Reverted: more at ${nodes[chainId].url}/[redacted] for ["`),
    });
    const delivery = () => receiver.deliveries.find(({ event }) => event.data['_id'] === id);
    await expect.poll(delivery).toBeDefined();
    expect(delivery()?.event).toMatchObject({
      type: 'contract.failed',
      data: { errorMessage: contract['errorMessage'] },
    });
  });

  it('does not prevent an order from being executed once the node works again', async () => {
    nodes[chainId].mode = 'refuse';
    const id = await deploy(chainId);
    await expect.poll(() => own.log().split('lane.chain_silent').length).toBeGreaterThan(1);
    nodes[chainId].mode = 'work';
    await own.cleanUpAfter(11);
    expect(await ended(id)).toMatchObject({ status: 'ACTIVE' });
  });
});

/** Code that always reverts with a text. */
function revertingWith(text: string): Hex {
  const data = encodeErrorResult({ abi: parseAbi(['error Error(string)']), args: [text] });
  const length = toHex(size(data), { size: 2 }).slice(2);
  return `0x61${length}600c5f3961${length}5ffd${data.slice(2)}`;
}

const guesses = () => {
  const { host, pathname } = new URL(own.settings['DATABASE_URL'] ?? '');
  return [NO_KEY, `${host}${pathname}`];
};

async function contractSaying(text: string): Promise<Address> {
  const address: Address = privateKeyToAddress(generatePrivateKey());
  const client = createPublicClient({ transport: http(own.rpcUrls['43114'] ?? '') });
  await client.request({ method: 'anvil_setCode', params: [address, revertingWith(text)] } as never);
  return address;
}

describe('the text that a contract reverts with', () => {
  it('is shown as it is in the reply to a call, so that it tells nothing about settings', async () => {
    for (const text of guesses()) {
      const fields = { chainId: '43114', contractAddress: await contractSaying(text), method: 'owner' };
      const { status, body } = await ask('/contracts/read', fields);
      expect([status, body['message']]).toEqual([400, `Reverted: Error(${text})`]);
    }
  });

  it('is shown as it is in the errorMessage of an order', async () => {
    const { contractAddress } = await ended(await deploy('43114'));
    for (const [index, text] of guesses().entries()) {
      const { body: metadata } = await ask('/metadata', ticketInput);
      const { body: order } = await ask('/minting/order', {
        chainId: '43114',
        contractAddress,
        receiverAddress: await contractSaying(text),
        tokenId: String(index),
        metadataId: metadata['_id'],
      });
      const read = async () => (await ask(`/minting/${order['id']}`)).body;
      await expect.poll(async () => (await read())['status'], { timeout: 40_000 }).toBe('FAILED');
      expect((await read())['errorMessage']).toBe(`Reverted: Error(${text})`);
    }
  });
});

describe('a text that a caller sends', () => {
  it('is not redacted in the reply, which would tell whether it is part of a setting, nor repeated in the message', async () => {
    const { host, pathname } = new URL(own.settings['DATABASE_URL'] ?? '');
    const guess = `${host}${pathname}`;
    const messageOf = async (path: string) => (await fetch(`${own.baseUrl}${path}`)).json();
    expect(await messageOf(`/${guess}`)).toMatchObject({
      message: 'No route matches this path',
      path: `/${guess}`,
    });
    const { body: metadata } = await ask('/metadata', ticketInput);
    const requests = {
      'the name of a field': (name: string) => ask('/admin/accounts/nobody/limits', { [name]: 1 }, 'PUT'),
      'a key of metadata': (name: string) => ask('/metadata', { [name]: 1 }),
      'the status that metadata must have': (expected: string) =>
        ask(`/metadata/${metadata['_id']}/status`, { status: 'x', expected }),
    };
    for (const [what, request] of Object.entries(requests)) {
      const [right, wrong] = await Promise.all(
        [guess, 'wrong.example:5432/guess'].map(async (name) =>
          JSON.stringify((await request(name)).body)
            .replaceAll(name, 'NAME')
            .replaceAll(/"(?:timestamp|requestId)":"[^"]*"/g, ''),
        ),
      );
      expect([what, right]).toEqual([what, wrong]);
      expect([what, right?.includes('NAME')]).toEqual([what, true]);
    }
  });

  it('is not redacted in the audit log either, where it is the id of a request', async () => {
    await fetch(`${own.baseUrl}/metadata`, {
      method: 'POST',
      headers: { ...headers, 'x-request-id': NO_KEY, 'content-type': 'application/json' },
      body: '{}',
    });
    const log = await fetch(`${own.baseUrl}/audit`, { headers });
    expect(await log.json()).toMatchObject({
      items: expect.arrayContaining([expect.objectContaining({ requestId: NO_KEY })]),
    });
  });
});

const send = async (path: string, given: Record<string, string>, body?: unknown) => {
  const reply = await fetch(`${own.baseUrl}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', ...given },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: reply.status, text: await reply.text() };
};

describe('a key of an account', () => {
  it('is in no log line and in no error reply, wherever a caller puts it', async () => {
    const admin = {
      'x-admin-secret-key': own.settings['ADMIN_SECRET_KEY'] ?? '',
      'x-corporate-id': headers['x-corporate-id'] ?? '',
    };
    const made = await send(
      '/keys',
      { ...admin, 'idempotency-key': 'once' },
      { name: 'Test', scopes: ['read', 'metadata'] },
    );
    const { key, id } = JSON.parse(made.text) as { key: string; id: string };
    const ofKey = { 'x-api-key': key };
    const answers = await Promise.all([
      send('/contracts', ofKey),
      send(`/contracts/${key}`, ofKey),
      send(`/nowhere/${key}?key=${key}`, ofKey),
      send('/keys', ofKey, { name: key, scopes: [key] }),
      send('/contracts', { ...ofKey, 'x-corporate-id': key }),
      send('/contracts', { ...ofKey, 'x-request-id': key.slice(0, 64) }),
      send('/metadata', ofKey, { [key]: key, chainId: key }),
      send('/metadata', { ...ofKey, 'idempotency-key': `${key} ` }, {}),
      send('/contracts', { 'x-api-key': `${key}0` }),
      send(`/metadata/0x${'0'.repeat(40)}/${key}`, {}),
    ]);
    expect(answers[0]?.status).toBe(200);
    const secret = key.slice('key_live_'.length, 50);
    const log = own.log();
    // The log has the id of the key.
    expect(log).toContain(`"keyId":"${id}"`);
    expect(log).not.toContain(secret);
    for (const { status, text } of answers.slice(1)) {
      // The path of an error reply is the caller's own.
      const { path: _, ...reply } = JSON.parse(text) as Record<string, unknown>;
      expect([status, JSON.stringify(reply).includes(secret)]).toEqual([status, false]);
    }
  });
});

describe('the code of a ticket', () => {
  it('is in no log line: whoever has it can pass the gate', async () => {
    const ticket = {
      chainId: '43114',
      name: 'Seat 7',
      imageUrl: 'https://example.com/7.png',
      utility: { type: 'Flexible', data: { status: 'Unused' } },
    };
    const { status, text } = await send('/metadata', headers, ticket);
    const { _id } = JSON.parse(text) as { _id: string };
    const used = await send(`/metadata/${_id}/status`, headers, { status: 'Used' });
    const read = await send(`/metadata/${_id}`, headers);
    const nowhere = await send(`/nowhere/${_id}`, headers);
    expect([status, used.status, read.status, nowhere.status]).toEqual([201, 200, 200, 404]);
    await expect.poll(() => own.log()).toContain('"route":"/metadata/{id}/status"');
    expect(own.log()).not.toContain(_id);
  });
});

describe('afterwards', () => {
  it('the log contains each of these failures and neither key', async () => {
    const log = own.log();
    for (const event of ['request.upstream', 'status.part_unavailable', 'lane.chain_silent', 'order.ended']) {
      expect([event, log.includes(event)]).toEqual([event, true]);
    }
    expect(log).toContain('/[redacted]');
    expect(log.split('\n').filter(containsKey)).toEqual([]);
  });

  it('no reply and no webhook contains one', () => {
    expect(replies.filter(containsKey)).toEqual([]);
    expect(receiver.deliveries.map(({ body }) => body).filter(containsKey)).toEqual([]);
  });
});
