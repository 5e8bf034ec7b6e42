import { AwsClient } from 'aws4fetch';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Address } from 'viem';
import { secretsSettingsSchema } from '../../operations/accounts/wallet-secret.ts';
import { call, createMetadata, deployContract, newClient, stack } from '../fixtures/client.ts';
import type { Client, Reply } from '../fixtures/client.ts';
import { deployForwarder, newSigner, nonceOf, signedTransfer } from '../fixtures/gasless.ts';
import type { Signer } from '../fixtures/gasless.ts';
import { adminOf, ask, makeKey, revoke } from '../fixtures/keys.ts';
import type { MadeKey } from '../fixtures/keys.ts';
import { startWebhookReceiver } from '../fixtures/webhook-receiver.ts';
import type { WebhookReceiver } from '../fixtures/webhook-receiver.ts';

const chainId = '43114';

/** An account with one resource of each kind. */
interface Tenant {
  readonly client: Client;
  readonly receiver: WebhookReceiver;
  readonly forwarder: Address;
  readonly contract: { readonly contractAddress: Address; readonly _id: string };
  readonly metadataId: string;
  /** Holds token 1. */
  readonly holder: Signer;
  readonly order: Record<string, unknown>;
  readonly transfer: Record<string, unknown>;
  readonly ownershipTransfer: Record<string, unknown>;
  readonly notificationId: string;
  readonly approvalId: string;
  readonly endpoint: { readonly id: string; readonly secret: string };
  readonly deliveryId: string;
  readonly key: MadeKey;
  /** Values with which one could act as the account, or receive its webhooks. */
  readonly secrets: readonly string[];
}

/** How the account `as` requests resources of the account `of`. Every route of the API description has a case. */
const CASES: Readonly<Record<string, (as: Client, of: Tenant) => Promise<Reply>>> = {
  'GET /health': () => call('/health'),
  'GET /schemas': () => call('/schemas'),
  'GET /schemas/{schemaVersion}': () => call('/schemas/cert_schema@1.0.0'),
  'GET /metadata/{contractAddress}/{tokenId}': (_, of) => call(`/metadata/${of.contract.contractAddress}/1`),
  'GET /admin/recent-activity': (as) => as.get('/admin/recent-activity'),
  'GET /status': (as) => as.get('/status'),
  // Errors repeat the path, so these name the caller's own account.
  'PUT /admin/accounts/{corporateId}/limits': (as) =>
    call(`/admin/accounts/${as.account.corporateId}/limits`, { method: 'PUT', headers: credentialsOf(as) }),
  'POST /admin/accounts/{corporateId}/pause': (as) => as.post(`/admin/accounts/${as.account.corporateId}/pause`, {}),
  'POST /admin/accounts/{corporateId}/resume': (as) => as.post(`/admin/accounts/${as.account.corporateId}/resume`, {}),
  'POST /admin/chains/{chainId}/pause': (as) => as.post(`/admin/chains/${chainId}/pause`, {}),
  'POST /admin/chains/{chainId}/resume': (as) => as.post(`/admin/chains/${chainId}/resume`, {}),
  'POST /contracts/deploy': (as, of) =>
    as.post('/contracts/deploy', {
      chainId,
      name: 'Own',
      symbol: 'OWN',
      ercStandard: '721',
      contractType: 'standard',
      currentOwnerAddress: of.client.account.walletAddress,
      trustedForwarder: of.forwarder,
    }),
  'POST /contracts/forwarder': (as) => as.post('/contracts/forwarder', { chainId, alias: 'own' }),
  'POST /contracts/read': (as, of) =>
    as.post('/contracts/read', { chainId, contractAddress: of.contract.contractAddress, method: 'owner' }),
  'POST /contracts/register': (as, of) =>
    as.post('/contracts/register', {
      chainId,
      contractAddress: of.contract.contractAddress,
      ercStandard: '721',
      contractType: 'standard',
    }),
  'POST /contracts/transfer-ownership': (as, of) =>
    as.post('/contracts/transfer-ownership', {
      chainId,
      contractAddress: of.contract.contractAddress,
      newOwnerAddress: as.account.walletAddress,
    }),
  'POST /contracts/transfer-ownership/cancel': (as, of) =>
    as.post('/contracts/transfer-ownership/cancel', { id: of.ownershipTransfer['jobId'] }),
  'POST /contracts/cancel': (as, of) => as.post('/contracts/cancel', { id: of.contract._id }),
  'GET /contracts/transfer-ownership/{id}': (as, of) =>
    as.get(`/contracts/transfer-ownership/${String(of.ownershipTransfer['jobId'])}`),
  'GET /approvals': (as) => as.get('/approvals?limit=100'),
  'GET /approvals/setting': (as) => as.get('/approvals/setting'),
  'POST /approvals/setting': (as) => ask(adminOf(as), '/approvals/setting', { required: false }),
  'GET /approvals/{id}': (as, of) => as.get(`/approvals/${of.approvalId}`),
  'POST /approvals/{id}/approve': (as, of) => ask(adminOf(as), `/approvals/${of.approvalId}/approve`, {}),
  'POST /approvals/{id}/refuse': (as, of) => ask(adminOf(as), `/approvals/${of.approvalId}/refuse`, {}),
  'GET /contracts': (as) => as.get('/contracts?limit=100'),
  'GET /contracts/{id}': (as, of) => as.get(`/contracts/${of.contract._id}`),
  'POST /metadata': (as) => as.post('/metadata', metadataInput),
  'GET /metadata': (as) => as.get('/metadata?limit=100'),
  'GET /metadata/{id}': (as, of) => as.get(`/metadata/${of.metadataId}`),
  'POST /metadata/{id}/status': (as, of) => as.post(`/metadata/${of.metadataId}/status`, { status: 'Taken' }),
  'PATCH /metadata/{id}': (as, of) => as.patch(`/metadata/${of.metadataId}`, { name: 'Taken' }, { 'if-match': '"1"' }),
  'GET /metadata/{id}/versions': (as, of) => as.get(`/metadata/${of.metadataId}/versions`),
  'POST /metadata/{id}/freeze': (as, of) => as.post(`/metadata/${of.metadataId}/freeze`, {}),
  'GET /metadata/status-rules': (as) => as.get('/metadata/status-rules'),
  'PUT /metadata/status-rules': (as) =>
    call('/metadata/status-rules', {
      method: 'PUT',
      headers: { ...credentialsOf(as), 'content-type': 'application/json' },
      body: '{"rules":{"Flexible":{"Own":[]}}}',
    }),
  'POST /chain-notifications': (as, of) => as.post('/chain-notifications', { metadataId: of.metadataId }),
  'GET /chain-notifications/{id}': (as, of) => as.get(`/chain-notifications/${of.notificationId}`),
  'POST /chain-notifications/cancel': (as, of) => as.post('/chain-notifications/cancel', { id: of.notificationId }),
  'POST /minting/order': (as, of) => as.post('/minting/order', mintOf(of)),
  'POST /minting/orders': (as, of) => as.post('/minting/orders', mintOf(of)),
  'POST /minting/orders/batch': (as, of) => as.post('/minting/orders/batch', { orders: [mintOf(of)] }),
  'POST /minting/signature': (as, of) =>
    as.post('/minting/signature', { ...mintOf(of), from: of.holder.address, privateKey: of.holder.privateKey }),
  'POST /minting/prepare': (as, of) => as.post('/minting/prepare', { ...mintOf(of), from: of.holder.address }),
  'POST /minting/relay': (as, of) =>
    as.post('/minting/relay', { ...mintOf(of), from: of.holder.address, signature: `0x${'1'.repeat(130)}` }),
  'POST /minting/cancel': (as, of) => as.post('/minting/cancel', { id: of.order['id'] }),
  'POST /minting/occupancy/check': (as, of) =>
    as.post('/minting/occupancy/check', {
      chainId,
      contractAddress: of.contract.contractAddress,
      tokenId: '1',
      metadataId: of.metadataId,
    }),
  'GET /minting': (as) => as.get('/minting?limit=100'),
  'GET /minting/by-tx/{txHash}': (as, of) => as.get(`/minting/by-tx/${String(of.order['txHash'])}`),
  'GET /minting/by-token': (as, of) =>
    as.get(`/minting/by-token?contractAddress=${of.contract.contractAddress}&tokenId=1`),
  'GET /minting/{id}': (as, of) => as.get(`/minting/${String(of.order['id'])}`),
  'POST /transfer/signature': (as, of) =>
    as.post('/transfer/signature', {
      chainId,
      contractAddress: of.contract.contractAddress,
      tokenId: '1',
      from: of.holder.address,
      to: as.account.walletAddress,
      privateKey: of.holder.privateKey,
    }),
  'POST /transfer/prepare': (as, of) =>
    as.post('/transfer/prepare', {
      chainId,
      contractAddress: of.contract.contractAddress,
      tokenId: '1',
      from: of.holder.address,
      to: as.account.walletAddress,
    }),
  'POST /transfer/execute': async (as, of) => {
    const move = { contractAddress: of.contract.contractAddress, to: as.account.walletAddress, tokenId: '1' };
    return await as.post('/transfer/execute', signedTransfer(of.holder, of.forwarder, move, { nonce: 1 }));
  },
  'POST /transfer/cancel': (as, of) => as.post('/transfer/cancel', { id: of.transfer['id'] }),
  'GET /transfer': (as) => as.get('/transfer?limit=100'),
  'GET /transfer/by-tx/{txHash}': (as, of) => as.get(`/transfer/by-tx/${String(of.transfer['txHash'])}`),
  'GET /transfer/{id}': (as, of) => as.get(`/transfer/${String(of.transfer['id'])}`),
  'GET /api/wallet/nfts': (as, of) => as.get(`/api/wallet/nfts?wallet=${of.holder.address}&corporateOnly=false`),
  'POST /assets/upload': (as) => upload(as),
  'GET /limits': (as) => as.get('/limits'),
  'POST /keys': (as) => ask(adminOf(as), '/keys', { name: 'Own', scopes: ['read'] }),
  'GET /keys': (as) => ask(adminOf(as), '/keys?limit=100'),
  'GET /audit': (as, of) => ask(adminOf(as), `/audit?limit=100&resourceId=${of.metadataId}`),
  'GET /admin/audit': (as) => as.get('/admin/audit'),
  'GET /admin/orders': (as) => as.get('/admin/orders'),
  'GET /admin/orders/{id}': (as, of) => as.get(`/admin/orders/${String(of.order['id'])}`),
  'POST /admin/orders/{id}/cancel': (as, of) => as.post(`/admin/orders/${String(of.order['id'])}/cancel`, ''),
  'GET /admin/statistics': (as) => as.get('/admin/statistics'),
  'GET /admin/wallets': (as) => as.get('/admin/wallets'),
  'GET /admin/webhooks': (as) => as.get('/admin/webhooks'),
  'POST /admin/webhooks/deliveries/{id}/replay': (as, of) =>
    as.post(`/admin/webhooks/deliveries/${of.deliveryId}/replay`, ''),
  'GET /admin/accounts': (as) => as.get('/admin/accounts'),
  'GET /admin/accounts/{corporateId}': (as) => as.get(`/admin/accounts/${as.account.corporateId}`),
  'DELETE /keys/{id}': (as, of) => revoke(adminOf(as), `/keys/${of.key.id}`),
  'POST /webhooks/endpoints': (as) => as.post('/webhooks/endpoints', { url: `${ownTarget}/${crypto.randomUUID()}` }),
  'GET /webhooks/endpoints': (as) => as.get('/webhooks/endpoints'),
  'GET /webhooks/endpoints/{id}': (as, of) => as.get(`/webhooks/endpoints/${of.endpoint.id}`),
  'PATCH /webhooks/endpoints/{id}': (as, of) => as.patch(`/webhooks/endpoints/${of.endpoint.id}`, { url: ownTarget }),
  'DELETE /webhooks/endpoints/{id}': (as, of) => as.delete(`/webhooks/endpoints/${of.endpoint.id}`),
  'POST /webhooks/endpoints/{id}/rotate-secret': (as, of) =>
    as.post(`/webhooks/endpoints/${of.endpoint.id}/rotate-secret`, ''),
  'POST /webhooks/endpoints/{id}/test': (as, of) => as.post(`/webhooks/endpoints/${of.endpoint.id}/test`, ''),
  'GET /webhooks/deliveries': (as, of) => as.get(`/webhooks/deliveries?endpointId=${of.endpoint.id}`),
  'GET /webhooks/deliveries/{id}': (as, of) => as.get(`/webhooks/deliveries/${of.deliveryId}`),
  'POST /webhooks/deliveries/{id}/replay': (as, of) => as.post(`/webhooks/deliveries/${of.deliveryId}/replay`, ''),
  'POST /webhooks/deliveries/replay': (as, of) =>
    as.post('/webhooks/deliveries/replay', { since: new Date(0).toISOString(), endpointId: of.endpoint.id }),
};

const ownTarget = 'http://127.0.0.1:9/own';

const metadataInput = {
  chainId,
  name: 'A token',
  imageUrl: 'https://example.com/a.png',
  utility: { type: 'Flexible', data: { status: 'Unused' } },
};

const mintOf = (of: Tenant) => ({
  chainId,
  contractAddress: of.contract.contractAddress,
  receiverAddress: of.holder.address,
  tokenId: '9',
  metadataId: of.metadataId,
});

function upload(as: Client): Promise<Reply> {
  const form = new FormData();
  form.set('file', new Blob(['GIF89a']), 'a.gif');
  return call('/assets/upload', { method: 'POST', headers: credentialsOf(as), body: form });
}

const credentialsOf = ({ account }: Client) => ({
  'x-api-key': stack.settings['GLOBAL_SECRET_KEY'] ?? '',
  'x-corporate-id': account.corporateId,
});

async function walletKey({ account }: Client): Promise<string> {
  const settings = secretsSettingsSchema.parse(stack.settings);
  const aws = new AwsClient({
    accessKeyId: settings.AWS_ACCESS_KEY_ID,
    secretAccessKey: settings.AWS_SECRET_ACCESS_KEY,
    region: settings.AWS_REGION,
    service: 'secretsmanager',
  });
  const reply = await aws.fetch(settings.SECRETS_ENDPOINT ?? '', {
    method: 'POST',
    headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'secretsmanager.GetSecretValue' },
    body: JSON.stringify({ SecretId: account.secretManagerKeyId }),
  });
  const { SecretString } = (await reply.json()) as { SecretString: string };
  return (JSON.parse(SecretString) as { privateKey: string }).privateKey.slice(2);
}

async function newTenant(): Promise<Tenant> {
  const receiver = await startWebhookReceiver();
  const client = await newClient({ webhookUrl: `${receiver.url}/${crypto.randomUUID()}` });
  const forwarder = await deployForwarder(client);
  const contract = await deployContract(client);
  const metadataId = await createMetadata(client);
  const holder = newSigner();
  const { contractAddress } = contract;

  const mint = { chainId, contractAddress, receiverAddress: holder.address, tokenId: '1', metadataId };
  const ordered = await client.post('/minting/order', mint);
  const order = await client.until(`/minting/${ordered.body.id}`, ['CONFIRMED', 'FAILED']);
  const move = { contractAddress, to: holder.address, tokenId: '1' };
  const nonce = await nonceOf(forwarder, holder.address);
  const sent = await client.post('/transfer/execute', signedTransfer(holder, forwarder, move, { nonce }));
  const transfer = await client.until(`/transfer/${sent.body.id}`, ['CONFIRMED', 'FAILED']);
  const other = await deployContract(client);
  const { body: ownershipTransfer } = await client.post('/contracts/transfer-ownership', {
    chainId,
    contractAddress: other.contractAddress,
    newOwnerAddress: holder.address,
  });
  const { body: notification } = await client.post('/chain-notifications', { metadataId });
  await upload(client);
  expect([order['status'], transfer['status'], ownershipTransfer.status]).toEqual(['CONFIRMED', 'CONFIRMED', 'QUEUED']);

  await ask(adminOf(client), '/approvals/setting', { required: true });
  const { body: awaited } = await client.post('/contracts/forwarder', { chainId, alias: 'test' });
  expect(awaited.status).toBe('WAITING_FOR_APPROVAL');

  const { body: endpoint } = await client.post('/webhooks/endpoints', { url: `${receiver.url}/own` });
  const { body: test } = await client.post(`/webhooks/endpoints/${endpoint.id}/test`, '');

  const key = await makeKey(client);
  const { _id, corporateId, webhookSecret, secretManagerKeyId } = client.account;
  const secrets = [
    endpoint.secret.replace('whsec_', ''),
    _id,
    corporateId,
    webhookSecret.replace('whsec_', ''),
    secretManagerKeyId,
    receiver.url,
    await walletKey(client),
    key.key,
  ];
  return {
    client,
    receiver,
    forwarder,
    contract,
    metadataId,
    holder,
    order,
    transfer,
    ownershipTransfer,
    notificationId: notification.id,
    approvalId: awaited._id,
    endpoint,
    deliveryId: test.id,
    key,
    secrets,
  };
}

/** The service's own secrets, which no caller may see. */
const OWN_SECRETS = Object.entries(stack.settings).flatMap(([name, value]) =>
  /SECRET_KEY|ENCRYPTION_KEYS|AWS_ACCESS_KEY_ID|DATABASE_URL|NEON_FETCH_ENDPOINT|RPC_URL|SECRETS_ENDPOINT|NFT_INDEX_URL/.test(
    name,
  )
    ? [value]
    : [],
);

const visibleText = ({ body, headers }: Reply) => `${JSON.stringify(body)}\n${JSON.stringify([...headers])}`;
const found = (text: string, secrets: readonly string[]) =>
  secrets.filter((secret) => text.toLowerCase().includes(secret.toLowerCase()));

let tenants: readonly [Tenant, Tenant];
beforeAll(async () => {
  tenants = await Promise.all([newTenant(), newTenant()]);
});
afterAll(() => Promise.all(tenants.map(({ receiver }) => receiver.close())));

describe('what an account can see of another', () => {
  it('is tested on every route of the API description', async () => {
    const { body } = await call('/openapi.json');
    const routes = Object.entries<object>(body.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(Object.keys(CASES).toSorted()).toEqual(routes.toSorted());
  });

  it.each(Object.entries(CASES))('contains no credentials: %s', async (_, request) => {
    for (const [as, of] of [tenants, tenants.toReversed()] as [Tenant, Tenant][]) {
      const reply = await request(as.client, of);
      expect(reply.status).toBeLessThan(500);
      expect(found(visibleText(reply), [...of.secrets, ...OWN_SECRETS])).toEqual([]);
    }
  });

  it('includes which tokens a wallet holds, but not which account owns the contract', async () => {
    const [as, of] = tenants;
    const { body } = await as.client.get(`/api/wallet/nfts?wallet=${of.holder.address}&corporateOnly=false`);
    expect(body.items).toEqual([
      expect.objectContaining({ contractAddress: of.contract.contractAddress, tokenId: '1', corporateId: '' }),
    ]);
  });

  it('contains no credentials in webhooks either', () => {
    for (const [as, of] of [tenants, tenants.toReversed()] as [Tenant, Tenant][]) {
      expect(as.receiver.deliveries.length).toBeGreaterThan(0);
      const text = as.receiver.deliveries.map(({ body, headers }) => body + JSON.stringify(headers)).join('\n');
      expect(found(text, [...of.secrets, ...OWN_SECRETS])).toEqual([]);
    }
  });

  it('would be found: the search finds what an account can see of itself', async () => {
    const [{ client }] = tenants;
    expect(found(visibleText(await client.get('/contracts')), tenants[0].secrets)).toEqual([
      client.account.corporateId,
    ]);
  });
});

describe('what an account may do with resources of another', () => {
  it.each([
    'POST /contracts/transfer-ownership',
    'POST /contracts/transfer-ownership/cancel',
    'POST /contracts/cancel',
    'GET /contracts/transfer-ownership/{id}',
    'GET /contracts/{id}',
    'GET /metadata/{id}',
    'POST /metadata/{id}/status',
    'PATCH /metadata/{id}',
    'GET /metadata/{id}/versions',
    'POST /metadata/{id}/freeze',
    'POST /chain-notifications',
    'GET /chain-notifications/{id}',
    'POST /chain-notifications/cancel',
    'POST /minting/order',
    'POST /minting/relay',
    'POST /minting/cancel',
    'GET /minting/by-tx/{txHash}',
    'GET /minting/{id}',
    'POST /transfer/cancel',
    'GET /transfer/by-tx/{txHash}',
    'GET /transfer/{id}',
    'GET /webhooks/endpoints/{id}',
    'PATCH /webhooks/endpoints/{id}',
    'DELETE /webhooks/endpoints/{id}',
    'POST /webhooks/endpoints/{id}/rotate-secret',
    'POST /webhooks/endpoints/{id}/test',
    'GET /webhooks/deliveries/{id}',
    'POST /webhooks/deliveries/{id}/replay',
    'POST /webhooks/deliveries/replay',
    'DELETE /keys/{id}',
  ])('is nothing: %s is 404', async (route) => {
    const [as, of] = tenants;
    expect((await CASES[route]?.(as.client, of))?.status).toBe(404);
  });

  it.each([
    'GET /contracts',
    'GET /metadata',
    'GET /minting',
    'GET /minting/by-token',
    'GET /transfer',
    'GET /webhooks/endpoints',
    'GET /webhooks/deliveries',
    'GET /keys',
  ])('has nothing of it in a list: %s', async (route) => {
    const [as, of] = tenants;
    const text = JSON.stringify((await CASES[route]?.(as.client, of))?.body);
    const ids = [
      of.contract._id,
      of.metadataId,
      of.order['id'],
      of.transfer['id'],
      of.endpoint.id,
      of.deliveryId,
      of.key.id,
    ].map(String);
    expect(found(text, ids)).toEqual([]);
  });
});
