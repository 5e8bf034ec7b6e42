import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { startFarStack, type FarStack } from '../../bench/far-stack.ts';
import { partnerRequests, type PartnerRequests } from '../../bench/partner-requests.ts';
import { startHealthyWorker } from '../fixtures/built-worker.ts';
import { removeStackDirectory } from '../record/record-stack.ts';

/**
 * What a reply waits for: requests to the database, and to nodes. A partner who is far waits for each, so that a number
 * may become lower, and higher only for a reason. They hold for an idle service that knew the caller in the last ten
 * minutes.
 */
const ROUND_TRIPS: Readonly<Record<string, readonly [database: number, nodes: number]>> = {
  createMetadata: [2, 0],
  'createMetadata, Idempotency-Key': [2, 0],
  setMetadataStatus: [2, 0],
  editMetadata: [2, 0],
  'setMetadataStatus of a token': [2, 0],
  'editMetadata of a token': [2, 0],
  orderMint: [2, 0],
  'orderMint, Idempotency-Key': [2, 0],
  'orderMints, 10': [2, 0],
  deployContract: [2, 0],
  executeTransfer: [2, 1],
  executeBurn: [2, 1],
  relayMint: [2, 1],
  revokeCertificate: [2, 1],
  transferOwnership: [2, 1],
  notifyChain: [2, 1],
  checkOccupancy: [1, 1],
  deployForwarder: [2, 0],
  replaceStatusRules: [2, 0],
  createKey: [2, 0],
  revokeKey: [2, 0],
  createWebhookEndpoint: [2, 0],
  changeWebhookEndpoint: [2, 0],
  rotateWebhookSecret: [2, 0],
  testWebhookEndpoint: [2, 0],
  deleteWebhookEndpoint: [2, 0],
  'GET /minting': [1, 0],
  'GET /contracts': [1, 0],
  'GET /metadata': [1, 0],
};

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
});
afterAll(() => stack?.stop());

it.each(Object.entries(ROUND_TRIPS))('%s: as many round trips as are listed', async (name, expected) => {
  const [method = '', path] = name.split(' ');
  const request = method === 'GET' && path !== undefined ? { method, path } : await requests[name]?.();
  if (request === undefined) throw new Error(`Nobody requests ${name}`);
  const { database, nodes, trips } = await stack.measure(request);
  const counted = [database, nodes];
  // Where the numbers differ, the requests say why.
  const made = counted.join() === expected.join() ? [] : trips.map(({ to, body }) => `${to}: ${body.slice(0, 300)}`);
  expect({ counted, made }).toEqual({ counted: expected, made: [] });
});
