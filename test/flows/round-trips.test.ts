import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { startFarStack, type FarStack, type PartnerRequest } from '../../bench/far-stack.ts';
import { partnerRequests, type PartnerRequests } from '../../bench/partner-requests.ts';
import { startHealthyWorker } from '../fixtures/built-worker.ts';
import { removeStackDirectory } from '../record/record-stack.ts';

/**
 * What a reply waits for: requests to the database, and to nodes. A partner who is far waits for each, so that a number
 * may become lower, and higher only for a reason. The service is idle: the first one to the database reads who calls,
 * which a service that has read it within a second does not. An Idempotency-Key is read before what it is for.
 */
const ROUND_TRIPS: Readonly<Record<string, readonly [database: number, nodes: number]>> = {
  createMetadata: [2, 0],
  'createMetadata, Idempotency-Key': [3, 0],
  setMetadataStatus: [2, 0],
  editMetadata: [3, 0],
  'setMetadataStatus of a token': [2, 0],
  'editMetadata of a token': [3, 0],
  freezeMetadata: [3, 0],
  listMetadataVersions: [2, 0],
  orderMint: [3, 0],
  'orderMint, Idempotency-Key': [4, 0],
  'orderMints, 10': [3, 0],
  createClaim: [3, 0],
  'createClaims, 10': [3, 0],
  deployContract: [3, 0],
  executeTransfer: [3, 1],
  executeBurn: [3, 1],
  relayMint: [3, 1],
  revokeCertificate: [3, 1],
  'revokeCertificates, 10': [3, 1],
  // What each of its orders is about, and before the mint's the document that it names.
  reissueCertificate: [5, 1],
  transferOwnership: [3, 1],
  notifyChain: [3, 1],
  setBaseUri: [3, 1],
  checkOccupancy: [2, 1],
  readContract: [1, 1],
  prepareMint: [3, 2],
  prepareTransfer: [3, 2],
  prepareBurn: [3, 2],
  deployForwarder: [2, 0],
  replaceStatusRules: [2, 0],
  createKey: [2, 0],
  revokeKey: [3, 0],
  createWebhookEndpoint: [2, 0],
  changeWebhookEndpoint: [3, 0],
  rotateWebhookSecret: [3, 0],
  testWebhookEndpoint: [3, 0],
  deleteWebhookEndpoint: [3, 0],
  'GET /minting': [2, 0],
  'GET /claims': [2, 0],
  'GET /contracts': [2, 0],
  'GET /metadata': [2, 0],
  'GET /holdings': [2, 0],
  'GET /transfer': [2, 0],
  'GET /burn': [2, 0],
  'GET /webhooks/deliveries': [2, 0],
  'GET /keys': [2, 0],
  'GET /audit': [2, 0],
};

/**
 * The statements in them, of an account without limits: one that reads the caller, with an Idempotency-Key one that reads
 * it, and one that reads what the order is about; then the claim of the key, the lock of the metadata, the orders with
 * their transactions, and the row of the audit log.
 */
const STATEMENTS = { orderMint: 5, 'orderMint, Idempotency-Key': 7, 'orderMints, 10': 5 };

/**
 * The round trips of orders of mints that are refused: what they are refused for, and the audit log. `fields` are what is
 * wrong.
 */
const REFUSALS: readonly {
  readonly why: string;
  readonly status: number;
  readonly fields: object;
  readonly expected: readonly [database: number, nodes: number];
}[] = [
  { why: 'a field is wrong', status: 400, fields: { receiverAddress: 'nobody' }, expected: [2, 0] },
  { why: 'the amount is not that of the standard', status: 400, fields: { amount: 2 }, expected: [3, 0] },
  { why: 'the chain is not allowed', status: 400, fields: { chainId: '1' }, expected: [3, 0] },
  { why: 'there is no such metadata', status: 404, fields: { metadataId: '0'.repeat(24) }, expected: [3, 0] },
  // The message says what the account has instead.
  {
    why: 'there is no such contract',
    status: 404,
    fields: { contractAddress: `0x${'1'.repeat(40)}` },
    expected: [4, 0],
  },
];

/**
 * In milliseconds: what a request begins before it replies, such as the work of a lane, ends after the reply has
 * arrived.
 */
const DISTANCE = 100;

let stack: FarStack;
let requests: PartnerRequests;

beforeAll(async () => {
  stack = await startFarStack(DISTANCE, {
    start: (port, settings) => startHealthyWorker(inject('stack').worker, settings, port),
    remove: removeStackDirectory,
  });
  requests = await partnerRequests(stack.api);
  // The first request that asks a chain for its height asks each node by itself, too.
  await stack.measure(await requestOf('prepareTransfer'));
});
afterAll(() => stack?.stop());

it.each(Object.entries(ROUND_TRIPS))('%s: as many round trips as are listed', async (name, expected) => {
  const [method = '', path] = name.split(' ');
  const isRead = method === 'GET' && path !== undefined;
  await expectRoundTrips(isRead ? { method, path } : await requestOf(name), expected);
});

it.each(Object.entries(STATEMENTS))('%s: as many statements as are listed', async (name, expected) => {
  const { statements } = await stack.measure(await requestOf(name));
  expect(statements).toBe(expected);
});

it.each(REFUSALS)(
  'a mint that is refused because $why: as many as are listed',
  async ({ status, fields, expected }) => {
    const order = await requestOf('orderMint');
    await expectRoundTrips({ ...order, body: { ...order.body, ...fields }, status }, expected);
  },
);

async function requestOf(name: string): Promise<PartnerRequest> {
  const request = await requests[name]?.();
  if (request === undefined) throw new Error(`Nobody requests ${name}`);
  return request;
}

async function expectRoundTrips(request: PartnerRequest, expected: readonly [database: number, nodes: number]) {
  const { database, nodes, trips } = await stack.measure(request);
  const counted = [database, nodes];
  // Where the numbers differ, the requests say why.
  const made = counted.join() === expected.join() ? [] : trips.map(({ to, body }) => `${to}: ${body.slice(0, 300)}`);
  expect({ counted, made }).toEqual({ counted: expected, made: [] });
}
