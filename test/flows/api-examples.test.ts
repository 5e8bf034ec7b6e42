import { Client as Postgres } from 'pg';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import {
  createTestClient,
  createWalletClient,
  encodeDeployData,
  http,
  parseEther,
  publicActions,
  zeroAddress,
  type Address,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from 'viem/accounts';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import { confirmIssuer } from '../../cli/corporate/confirm-issuer.ts';
import { fundWallet } from '../../cli/local-stack/fund-wallet.ts';
import { sendJson, startHttpServer } from '../../stack/http-server.ts';
import { withBuiltWorker } from '../fixtures/built-worker.ts';
import { createRecorder, type RecordedRequest, type Recorder } from '../fixtures/api-recorder.ts';
import { certificateInput, ticketInput, type Loose } from '../fixtures/metadata-inputs.ts';
import { startOwnStack, type OwnStack } from '../fixtures/own-stack.ts';
import { startWebhookReceiver, type Delivery, type WebhookReceiver } from '../fixtures/webhook-receiver.ts';
import { expectErrors } from '../record/service-errors.ts';

expectErrors('request.failed');

/**
 * Every request and reply that the API document shows, made on a stack of its own, since the replies of the operator's
 * routes depend on all that happens. `npm run api:examples` records them in src/http/examples.json.
 */

const chainId = '43114';
/** Its node does not answer. */
const downChainId = '43113';
const corporateId = 'b3a1c2d4-5e6f-4a7b-8c9d-0e1f2a3b4c5d';
const holderKey = generatePrivateKey();
const holder = privateKeyToAddress(holderKey);
const friend = privateKeyToAddress(generatePrivateKey());
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

let stack: OwnStack;
let receiver: WebhookReceiver;
let api: Recorder;
let document: Loose;
let wallet: Address;
let admin: Record<string, string>;
let forwarder: Address;
let collection: Address;
let lastToken = 0;

beforeAll(async () => {
  [stack, receiver] = await Promise.all([
    startOwnStack({ [`RPC_URL_${downChainId}`]: 'http://127.0.0.1:9' }),
    startWebhookReceiver(),
  ]);
  const account = await stack.createAccount({ name: 'Example', corporateId });
  wallet = account.walletAddress as Address;
  await fundWallet(wallet, [stack.rpcUrls[chainId] ?? '']);
  document = await (await fetch(`${stack.baseUrl}/openapi.json`)).json();
  api = createRecorder(stack.baseUrl, document, {
    'x-api-key': stack.settings['GLOBAL_SECRET_KEY'] ?? '',
    'x-corporate-id': corporateId,
  });
  admin = { 'x-admin-secret-key': stack.settings['ADMIN_SECRET_KEY'] ?? '' };
});
afterAll(async () => {
  await stack.stop();
  await receiver.close();
});

/** Sends a request that must succeed. @returns the body of the reply. */
async function send(method: string, path: string, request: RecordedRequest = {}) {
  const { status, body } = await api.send(method, path, request);
  if (status >= 400) throw new Error(`${method} ${path}: ${JSON.stringify(body)}`);
  return body;
}

const get = (path: string, headers: Record<string, string> = {}) => send('GET', path, { headers });
const post = (path: string, body?: unknown, headers: Record<string, string> = {}) =>
  send('POST', path, { headers, ...(body === undefined ? {} : { body }) });

/** It is sent when nothing was mined for a minute. */
const NOT_SHOWN = 'lane.stuck';

/** The types of the events that the document describes. */
const eventTypes = () => Object.keys(document.webhooks);

const anvil = () => createTestClient({ mode: 'anvil', transport: http(stack.rpcUrls[chainId]) }).extend(publicActions);

/** Waits, without recording, until a resource is in this state. */
async function until(path: string, status: string): Promise<void> {
  const headers = { 'x-api-key': stack.settings['GLOBAL_SECRET_KEY'] ?? '', 'x-corporate-id': corporateId };
  const read = async () => ((await (await fetch(`${stack.baseUrl}${path}`, { headers })).json()) as Loose).status;
  await expect.poll(read, { interval: 100 }).toBe(status);
}

const newMetadata = async (): Promise<string> => (await post('/metadata', ticketInput))._id;

const mintOf = async (fields: Record<string, unknown> = {}) => ({
  chainId,
  contractAddress: collection,
  receiverAddress: holder,
  tokenId: String((lastToken += 1)),
  metadataId: await newMetadata(),
  ...fields,
});

async function minted(
  fields: Record<string, unknown> = {},
): Promise<{ id: string; tokenId: string; metadataId: string; txHash: string }> {
  const order = await post('/minting/order', await mintOf(fields));
  await until(`/minting/${order.id}`, 'CONFIRMED');
  return await get(`/minting/${order.id}`);
}

const deployment = {
  chainId,
  name: 'Opening night',
  symbol: 'TIX',
  ercStandard: '721',
  contractType: 'standard',
  royaltyFeeBps: 250,
};

async function deployed(fields: Record<string, unknown> = {}): Promise<Address> {
  const { _id } = await post('/contracts/deploy', { ...deployment, ...fields });
  await until(`/contracts/${_id}`, 'ACTIVE');
  return (await get(`/contracts/${_id}`)).contractAddress;
}

/** A contract that the account's wallet owns, deployed without the service. */
async function deployedElsewhere(): Promise<Address> {
  const rpcUrl = stack.rpcUrls[chainId] ?? '';
  const account = privateKeyToAccount(generatePrivateKey());
  await fundWallet(account.address, [rpcUrl]);
  const chain = createWalletClient({ account, transport: http(rpcUrl) }).extend(publicActions);
  const args = ['Elsewhere', 'ELSE', wallet, zeroAddress, '', wallet, 0n] as const;
  const hash = await chain.sendTransaction({ chain: null, data: encodeDeployData({ ...standard721, args }) });
  const { contractAddress } = await chain.waitForTransactionReceipt({ hash });
  if (contractAddress === null || contractAddress === undefined) throw new Error('Nothing was deployed');
  return contractAddress;
}

/** Sends requests to a second Worker with settings of its own. */
async function sendToOther(settings: Record<string, string>, paths: readonly string[]): Promise<void> {
  await withBuiltWorker(inject('stack').worker, { ...stack.settings, ...settings }, async ({ url }) => {
    for (const path of paths) await api.send('GET', path, { via: (at, init) => fetch(new URL(at, url), init) });
  });
}

async function showAccount(): Promise<void> {
  await get('/health');
  await get('/schemas');
  await get('/schemas/opensea_flexible@1.0.0');
  await get('/status', admin);
  await get('/admin/statistics?hours=1', admin);
  await get('/admin/webhooks', admin);
  await send('PUT', `/admin/accounts/${corporateId}/limits`, {
    headers: admin,
    body: { ordersPerDay: 10_000, spend: { [chainId]: { perDay: '5', gasPrice: '100' } } },
  });
  await get('/limits');
  const key = { name: 'Shop back end', scopes: ['read', 'mint'], kind: 'live', expiresAt: '2027-01-31T12:00:00Z' };
  const once = { ...admin, 'idempotency-key': 'key-1' };
  const { id } = await post('/keys', key, once);
  await post('/keys', key, once);
  await get('/keys', admin);
  await get(`/keys/${id}/resources`, admin);
  await send('DELETE', `/keys/${id}`, { headers: admin });
}

async function showContracts(): Promise<void> {
  const { _id } = await post('/contracts/forwarder', { chainId, alias: 'main' });
  await until(`/contracts/${_id}`, 'ACTIVE');
  collection = await deployed();
  forwarder = (await get(`/contracts/${_id}`)).contractAddress;
  await get('/contracts?limit=1');
  await post('/contracts/read', { chainId, contractAddress: collection, method: 'owner', args: [] });
  const registration = {
    chainId,
    contractAddress: await deployedElsewhere(),
    ercStandard: '721',
    contractType: 'standard',
  };
  const { _id: registered } = await post('/contracts/register', registration);
  await post('/contracts/register', registration);
  await send('DELETE', `/contracts/${registered}`);
}

async function showMints(): Promise<void> {
  const order = await minted();
  await get('/admin/recent-activity', admin);
  await showOperator(order.id);
  await get(`/metadata/${collection}/${order.tokenId}`);
  await get('/metadata?limit=1');
  const metadataId = await newMetadata();
  await get(`/metadata/${metadataId}`);
  await send('PUT', '/metadata/status-rules', { body: { rules: { Ticket: { Unused: ['Used'], Used: [] } } } });
  await get('/metadata/status-rules');
  await post(`/metadata/${metadataId}/status`, { status: 'Used', expected: 'Unused' });
  const edit = (headers: Record<string, string>) =>
    api.send('PATCH', `/metadata/${metadataId}`, { headers, body: { utility: { data: { seat: { zone: 'B' } } } } });
  for (const headers of [{ 'if-match': '"2"' }, { 'if-match': '"2"' }, {}]) await edit(headers);
  await get(`/metadata/${metadataId}/versions`);
  await post(`/metadata/${metadataId}/freeze`);
  await post('/minting/occupancy/check', { chainId, contractAddress: collection, tokenId: order.tokenId, metadataId });
  await get(`/minting/by-tx/${order.txHash}`);
  await get(`/minting/by-token?contractAddress=${collection}&tokenId=${order.tokenId}`);
  await get('/minting?limit=1');
  const plural = await post('/minting/orders', await mintOf());
  const batch = await post('/minting/orders/batch', {
    orders: [await mintOf(), await mintOf({ tokenId: order.tokenId })],
  });
  for (const id of [plural.id, batch.results[0].order.id]) await until(`/minting/${id}`, 'CONFIRMED');
}

/** What the operator sees and does across accounts. */
async function showOperator(orderId: string): Promise<void> {
  await get(`/admin/orders?q=${orderId}`, admin);
  const delivery = async () => {
    const reply = await fetch(`${stack.baseUrl}/admin/orders/${orderId}`, { headers: admin });
    return ((await reply.json()) as Loose).deliveries[0].status;
  };
  await expect.poll(delivery).toBe('SKIPPED');
  await get(`/admin/orders/${orderId}`, admin);
  await get('/admin/wallets', admin);
  const issuer = { name: 'Example Watches', logoUrl: 'https://watches.example/logo.svg', domain: 'watches.example' };
  await send('PUT', `/admin/accounts/${corporateId}/issuer`, { headers: admin, body: issuer });
  await send('DELETE', `/admin/accounts/${corporateId}/issuer`, { headers: admin });
  await get('/admin/accounts', admin);
  await get(`/admin/accounts/${corporateId}`, admin);
  await post(`/admin/accounts/${corporateId}/pause`, undefined, admin);
  const { id } = await post('/minting/order', await mintOf());
  await post(`/admin/orders/${id}/cancel`, undefined, admin);
  await post(`/admin/accounts/${corporateId}/resume`, undefined, admin);
}

async function showClaims(): Promise<void> {
  const { receiverAddress: _, ...fields } = await mintOf();
  const expiresAt = new Date(Date.now() + 30 * 86_400_000).toISOString();
  const { id, url } = await post('/claims', { ...fields, expiresAt, pin: '4711' });
  const secret = new URL(url).hash.slice(1);
  await post(`/claims/${id}/open`, { secret });
  await post(`/claims/${id}/claim`, { secret, receiverAddress: holder, pin: '4711' });
  await until(`/minting/${id}`, 'CONFIRMED');
  await get(`/claims/${id}`);
  const { tokenId: __, ...others } = fields;
  const range = { ...others, metadataId: await newMetadata(), tokenIds: { from: '1000', to: '1499' } };
  const { results } = await post('/claims/batch', { claims: [range, { ...range, tokenIds: undefined }] });
  await get('/claims?limit=1');
  await post(`/claims/${results[0].claim.id}/cancel`);
}

/** An import that runs, and one that is paused, resumed and cancelled while nobody works on it. */
async function showImports(): Promise<void> {
  const columns = ['receiverAddress', 'tokenId', 'name', 'imageUrl', 'utility.type', 'utility.data.status'];
  const upload = async (receiverAddress: string) => {
    const rows = [
      columns,
      [receiverAddress, String((lastToken += 1)), 'Poster', 'https://example.com/a.png', 'Flexible', 'Unused'],
    ];
    const target = new URLSearchParams({ kind: 'tokens', chainId, contractAddress: collection });
    const body = rows.map((row) => `${row.join(',')}\n`).join('');
    const { id } = await post(`/imports?${target.toString()}`, body, { 'content-type': 'text/csv' });
    await until(`/imports/${id}`, 'CHECKED');
    return id;
  };
  await get(`/imports/${await upload('0x1')}`);
  const id = await upload(holder);
  await post(`/imports/${id}/start`, { skipFaulty: true });
  await until(`/imports/${id}`, 'COMPLETED');
  const other = await upload(holder);
  const database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
  await database.connect();
  await database.query(
    "update imports set status = 'RUNNING', started_at = now(), next_try_at = now() + interval '1 day' where id = $1",
    [other],
  );
  await database.end();
  for (const action of ['pause', 'resume', 'cancel']) await post(`/imports/${other}/${action}`);
  await get('/imports?limit=1');
}

/** A claim whose time is over, which the lane finds when it has something else to do. */
async function showExpiredClaim(): Promise<void> {
  const { receiverAddress: _, ...fields } = await mintOf();
  const { id } = await post('/claims', fields);
  const database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
  await database.connect();
  await database.query('update orders set approval_until = now(), next_try_at = now() where order_id = $1', [id]);
  await database.end();
  const other = await post('/claims', { ...fields, tokenId: '1001', metadataId: await newMetadata() });
  const secret = new URL(other.url).hash.slice(1);
  await post(`/claims/${other.id}/claim`, { secret, receiverAddress: holder });
  await until(`/minting/${id}`, 'CANCELLED');
}

async function showSignedRequests(): Promise<void> {
  const { tokenId } = await minted();
  const transfer = { chainId, contractAddress: collection, tokenId, from: holder, to: friend };
  await post('/transfer/prepare', transfer);
  const { signature } = await post('/transfer/signature', { ...transfer, privateKey: holderKey });
  const { id } = await post('/transfer/execute', { ...transfer, signature });
  await until(`/transfer/${id}`, 'CONFIRMED');
  await post('/transfer/execute', { ...transfer, signature });
  const { txHash } = await get(`/transfer/${id}`);
  await get(`/transfer/by-tx/${txHash}`);
  await get('/transfer?limit=1');
  await get(`/api/wallet/nfts?wallet=${friend}`);
  await stack.indexTransfers();
  await get(`/holdings?holder=${friend}`);

  const mint = await mintOf({ contractAddress: await deployed({ currentOwnerAddress: holder }), from: holder });
  await post('/minting/prepare', mint);
  const signed = await post('/minting/signature', { ...mint, privateKey: holderKey });
  const relay = { ...mint, signature: signed.signature, gasLimit: signed.request.gas };
  const order = await post('/minting/relay', { ...relay, forwarderAddress: forwarder });
  await until(`/minting/${order.id}`, 'CONFIRMED');
  await post('/minting/relay', { ...relay, forwarderAddress: forwarder });
}

/** The account asks with one key, and the operator decides as the second person. */
async function showApprovals(): Promise<void> {
  await post('/approvals/setting', { required: true }, admin);
  await get('/approvals/setting');
  const ask = async (alias: string): Promise<string> => (await post('/contracts/forwarder', { chainId, alias }))._id;
  const [approved, refused] = [await ask('second'), await ask('third')];
  await get(`/approvals/${approved}`);
  await get('/approvals?limit=1');
  await post(`/approvals/${approved}/approve`, undefined, admin);
  await until(`/contracts/${approved}`, 'ACTIVE');
  await post(`/approvals/${refused}/refuse`, undefined, admin);
  await post('/approvals/setting', { required: false }, admin);
}

async function showAudit(): Promise<void> {
  await get('/audit?limit=1', admin);
  await get('/admin/audit?limit=1', admin);
}

async function showUpload(): Promise<void> {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(PNG)], { type: 'image/png' }), 'ticket.png');
  await send('POST', '/assets/upload', { form });
}

async function showWebhooks(): Promise<void> {
  const endpoint = { url: receiver.url, eventTypes: null, description: 'Production' };
  const { id } = await post('/webhooks/endpoints', endpoint);
  await get('/webhooks/endpoints');
  await get(`/webhooks/endpoints/${id}`);
  await send('PATCH', `/webhooks/endpoints/${id}`, {
    body: { eventTypes: ['mint.confirmed', 'mint.failed', 'order.held'] },
  });
  const selected = eventTypes().filter((type) => type !== 'webhook.test');
  await send('PATCH', `/webhooks/endpoints/${id}`, { body: { eventTypes: selected } });
  await post(`/webhooks/endpoints/${id}/test`);
  await expect.poll(deliveries).toContain('webhook.test');
  const delivered = async () => {
    const list = await fetch(`${stack.baseUrl}/webhooks/deliveries?endpointId=${id}`, {
      headers: { 'x-api-key': stack.settings['GLOBAL_SECRET_KEY'] ?? '', 'x-corporate-id': corporateId },
    });
    return ((await list.json()) as Loose).items[0].status;
  };
  await expect.poll(delivered).toBe('SUCCESS');
  const { items } = await get(`/webhooks/deliveries?endpointId=${id}`);
  await get(`/webhooks/deliveries/${items[0].id}`);
  await post(`/admin/webhooks/deliveries/${items[0].id}/replay`, undefined, admin);
  await expect.poll(delivered).toBe('SUCCESS');
  await post(`/webhooks/deliveries/${items[0].id}/replay`);
  await post(`/admin/webhooks/endpoints/${id}/replay`, { since: '2026-11-01T00:00:00Z' }, admin);
  await post('/webhooks/deliveries/replay', { since: '2026-11-01T00:00:00Z', endpointId: id });
  await post(`/webhooks/endpoints/${id}/rotate-secret`);

  await showEvents();
  await send('DELETE', `/webhooks/endpoints/${id}`);
}

/** The types of the events that arrived. */
const deliveries = () => receiver.deliveries.map(({ event }) => event.type);

/** The orders of the held events that arrived. */
const heldOrders = () => receiver.deliveries.map(({ event }) => event.type === 'order.held' && event.data['orderId']);

const ofMint = ({ event }: Delivery) => Number(event.data['orderKind'] === 'mint');

async function showEvents(): Promise<void> {
  await showEndsOfOrders();
  await showBurnsAndRevocations();
  await showWithdrawnOrders();
  await showExpiredClaim();
  await showFailures();
  await showNotices();
  await stack.indexTransfers();
  for (const type of eventTypes().filter((one) => one !== NOT_SHOWN)) await expect.poll(deliveries).toContain(type);
  // The first event of a type is shown. Several orders are held at once, their events arrive in any order: mints first.
  for (const { event } of receiver.deliveries.toSorted((a, b) => ofMint(b) - ofMint(a))) api.receive(event);
}

const adminPost = (path: string) => post(path, undefined, admin);

/** A transfer of a new token, and what withdraws it from the holder's hands: the same with `purpose` cancel. */
async function signedTransfer() {
  const { tokenId } = await minted();
  const transfer = { chainId, contractAddress: collection, tokenId, from: holder, to: friend };
  const { signature, request } = await post('/transfer/signature', { ...transfer, privateKey: holderKey });
  return { ...transfer, signature, forwarderNonce: request.nonce, forwarderAddress: forwarder };
}

/** What readers of other formats get of a certificate. */
async function showCredentials(contractAddress: string, tokenId: string): Promise<void> {
  const { credentialStatus, issuer } = await get(`/certificates/${contractAddress}/${tokenId}/credential`);
  await get(new URL(credentialStatus.statusListCredential).pathname);
  await get(`/issuers/${issuer.id.split(':').at(-1)}/did.json`);
  await get('/.well-known/did.json');
  await get('/.well-known/gs1resolver');
}

/** The holder's revocation of a signed transfer. */
async function revocationOf(transfer: Awaited<ReturnType<typeof signedTransfer>>) {
  const revocation = { ...transfer, purpose: 'cancel' };
  const { domain, types, primaryType, request } = await post('/transfer/prepare', revocation);
  const signer = privateKeyToAccount(holderKey);
  const signature = await signer.signTypedData({ domain, types, primaryType, message: request });
  return { ...revocation, signature };
}

/** The body of POST /burn/execute, signed by the holder's own wallet. */
async function signedBurn(token?: { readonly contractAddress: Address; readonly tokenId: string }) {
  const own = token ?? { contractAddress: collection, tokenId: (await minted()).tokenId };
  const burn = { chainId, contractAddress: own.contractAddress, tokenId: own.tokenId, from: holder };
  const { domain, types, primaryType, request } = await post('/burn/prepare', burn);
  const signature = await privateKeyToAccount(holderKey).signTypedData({
    domain,
    types,
    primaryType,
    message: request,
  });
  return {
    ...burn,
    gasLimit: request.gas,
    forwarderNonce: request.nonce,
    forwarderAddress: domain.verifyingContract,
    signature,
  };
}

/** Issues a certificate. @returns the body that revokes it. */
async function certificateRevocation(contractAddress: Address) {
  const { _id: metadataId, metadataHash } = await post('/metadata', { ...certificateInput, chainId });
  const tokenUri = 'https://horologe.example/certificates/7.json';
  const { tokenId } = await minted({ contractAddress, metadataId, metadataHash, tokenUri });
  return { chainId, contractAddress, tokenId, from: holder, reason: 'Reported stolen' };
}

async function showBurnsAndRevocations(): Promise<void> {
  const signed = await signedBurn();
  const { id } = await post('/burn/execute', signed);
  await until(`/burn/${id}`, 'CONFIRMED');
  await post('/burn/execute', signed);
  const { txHash } = await get(`/burn/${id}`);
  await get(`/burn/by-tx/${txHash}`);
  await get('/burn?limit=1');

  const contractAddress = await deployed({ contractType: 'certificate', burnAuth: 'issuer' });
  const revocation = await post('/certificates/revoke', await certificateRevocation(contractAddress));
  await until(`/certificates/revoke/${revocation.id}`, 'CONFIRMED');
  const revoked = await get(`/certificates/revoke/${revocation.id}`);
  await get(`/certificates/revoke/by-tx/${revoked.txHash}`);
  await get('/certificates/revoke?limit=1');
  await get(`/certificates/${contractAddress}/${revocation.tokenId}/revocation`);
  await showCredentials(contractAddress, revocation.tokenId);
  const issuer = { name: 'Example Watches', logoUrl: 'https://watches.example/logo.svg', domain: 'watches.example' };
  await confirmIssuer(corporateId, issuer, stack.settings['DATABASE_URL'] ?? '');
  await get(`/issuers/${chainId}/${contractAddress}/${wallet}`);

  const revocations = [await certificateRevocation(contractAddress), await certificateRevocation(contractAddress)];
  const batch = await post('/certificates/revoke/batch', {
    revocations: [revocations[0], { ...revocations[1], from: friend }],
  });
  await until(`/certificates/revoke/${batch.results[0].revocation.id}`, 'CONFIRMED');

  const own = await certificateRevocation(contractAddress);
  const reissued = await post('/certificates/reissue', { ...own, receiverAddress: friend });
  await until(`/minting/${reissued.mint.id}`, 'CONFIRMED');

  const [burn, another] = [await signedBurn(), await certificateRevocation(contractAddress)];
  await adminPost(`/admin/accounts/${corporateId}/pause`);
  await post('/burn/cancel', { id: (await post('/burn/execute', burn)).id });
  await post('/certificates/revoke/cancel', { id: (await post('/certificates/revoke', another)).id });
  await adminPost(`/admin/accounts/${corporateId}/resume`);

  // Both revert since they were accepted.
  const broken = await deployed({ contractType: 'certificate', burnAuth: 'both' });
  const late = await certificateRevocation(broken);
  const lateBurn = await signedBurn(late);
  await adminPost(`/admin/accounts/${corporateId}/pause`);
  const failing = [await post('/burn/execute', lateBurn), await post('/certificates/revoke', late)];
  await anvil().setCode({ address: broken, bytecode: '0x5f5ffd' });
  await adminPost(`/admin/accounts/${corporateId}/resume`);
  await until(`/burn/${failing[0].id}`, 'FAILED');
  await until(`/certificates/revoke/${failing[1].id}`, 'FAILED');
}

async function showEndsOfOrders(): Promise<void> {
  const transfer = await post('/transfer/execute', await signedTransfer());
  await until(`/transfer/${transfer.id}`, 'CONFIRMED');
  const contractAddress = await deployed();
  const ownership = { chainId, contractAddress, newOwnerAddress: friend };
  const { jobId } = await post('/contracts/transfer-ownership', ownership);
  await until(`/contracts/transfer-ownership/${jobId}`, 'CONFIRMED');
  await get(`/contracts/transfer-ownership/${jobId}`);
  const changed = { metadataId: (await minted()).metadataId };
  const { id: notification } = await post('/chain-notifications', changed);
  await until(`/chain-notifications/${notification}`, 'CONFIRMED');
  await get(`/chain-notifications/${notification}`);
  const rebased = { chainId, contractAddress: await deployed(), metadataBaseUri: 'https://nft.example.com/metadata' };
  const { id: baseUriChange } = await post('/contracts/base-uri', rebased);
  await until(`/contracts/base-uri/${baseUriChange}`, 'CONFIRMED');
  await get(`/contracts/base-uri/${baseUriChange}`);
  await showCollection(collection);
}

async function showCollection(contractAddress: Address): Promise<void> {
  const { items } = await get('/contracts');
  const { _id: contractId } = items.find((contract: Loose) => contract.contractAddress === contractAddress);
  const nights = {
    name: 'Opening nights',
    symbol: 'TIX',
    description: 'Tickets of the season.',
    imageUrl: 'https://example.com/logo.png',
    bannerImageUrl: 'https://example.com/banner.png',
    featuredImageUrl: 'https://example.com/featured.png',
    externalUrl: 'https://example.com/tickets',
    collaborators: [friend],
  };
  await send('PUT', `/contracts/${contractId}/metadata`, { body: nights });
  await get(`/contracts/${contractId}/metadata`);
  await get(`/contracts/${contractId}/metadata/versions`);
  await get(`/metadata/${contractAddress}`);
  await get(`/collections/${chainId}/${contractAddress}`);
  await get(`/deployments/${chainId}/${contractAddress}`);
  await get(`/collections/${chainId}/${contractAddress}/tokens`);
}

async function showWithdrawnOrders(): Promise<void> {
  const [revoked, kept] = [await signedTransfer(), await signedTransfer()];
  const changed = { metadataId: (await minted()).metadataId };
  await adminPost(`/admin/chains/${chainId}/pause`);
  await adminPost(`/admin/chains/${chainId}/resume`);
  await adminPost(`/admin/accounts/${corporateId}/pause`);
  const held = await post('/minting/order', await mintOf());
  await expect.poll(heldOrders).toContain(held.id);
  await post('/minting/cancel', { id: held.id });
  await post('/chain-notifications/cancel', { id: (await post('/chain-notifications', changed)).id });
  await post('/contracts/cancel', { id: (await post('/contracts/deploy', deployment))._id });
  const mine = { chainId, contractAddress: collection, newOwnerAddress: friend };
  const transferOfOwnership = await post('/contracts/transfer-ownership', mine);
  await post('/contracts/transfer-ownership/cancel', { id: transferOfOwnership.jobId });
  const rebased = { chainId, contractAddress: collection, metadataBaseUri: 'https://nft.example.com/metadata' };
  await post('/contracts/base-uri/cancel', { id: (await post('/contracts/base-uri', rebased)).id });
  // Both transfers have the same nonce: the one is cancelled, and the revocation of the other is first, which fails it.
  await post('/transfer/cancel', { id: (await post('/transfer/execute', kept)).id });
  await post('/transfer/cancel', { id: (await post('/transfer/execute', await revocationOf(kept))).id });
  const transfer = await post('/transfer/execute', revoked);
  const revocation = await post('/transfer/execute', await revocationOf(revoked));
  await adminPost(`/admin/accounts/${corporateId}/resume`);
  await until(`/transfer/${revocation.id}`, 'CONFIRMED');
  await until(`/transfer/${transfer.id}`, 'FAILED');
}

async function showFailures(): Promise<void> {
  // A contract that takes no tokens.
  const refused = await post('/minting/order', await mintOf({ receiverAddress: forwarder }));
  await until(`/minting/${refused.id}`, 'FAILED');
  // The transfer is mined before its revocation.
  const transfer = await signedTransfer();
  const revocation = await revocationOf(transfer);
  await anvil().setAutomine(false);
  const first = await post('/transfer/execute', transfer);
  await until(`/transfer/${first.id}`, 'SENT');
  const late = await post('/transfer/execute', revocation);
  await anvil().setAutomine(true);
  await anvil().mine({ blocks: 1 });
  await until(`/transfer/${late.id}`, 'FAILED');
  // What an order calls reverts since it was accepted.
  const contractAddress = await deployed();
  const { metadataId } = await minted({ contractAddress });
  await adminPost(`/admin/accounts/${corporateId}/pause`);
  const notification = await post('/chain-notifications', { metadataId });
  const rebased = { chainId, contractAddress, metadataBaseUri: 'https://nft.example.com/metadata' };
  const baseUriChange = await post('/contracts/base-uri', rebased);
  const refusedDeployment = await post('/contracts/deploy', deployment);
  const ownership = { chainId, contractAddress, newOwnerAddress: friend };
  const { jobId } = await post('/contracts/transfer-ownership', ownership);
  const proxy = '0x4e59b44847b379578588920cA78FbF26c0B4956C';
  const bytecode = (await anvil().getCode({ address: proxy })) ?? '0x';
  for (const address of [proxy, contractAddress] as const) await anvil().setCode({ address, bytecode: '0x5f5ffd' });
  await adminPost(`/admin/accounts/${corporateId}/resume`);
  await until(`/contracts/${refusedDeployment._id}`, 'FAILED');
  await until(`/contracts/transfer-ownership/${jobId}`, 'FAILED');
  await until(`/chain-notifications/${notification.id}`, 'FAILED');
  await until(`/contracts/base-uri/${baseUriChange.id}`, 'FAILED');
  await anvil().setCode({ address: proxy, bytecode });
}

async function showNotices(): Promise<void> {
  await post('/approvals/setting', { required: true }, admin);
  const awaited = await post('/contracts/forwarder', { chainId, alias: 'fourth' });
  await post(`/approvals/${awaited._id}/refuse`, undefined, admin);
  await post('/approvals/setting', { required: false }, admin);
  const limits = (body: object) => send('PUT', `/admin/accounts/${corporateId}/limits`, { headers: admin, body });
  await limits({ ordersPerDay: 0 });
  await api.send('POST', '/minting/order', { body: await mintOf() });
  await limits({});
  await anvil().setBalance({ address: wallet, value: parseEther('0.09') });
  await minted();
  await expect.poll(deliveries).toContain('wallet.low');
  await anvil().setBalance({ address: wallet, value: parseEther('100') });
}

async function showErrors(): Promise<void> {
  const invalid = { chainId, contractAddress: collection, receiverAddress: zeroAddress, tokenId: '01' };
  await api.send('POST', '/minting/order', { body: invalid });
  await api.send('GET', '/contracts', { headers: { 'x-api-key': 'wrong' } });
  await api.send('GET', '/contracts', { headers: { 'x-corporate-id': 'unknown' } });
  await api.send('GET', `/contracts/${'0'.repeat(24)}`);
  await api.send('POST', '/minting/order', { body: await mintOf({ tokenId: '1' }) });
  await api.send('POST', '/contracts/deploy', { body: JSON.stringify({ name: 'x'.repeat(70_000) }) });
  await api.send('POST', '/contracts/deploy', { body: 'name=x', headers: { 'content-type': 'text/plain' } });
  const headers = { 'idempotency-key': 'twice' };
  await post('/contracts/forwarder', { chainId, alias: 'second' }, headers);
  await api.send('POST', '/contracts/forwarder', { headers, body: { chainId, alias: 'third' } });
  await api.send('POST', '/contracts/read', {
    body: { chainId: downChainId, contractAddress: collection, method: 'owner', args: [] },
  });
  await send('PUT', `/admin/accounts/${corporateId}/limits`, { headers: admin, body: { ordersPerDay: 0 } });
  await api.send('POST', '/minting/order', { body: await mintOf() });

  await sendToOther({ NEON_FETCH_ENDPOINT: 'http://127.0.0.1:9' }, ['/contracts', '/health']);
  const withoutTables = await startHttpServer('Database', (_, response) =>
    sendJson(response, 400, { message: 'relation "contracts" does not exist', code: '42P01' }),
  );
  await sendToOther({ NEON_FETCH_ENDPOINT: withoutTables.url }, ['/contracts']);
  await withoutTables.stop();
}

it('every request, reply and error that the API document shows comes from the local stack', async () => {
  const steps = [
    showAccount,
    showContracts,
    showMints,
    showClaims,
    showImports,
    showSignedRequests,
    showApprovals,
    showAudit,
    showUpload,
    showWebhooks,
    showErrors,
  ];
  for (const show of steps) await show();
  // A 408 takes a slow line.
  expect(api.missing()).toEqual(['408', NOT_SHOWN]);
  await expect(`${JSON.stringify(api.examples(), null, 2)}\n`).toMatchFileSnapshot('../../src/http/examples.json');
});
