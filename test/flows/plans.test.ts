import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { Client } from 'pg';
import { createWalletClient, encodeDeployData, http, publicActions, zeroAddress } from 'viem';
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from 'viem/accounts';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import { startGrowthStack, type GrowthStack } from '../../bench/growth-stack.ts';
import { fetchDocument, readRequests, seededValues, type ApiDocument } from '../../bench/read-requests.ts';
import { fundWallet } from '../../cli/local-stack/fund-wallet.ts';
import { startHealthyWorker } from '../fixtures/built-worker.ts';
import { PlanReader } from '../fixtures/plan-reader.ts';
import { certificateInput, flexibleInput, type Loose } from '../fixtures/metadata-inputs.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../fixtures/webhook-receiver.ts';
import { removeStackDirectory } from '../record/record-stack.ts';

/**
 * Every operation of the API, the work of the lanes and the deliveries that follow, and the cleanup job, on tables with
 * 100,000 rows: the statements that the Worker sends are planned again, and their plans are read.
 */

const ROWS = 100_000;
const chainId = '43114';

let stack: GrowthStack;
let receiver: WebhookReceiver;
let plans: PlanReader;
let document: ApiDocument;
/** The operations that were used, by their ids. */
const used = new Set<string>();

beforeAll(async () => {
  [stack, receiver] = await Promise.all([
    startGrowthStack(
      { mints: ROWS, otherOrders: ROWS },
      {
        start: (port, settings) => startHealthyWorker(inject('stack').worker, settings, port),
        remove: removeStackDirectory,
      },
    ),
    // The second delivery is retried.
    startWebhookReceiver((count) => (count === 2 ? 503 : 200)),
  ]);
  plans = await PlanReader.connect(stack.databaseUrl);
  document = await fetchDocument(stack.baseUrl);
});
afterAll(async () => {
  await plans?.end();
  await receiver?.close();
  await stack?.stop();
});

const admin = () => ({ 'x-admin-secret-key': stack.settings['ADMIN_SECRET_KEY'] ?? '' });
const caller = (corporateId: string) => ({
  'x-api-key': stack.settings['GLOBAL_SECRET_KEY'] ?? '',
  'x-corporate-id': corporateId,
});

/** Sends a request that must succeed, and keeps the statements that were sent meanwhile. */
async function send(method: string, path: string, headers: Record<string, string>, body?: unknown): Promise<Loose> {
  const isForm = body instanceof FormData || body instanceof Blob;
  const reply = await fetch(`${stack.baseUrl}${path}`, {
    method,
    headers: { ...headers, ...(isForm || body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
  });
  const text = await reply.text();
  plans.add(`${method} ${path}`, stack.recorder.take());
  if (!reply.ok) throw new Error(`${method} ${path} returned ${reply.status}: ${text}`);
  const operation = Object.entries(document.paths)
    .toSorted(([one], [other]) => one.split('{').length - other.split('{').length)
    .find(([pattern, methods]) => method.toLowerCase() in methods && matches(pattern, path))?.[1][method.toLowerCase()];
  used.add(operation?.operationId ?? `${method} ${path}`);
  return reply.headers.get('content-type')?.includes('json') === true ? JSON.parse(text) : undefined;
}

const matches = (pattern: string, path: string) =>
  new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path.replace(/\?.*/, ''));

/** A client of an account that waits for what it orders. */
function clientOf(corporateId: string) {
  const headers = caller(corporateId);
  const post = (path: string, body?: unknown, more = {}) => send('POST', path, { ...headers, ...more }, body);
  const until = async (path: string, ...ends: string[]): Promise<Loose> => {
    let resource: Loose;
    const read = async () => (resource = await send('GET', path, headers)).status;
    await expect.poll(read, { interval: 100 }).toSatisfy((status) => ends.includes(status as string));
    return resource;
  };
  const deployed = async (fields: object = {}, path = '/contracts/deploy') => {
    const contract = { chainId, name: 'Plans', symbol: 'P', ercStandard: '721', contractType: 'standard', ...fields };
    const { _id } = await post(path, path === '/contracts/deploy' ? contract : { chainId, alias: 'plans' });
    return await until(`/contracts/${_id}`, 'ACTIVE');
  };
  let lastToken = 10_000_000;
  const mint = async (fields: object = {}) => ({
    chainId,
    tokenId: String((lastToken += 1)),
    metadataId: (await post('/metadata', flexibleInput))._id,
    ...fields,
  });
  return { headers, post, until, deployed, mint };
}

type AccountClient = ReturnType<typeof clientOf>;

async function orderEverything(client: AccountClient, corporateId: string): Promise<void> {
  const { post, until, deployed, mint } = client;
  const holderKey = generatePrivateKey();
  const holder = privateKeyToAddress(holderKey);
  const friend = privateKeyToAddress(generatePrivateKey());
  const limits = {
    ordersPerDay: 100_000,
    pendingOrders: 10_000,
    spend: { [chainId]: { perDay: '500', gasPrice: '1000' } },
  };
  await send('PUT', `/admin/accounts/${corporateId}/limits`, admin(), limits);
  await send('DELETE', `/admin/accounts/${corporateId}/issuer`, admin());
  const { contractAddress: forwarderAddress } = await deployed({}, '/contracts/forwarder');
  const { contractAddress } = await deployed();
  const own = { contractAddress, receiverAddress: holder };
  const order = await post('/minting/order', await mint(own), { 'idempotency-key': 'plans-1' });
  const plural = await post('/minting/orders', await mint(own));
  const batch = await post('/minting/orders/batch', { orders: [await mint(own), await mint(own)] });
  const burned = await post('/minting/order', await mint({ ...own, receiverAddress: forwarderAddress }));
  await until(`/minting/${burned.id}`, 'FAILED');
  const first = await until(`/minting/${order.id}`, 'CONFIRMED');
  for (const id of [plural.id, ...batch.results.map((result: Loose) => result.order.id)]) {
    await until(`/minting/${id}`, 'CONFIRMED');
  }
  const { tokenId, metadataId } = first;
  await post('/minting/occupancy/check', { chainId, contractAddress, tokenId, metadataId });
  await post(`/metadata/${metadataId}/status`, { status: 'Redeemed' });
  await post('/contracts/read', { chainId, contractAddress, method: 'owner', args: [] });

  const transfer = { chainId, contractAddress, tokenId, from: holder, to: friend };
  await post('/transfer/prepare', transfer);
  const { signature } = await post('/transfer/signature', { ...transfer, privateKey: holderKey });
  const moved = await post('/transfer/execute', { ...transfer, signature });
  await post('/transfer/execute', { ...transfer, signature });
  await until(`/transfer/${moved.id}`, 'CONFIRMED');

  const held = await deployed({ currentOwnerAddress: holder });
  const relayed = await mint({ contractAddress: held.contractAddress, receiverAddress: holder, from: holder });
  await post('/minting/prepare', relayed);
  const signed = await post('/minting/signature', { ...relayed, privateKey: holderKey });
  const relay = { ...relayed, signature: signed.signature, gasLimit: signed.request.gas, forwarderAddress };
  await until(`/minting/${(await post('/minting/relay', relay)).id}`, 'CONFIRMED');

  const handed = await deployed();
  const ownership = { chainId, contractAddress: handed.contractAddress, newOwnerAddress: friend };
  const { jobId } = await post('/contracts/transfer-ownership', ownership);
  await until(`/contracts/transfer-ownership/${jobId}`, 'CONFIRMED');

  await burnAndRevoke(client, corporateId, contractAddress, privateKeyToAccount(holderKey));
  await editEverything(client, corporateId, own);

  await claimEverything(client, own);
  await importEverything(client, contractAddress, holder);
  await cancelEverything(client, corporateId, { contractAddress, holder, holderKey, friend }, plural);
}

/** Imports a document and its mint, and cancels another import. */
async function importEverything({ headers, post, until }: AccountClient, contractAddress: string, holder: string) {
  const file = `receiverAddress,tokenId,name,imageUrl,utility.type,utility.data.status
    ${holder},20000000,Imported,https://example.com/a.png,Flexible,Unused`;
  const path = `/imports?kind=tokens&chainId=${chainId}&contractAddress=${contractAddress}`;
  const upload = async () => {
    const { id } = await post(path, new Blob([file.replaceAll(/^ +/gm, '')], { type: 'text/csv' }));
    await until(`/imports/${id}`, 'CHECKED');
    return id;
  };
  const run = await upload();
  await post(`/imports/${run}/start`, {});
  await until(`/imports/${run}`, 'COMPLETED');
  await send('GET', `/imports/${run}/result`, headers);
  const other = await upload();
  const database = new Client({ connectionString: stack.databaseUrl });
  await database.connect();
  // Nobody works on it until tomorrow.
  await database.query("update imports set status = 'RUNNING', next_try_at = now() + interval '1 day' where id = $1", [
    other,
  ]);
  await database.end();
  for (const action of ['pause', 'resume', 'cancel']) await post(`/imports/${other}/${action}`);
}

/** Claims a token of a range by its link, and cancels another claim. */
async function claimEverything(
  { post, until, mint }: AccountClient,
  { receiverAddress, ...own }: Loose,
): Promise<void> {
  const { tokenId: _, ...fields } = await mint(own);
  const { id, url } = await post('/claims', { ...fields, tokenIds: { from: '1', to: '10000' }, pin: '4711' });
  const secret = new URL(url).hash.slice(1);
  await post(`/claims/${id}/open`, { secret });
  await post(`/claims/${id}/claim`, { secret, receiverAddress, pin: '4711' });
  await until(`/minting/${id}`, 'CONFIRMED');
  const { results } = await post('/claims/batch', { claims: [await mint(own)] });
  await post(`/claims/${results[0].claim.id}/cancel`);
}

/** Mints a token, and waits for it. @returns the order. */
async function minted({ post, until, mint }: AccountClient, fields: object): Promise<Loose> {
  const order = await post('/minting/order', await mint(fields));
  return await until(`/minting/${order.id}`, 'CONFIRMED');
}

/** Holds all orders of an account while `run` runs. */
async function whilePaused(corporateId: string, run: () => Promise<void>): Promise<void> {
  await send('POST', `/admin/accounts/${corporateId}/pause`, admin());
  await run();
  await send('POST', `/admin/accounts/${corporateId}/resume`, admin());
}

async function burnAndRevoke(
  client: AccountClient,
  corporateId: string,
  contractAddress: string,
  holder: ReturnType<typeof privateKeyToAccount>,
): Promise<void> {
  const { post, until, deployed } = client;
  const signedBurn = async () => {
    const { tokenId } = await minted(client, { contractAddress, receiverAddress: holder.address });
    const burn = { chainId, contractAddress, tokenId, from: holder.address };
    const { domain, types, primaryType, request } = await post('/burn/prepare', burn);
    const signature = await holder.signTypedData({ domain, types, primaryType, message: request });
    const { gas: gasLimit, nonce: forwarderNonce } = request;
    return { ...burn, gasLimit, forwarderNonce, forwarderAddress: domain.verifyingContract, signature };
  };
  const { contractAddress: certificates } = await deployed({ contractType: 'certificate', burnAuth: 'issuer' });
  const revocation = async () => {
    const { _id: metadataId, metadataHash } = await post('/metadata', certificateInput);
    const uses = { metadataId, metadataHash, tokenUri: 'https://example.com/certificate' };
    const certificate = { contractAddress: certificates, receiverAddress: holder.address, ...uses };
    const { tokenId } = await minted(client, certificate);
    return { chainId, contractAddress: certificates, tokenId, from: holder.address, reason: 'Lost' };
  };
  const burn = await signedBurn();
  const { id } = await post('/burn/execute', burn);
  await post('/burn/execute', burn);
  await until(`/burn/${id}`, 'CONFIRMED');
  const revoked = await post('/certificates/revoke', await revocation());
  await until(`/certificates/revoke/${revoked.id}`, 'CONFIRMED');
  const batch = await post('/certificates/revoke/batch', { revocations: [await revocation()] });
  await until(`/certificates/revoke/${batch.results[0].revocation.id}`, 'CONFIRMED');
  const receiverAddress = privateKeyToAddress(generatePrivateKey());
  const reissued = await post('/certificates/reissue', { ...(await revocation()), receiverAddress });
  await until(`/minting/${reissued.mint.id}`, 'CONFIRMED');
  const [another, other] = [await signedBurn(), await revocation()];
  await whilePaused(corporateId, async () => {
    await post('/burn/cancel', { id: (await post('/burn/execute', another)).id });
    await post('/certificates/revoke/cancel', { id: (await post('/certificates/revoke', other)).id });
  });
}

/** Edits the metadata of a token, and announces it. */
async function editEverything(client: AccountClient, corporateId: string, own: object): Promise<void> {
  const { headers, post, until } = client;
  const { metadataId } = await minted(client, own);
  await send('PUT', '/metadata/status-rules', headers, { rules: { Ticket: { Unused: ['Used'], Used: [] } } });
  await send('PATCH', `/metadata/${metadataId}`, { ...headers, 'if-match': '"1"' }, { name: 'Edited' });
  const { id } = await post('/chain-notifications', { metadataId });
  await until(`/chain-notifications/${id}`, 'CONFIRMED');
  const { _id: contractId, contractAddress } = await client.deployed();
  await send('PUT', `/contracts/${contractId}/metadata`, headers, { name: 'Plans' });
  await send('GET', `/contracts/${contractId}/metadata/versions`, headers);
  await send('GET', `/metadata/${contractAddress}`, {});
  const collection = await post('/chain-notifications', { contractId });
  await until(`/chain-notifications/${collection.id}`, 'CONFIRMED');
  const base = await post('/contracts/base-uri', { chainId, contractAddress });
  await until(`/contracts/base-uri/${base.id}`, 'CONFIRMED');
  await whilePaused(corporateId, async () => {
    const { id: unsigned } = await post('/contracts/base-uri', { chainId, contractAddress });
    await post('/contracts/base-uri/cancel', { id: unsigned });
    await post('/chain-notifications/cancel', { id: (await post('/chain-notifications', { metadataId })).id });
  });
  await post(`/metadata/${metadataId}/freeze`);
}

async function cancelEverything(
  { post, mint }: AccountClient,
  corporateId: string,
  { contractAddress, holder, holderKey, friend }: Loose,
  { tokenId }: Loose,
): Promise<void> {
  const transfer = { chainId, contractAddress, tokenId, from: holder, to: friend };
  const { signature } = await post('/transfer/signature', { ...transfer, privateKey: holderKey });
  await send('POST', `/admin/chains/${chainId}/pause`, admin());
  await send('POST', `/admin/chains/${chainId}/resume`, admin());
  await send('POST', `/admin/accounts/${corporateId}/pause`, admin());
  const own = { contractAddress, receiverAddress: holder };
  const deployment = { chainId, name: 'Plans', symbol: 'P', ercStandard: '721', contractType: 'standard' };
  const [first, second] = [
    await post('/minting/order', await mint(own)),
    await post('/minting/order', await mint(own)),
  ];
  await expect.poll(() => receiver.deliveries.map(({ event }) => event.type)).toContain('order.held');
  await post('/minting/cancel', { id: first.id });
  await send('POST', `/admin/orders/${second.id}/cancel`, admin());
  await post('/transfer/cancel', { id: (await post('/transfer/execute', { ...transfer, signature })).id });
  await post('/contracts/cancel', { id: (await post('/contracts/deploy', deployment))._id });
  const { jobId } = await post('/contracts/transfer-ownership', { chainId, contractAddress, newOwnerAddress: friend });
  await post('/contracts/transfer-ownership/cancel', { id: jobId });
  await send('POST', `/admin/accounts/${corporateId}/resume`, admin());
}

/** A contract that the account's wallet owns, deployed without the service. */
async function deployedElsewhere(wallet: `0x${string}`): Promise<unknown> {
  const rpcUrl = stack.rpcUrls[chainId] ?? '';
  const account = privateKeyToAccount(generatePrivateKey());
  await fundWallet(account.address, [rpcUrl]);
  const chain = createWalletClient({ account, transport: http(rpcUrl) }).extend(publicActions);
  const args = ['Elsewhere', 'ELSE', wallet, zeroAddress, '', wallet, 0n] as const;
  const hash = await chain.sendTransaction({ chain: null, data: encodeDeployData({ ...standard721, args }) });
  return (await chain.waitForTransactionReceipt({ hash })).contractAddress;
}

async function manageAccount({ headers, post }: AccountClient, corporateId: string, wallet: string): Promise<void> {
  const contractAddress = await deployedElsewhere(wallet as `0x${string}`);
  const registration = { chainId, contractAddress, ercStandard: '721', contractType: 'standard' };
  const { _id: registered } = await post('/contracts/register', registration);
  await send('DELETE', `/contracts/${registered}`, headers);
  const ofAdmin = { ...admin(), 'x-corporate-id': corporateId };
  const key = await send('POST', '/keys', ofAdmin, { name: 'Plans', scopes: ['read', 'webhooks', 'keys'] });
  const child = { name: 'Child', scopes: ['read'] };
  const managing = await send('POST', '/keys', ofAdmin, { name: 'Managing', scopes: ['read', 'keys'] });
  await send('POST', '/keys', { 'x-api-key': managing.key }, child);
  // Most records are of chains that it may not see.
  const testKey = await send('POST', '/keys', ofAdmin, {
    name: 'Test',
    scopes: ['read', 'webhooks', 'keys'],
    kind: 'test',
  });
  for (const ofKey of [key, testKey]) {
    for (const list of [
      'minting',
      'claims',
      'imports',
      'transfer',
      'metadata',
      'contracts',
      'holdings',
      'webhooks/deliveries',
      'audit',
      'approvals',
    ]) {
      await send('GET', `/${list}`, { 'x-api-key': ofKey.key });
    }
  }
  await send('DELETE', `/keys/${key.id}?descendants=true&endResources=true`, ofAdmin);

  await send('POST', '/approvals/setting', ofAdmin, { required: true });
  const [approved, refused] = [
    await post('/contracts/forwarder', { chainId, alias: 'second' }),
    await post('/contracts/forwarder', { chainId, alias: 'third' }),
  ];
  await send('POST', `/approvals/${approved._id}/approve`, ofAdmin);
  await send('POST', `/approvals/${refused._id}/refuse`, ofAdmin);
  await send('POST', '/approvals/setting', ofAdmin, { required: false });

  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(PNG)], { type: 'image/png' }), 'a.png');
  await post('/assets/upload', form);
}

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

async function manageWebhooks({ headers, post }: AccountClient, id: string): Promise<void> {
  const delivered = async () => (await send('GET', `/webhooks/deliveries?endpointId=${id}`, headers)).items;
  await post(`/webhooks/endpoints/${id}/test`);
  await expect.poll(async () => (await delivered())[0].status).toBe('SUCCESS');
  const [delivery] = await delivered();
  await send('POST', `/admin/webhooks/deliveries/${delivery.id}/replay`, admin());
  await expect.poll(async () => (await delivered())[0].status).toBe('SUCCESS');
  await post(`/webhooks/deliveries/${delivery.id}/replay`);
  const failed = { since: new Date(Date.now() - 86_400_000).toISOString() };
  await post('/webhooks/deliveries/replay', failed);
  await send('POST', `/admin/webhooks/endpoints/${id}/replay`, admin(), failed);
  await post(`/webhooks/endpoints/${id}/rotate-secret`);
  await send('DELETE', `/webhooks/endpoints/${id}`, headers);
}

it(
  'no request, lane, queue consumer or cleanup job scans a table of more than 1,000 rows',
  { timeout: 400_000 },
  async () => {
    const [largest, second, small] = stack.accounts;
    const issuer = { name: 'Acme', logoUrl: 'https://acme.example/logo.svg', domain: 'acme.example' };
    for (const account of [largest, small]) {
      await send('PUT', `/admin/accounts/${account.corporateId}/issuer`, admin(), issuer);
      for (const request of readRequests(document, await seededValues(stack.databaseUrl, account._id))) {
        const headers = request.isAdmin
          ? { ...admin(), 'x-corporate-id': account.corporateId }
          : caller(account.corporateId);
        await send('GET', request.path, headers);
      }
    }
    for (const { corporateId, walletAddress } of [largest, second]) {
      const client = clientOf(corporateId);
      const endpoint = await client.post('/webhooks/endpoints', { url: receiver.url, eventTypes: null });
      const everything = { eventTypes: [...EVENT_TYPES] };
      await send('PATCH', `/webhooks/endpoints/${endpoint.id}`, client.headers, everything);
      await orderEverything(client, corporateId);
      await manageAccount(client, corporateId, walletAddress);
      await manageWebhooks(client, endpoint.id);
    }
    // The last one removes what is older than its retention.
    for (const days of [0, 0.02, 12]) await stack.cleanUpAfter(days * 24 * 60);
    plans.add('the cleanup job', stack.recorder.take());

    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    expect(operations.map(({ operationId }) => operationId).filter((id) => !used.has(id))).toEqual([]);
    expect(await plans.scans(1_000)).toEqual([]);
    expect(await plans.unindexedReferences()).toEqual([]);
  },
);

it('the metrics read few rows, however many there are', async () => {
  await send('GET', '/admin/metrics', admin());
  for (const part of ['orders', 'lanes', 'webhooks']) {
    const rows = await plans.rowsRead(`metrics-${part}`);
    expect([part, rows]).toEqual([part, expect.toSatisfy((count) => count < 500)]);
  }
});

it('a filter without an index finds every record, however far back, page by page', async () => {
  const [{ corporateId, _id: accountId }] = stack.accounts;
  const found: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const query = `statusCode=409${cursor === '' ? '' : `&cursor=${cursor}`}`;
    const page: Loose = await send('GET', `/audit?${query}`, { ...admin(), 'x-corporate-id': corporateId });
    found.push(...page.items.map(({ id }: Loose) => id));
    cursor = page.nextCursor;
  }
  const database = new Client({ connectionString: stack.databaseUrl });
  await database.connect();
  const { rows } = await database.query<{ id: string }>(
    'select id from audit_log where status_code = 409 and corporate_account_id = $1 order by id desc',
    [accountId],
  );
  await database.end();
  expect(rows.length).toBeGreaterThan(1);
  expect(found).toEqual(rows.map(({ id }) => id));
});

const EVENT_TYPES = [
  'mint.confirmed',
  'mint.failed',
  'mint.cancelled',
  'transfer.confirmed',
  'order.sent',
  'order.held',
];
