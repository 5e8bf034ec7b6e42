import { randomBytes } from 'node:crypto';
import { Client as Postgres } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeFunctionData, type Address, type Hex } from 'viem';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import { fireCron } from '../../stack/fire-cron.ts';
import { fundWallet } from '../../cli/local-stack/fund-wallet.ts';
import { startHealthyWorker, type BuiltWorker } from '../fixtures/built-worker.ts';
import {
  call,
  chainClient,
  deployContract,
  newClient,
  receiverAddress,
  stack,
  type Client,
} from '../fixtures/client.ts';
import { setFaults, startFaultProxy, statementTagged, type FaultProxy } from '../fixtures/fault-proxy.ts';
import { deployElsewhere } from '../fixtures/foreign-contract.ts';
import { deployForwarder, newSigner, sendAs, signedTransfer } from '../fixtures/gasless.ts';
import { deployPlainForwarder } from '../fixtures/plain-forwarder.ts';
import { insertDelivery } from '../fixtures/webhook-deliveries.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../fixtures/webhook-receiver.ts';
import { expectErrors } from '../record/service-errors.ts';

expectErrors('request.failed');

/** Whose key this file's server has. */
const developer = newSigner();
const apiKeys = [randomBytes(24).toString('hex'), randomBytes(24).toString('hex')];

let receiver: WebhookReceiver;
let database: FaultProxy;
let worker: BuiltWorker;
let client: Client;
let forwarder: Address;

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  database = await startFaultProxy(stack.settings['NEON_FETCH_ENDPOINT'] ?? '');
  forwarder = await deployPlainForwarder('43114');
  const { METADATA_BASE_URI: _, ...shared } = stack.settings;
  worker = await startHealthyWorker(stack.worker, {
    ...shared,
    NEON_FETCH_ENDPOINT: database.url,
    GLOBAL_SECRET_KEY: [stack.settings['GLOBAL_SECRET_KEY'], ...apiKeys].join(','),
    LOCAL_DEV_PRIVATE_KEY: developer.privateKey,
    ALLOW_FOREIGN_CONTRACTS: 'true',
    SECURITY_CONTACT: 'mailto:security@example.com',
    TRUSTED_FORWARDER_ADDRESS_43114: forwarder,
    WEBHOOK_URL: receiver.url,
  });
  client = (await newClient()).at(worker.url);
});
afterAll(async () => {
  await worker.stop();
  await database.close();
});

const deployment = { name: 'Tokens', symbol: 'T', ercStandard: '721', contractType: 'standard' };

/** Of the events that it got. */
const idsAt = ({ deliveries }: WebhookReceiver) => deliveries.map(({ headers }) => String(headers['webhook-id']));

it('says where a weakness is reported only if the operator does', async () => {
  const reply = await fetch(`${worker.url}/.well-known/security.txt`);
  expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/plain; charset=UTF-8']);
  const fields = new Map(
    (await reply.text())
      .trimEnd()
      .split('\n')
      .map((line) => line.split(': ', 2) as [string, string]),
  );
  expect(fields.get('Contact')).toBe('mailto:security@example.com');
  expect(Date.parse(fields.get('Expires') ?? '')).toBeGreaterThan(Date.now());
  expect((await fetch(`${stack.url}/.well-known/security.txt`)).status).toBe(404);
});

it('each key in GLOBAL_SECRET_KEY is accepted', async () => {
  for (const key of apiKeys) {
    const headers = { 'x-api-key': key, 'x-corporate-id': client.account.corporateId };
    expect((await call('/contracts', { headers }, worker.url)).status).toBe(200);
  }
});

it('without X-CORPORATE-ID, the account whose key is in LOCAL_DEV_PRIVATE_KEY is used, and signs with it', async () => {
  await fundWallet(developer.address, Object.values(stack.rpcUrls));
  const headers = { 'x-api-key': stack.settings['GLOBAL_SECRET_KEY'] ?? '', 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(deployment) };
  const { status, body } = await call('/contracts/deploy', init, worker.url);
  expect(status).toBe(201);
  const read = async () => (await call(`/contracts/${body._id}`, { headers }, worker.url)).body;
  await expect.poll(async () => (await read()).status).toBe('ACTIVE');
  const { deployTxHash, currentOwnerAddress } = await read();
  expect(currentOwnerAddress).toBe(developer.address);
  const { from } = await chainClient().getTransaction({ hash: deployTxHash as Hex });
  expect(from).toBe(developer.address.toLowerCase());
});

it('a contract has no base URI without METADATA_BASE_URI, and trusts the forwarder of its chain', async () => {
  await deployForwarder(client);
  const { contractAddress, metadataBaseUri, trustedForwarder } = await deployContract(client);
  expect([metadataBaseUri, trustedForwarder]).toEqual([null, forwarder]);
  const contract = { ...standard721, address: contractAddress };
  expect(await chainClient().readContract({ ...contract, functionName: 'baseURI' })).toBe('');
  const args = [forwarder] as const;
  expect(await chainClient().readContract({ ...contract, functionName: 'isTrustedForwarder', args })).toBe(true);
  const elsewhere = await client.post('/contracts/deploy', { ...deployment, chainId: '43113' });
  expect([elsewhere.status, elsewhere.body.trustedForwarder]).toEqual([201, null]);
});

it('with ALLOW_FOREIGN_CONTRACTS a contract that the account does not have needs its ercStandard', async () => {
  const [owner, holder] = [newSigner(), newSigner()];
  const contractAddress = await deployElsewhere(owner.address, forwarder);
  const args = [holder.address, 1n] as const;
  await sendAs(owner, encodeFunctionData({ ...standard721, functionName: 'mint', args }), contractAddress);
  const transfer = { contractAddress, to: receiverAddress as Address, tokenId: '1' };
  const body = signedTransfer(holder, forwarder, transfer, { nonce: 0 });
  const refused = await client.post('/transfer/execute', body);
  expect([refused.status, refused.body.errors]).toEqual([
    400,
    [{ path: 'ercStandard', code: 'required', message: "is required: the contract is not one of the account's" }],
  ]);
  const accepted = await client.post('/transfer/execute', { ...body, ercStandard: '721' });
  expect(accepted.status).toBe(201);
  expect(await client.until(`/transfer/${accepted.body.id}`, ['CONFIRMED', 'FAILED'])).toMatchObject({
    status: 'CONFIRMED',
  });
});

it('an account gets its events at WEBHOOK_URL, unless it has a URL of its own', async () => {
  const rows = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
  await rows.connect();
  const own = await startWebhookReceiver();
  const [{ account }, { account: other }] = [await newClient(), await newClient({ webhookUrl: own.url })];
  // More than one: the cleanup job of the shared Worker, which has no such URL, may skip an event.
  const ids: string[] = [];
  const delivered = async () => {
    ids.push(`evt_${await insertDelivery(rows, account)}`);
    await fireCron(worker.url, Date.now() + 600_000);
    return idsAt(receiver).some((id) => ids.includes(id));
  };
  const eventOfOther = `evt_${await insertDelivery(rows, other)}`;
  await expect.poll(delivered, { interval: 1_000 }).toBe(true);
  await expect.poll(() => idsAt(own)).toContain(eventOfOther);
  expect(idsAt(receiver)).not.toContain(eventOfOther);
  await rows.end();
});

describe('an error that nobody foresaw', () => {
  it('is a 500 that says nothing of the inside; the log has it, with the id of the request', async () => {
    const answer = { status: 400, body: { message: 'column "hidden" does not exist', code: '42703' } };
    await setFaults(database.url, [{ match: statementTagged('list-orders'), effect: 'answer', times: 1, answer }]);
    const { status, headers, body } = await client.get('/minting');
    await setFaults(database.url, []);
    expect([status, body]).toEqual([
      500,
      {
        statusCode: 500,
        code: 'internal_error',
        message: 'Internal server error',
        timestamp: expect.any(String),
        path: '/minting',
        requestId: headers.get('x-request-id'),
      },
    ]);
    const line = worker
      .log()
      .split('\n')
      .find((text) => text.includes('does not exist'));
    expect(line).toContain(body.requestId);
  });
});
