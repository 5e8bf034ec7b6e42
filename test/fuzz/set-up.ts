import { setTimeout as delay } from 'node:timers/promises';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { certificateInput, flexibleInput } from '../fixtures/metadata-inputs.ts';
import type { Loose } from './api-document.ts';
import type { Tenants } from './build-request.ts';
import type { FuzzStack } from './fuzz-stack.ts';
import { type Signer, Tenant } from './tenant.ts';

const chainId = '43114';
const SIGNERS = 6;
const DOCUMENTS = 150;
const CERTIFICATES = 15;
const AMOUNT = 1_000_000;
const POLL_MS = 100;
const TIMEOUT_MS = 60_000;

/** Requests of an account that must succeed. */
class Api {
  readonly #baseUrl: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #tenant: Tenant;

  constructor(baseUrl: string, tenant: Tenant, headers: Readonly<Record<string, string>>) {
    this.#baseUrl = baseUrl;
    this.#tenant = tenant;
    this.#headers = headers;
  }

  async request(method: string, path: string, body?: unknown): Promise<Loose> {
    const reply = await fetch(`${this.#baseUrl}${path}`, {
      method,
      headers: { ...this.#headers, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${method} ${path} returned ${reply.status}: ${text}`);
    const value: unknown = JSON.parse(text);
    return value;
  }

  async post(path: string, body: unknown): Promise<Loose> {
    const reply = await this.request('POST', path, body);
    this.#tenant.learn(path, body, reply);
    return reply;
  }

  /** Waits until a resource has succeeded. */
  async ended(path: string): Promise<Loose> {
    const deadline = Date.now() + TIMEOUT_MS;
    for (;;) {
      const resource = await this.request('GET', path);
      if (['ACTIVE', 'CONFIRMED'].includes(resource.status)) return resource;
      if (resource.status === 'FAILED' || Date.now() > deadline)
        throw new Error(`${path} is ${JSON.stringify(resource)}`);
      await delay(POLL_MS);
    }
  }

  async deployed(path: string, body: object): Promise<Loose> {
    const { _id } = await this.post(path, { chainId, ...body });
    return await this.ended(`/contracts/${_id}`);
  }

  async minted(contractAddress: string, body: object): Promise<Loose> {
    const metadataId = this.#tenant.documents.shift();
    const order = await this.post('/minting/order', {
      chainId,
      contractAddress,
      metadataId,
      tokenId: this.#tenant.nextToken(),
      ...body,
    });
    const ended = await this.ended(`/minting/${order.id}`);
    this.#tenant.learn('/minting/{id}', undefined, ended);
    return ended;
  }
}

const admin = ({ settings }: FuzzStack) => ({ 'x-admin-secret-key': settings['ADMIN_SECRET_KEY'] ?? '' });

function newSigner(): Signer {
  const privateKey = generatePrivateKey();
  return { privateKey, address: privateKeyToAddress(privateKey) };
}

async function newTenant(
  stack: FuzzStack,
  corporateId: string,
  webhookUrl: string,
): Promise<{ tenant: Tenant; api: Api }> {
  await stack.createAccount({ name: 'Fuzz', corporateId });
  const apiKey = { 'x-api-key': stack.settings['GLOBAL_SECRET_KEY'] ?? '' };
  const named = { 'x-corporate-id': corporateId };
  const made = await fetch(`${stack.baseUrl}/keys`, {
    method: 'POST',
    headers: { ...admin(stack), ...named, 'content-type': 'application/json' },
    body: JSON.stringify({
      name: 'All',
      scopes: ['read', 'metadata', 'mint', 'transfer', 'deploy', 'ownership', 'revoke', 'webhooks', 'keys'],
    }),
  });
  const { id, key } = (await made.json()) as Loose;
  const tenant = new Tenant({
    corporateId,
    webhookUrl,
    reserved: [id],
    credentials: { apiKey, corporateId: named, adminKey: admin(stack), accountKey: { 'x-api-key': key } },
    signers: Array.from({ length: SIGNERS }, newSigner),
    burner: newSigner(),
  });
  return { tenant, api: new Api(stack.baseUrl, tenant, { ...apiKey, ...named }) };
}

const deployment = { name: 'Fuzz', symbol: 'FUZZ', ercStandard: '721', contractType: 'standard' };

/** Makes what requests refer to: forwarder, contracts, documents, tokens, an endpoint. */
async function furnish(tenant: Tenant, api: Api): Promise<void> {
  await api.post('/webhooks/endpoints', { url: tenant.webhookUrl });
  const forwarder = await api.deployed('/contracts/forwarder', { alias: 'fuzz' });
  tenant.forwarder = forwarder.contractAddress;
  const own = await Promise.all(
    [
      {},
      { ercStandard: '1155' },
      { contractType: 'certificate' },
      { ercStandard: '1155', contractType: 'certificate' },
    ].map((fields) => api.deployed('/contracts/deploy', { ...deployment, ...fields })),
  );
  tenant.contracts.push(...own);
  tenant.relayed = await api.deployed('/contracts/deploy', {
    ...deployment,
    currentOwnerAddress: tenant.signers[0]?.address,
  });
  const spare = await Promise.all([1, 2, 3].map(() => api.deployed('/contracts/deploy', deployment)));
  tenant.spare.push(...spare.map(({ contractAddress }) => contractAddress));
  await Promise.all(Array.from({ length: DOCUMENTS }, () => api.post('/metadata', flexibleInput)));
  await Promise.all(Array.from({ length: CERTIFICATES }, () => api.post('/metadata', certificateInput)));
  const [first, amounts] = own;
  await Promise.all([
    ...Array.from({ length: 4 }, () =>
      api.minted(first.contractAddress, { receiverAddress: tenant.signers[0]?.address }),
    ),
    ...[...tenant.signers, tenant.burner].map(({ address }) =>
      api.minted(amounts.contractAddress, { receiverAddress: address, amount: AMOUNT, tokenId: '1' }),
    ),
  ]);
  tenant.held.push({ contractAddress: amounts.contractAddress, tokenId: '1' });
  const { contractAddress } = await api.deployed('/contracts/deploy', {
    ...deployment,
    ercStandard: '1155',
    contractType: 'certificate',
    burnAuth: 'issuer',
  });
  await api.minted(contractAddress, {
    ...tenant.certificates[0],
    tokenUri: 'https://example.com/certificate.json',
    receiverAddress: tenant.signers[0]?.address,
    amount: AMOUNT,
    tokenId: '1',
  });
  tenant.revocable = { contractAddress, tokenId: '1' };
}

async function signRequests(tenant: Tenant, api: Api): Promise<void> {
  for (const { address: from, privateKey } of tenant.signers) {
    await api.post('/transfer/signature', {
      chainId,
      ...tenant.held[0],
      amount: 1,
      from,
      to: tenant.signers[0]?.address,
      privateKey,
    });
  }
  const { address: from = '0x', privateKey } = tenant.signers[0] ?? {};
  const mint = {
    chainId,
    contractAddress: tenant.relayed?.contractAddress,
    receiverAddress: from,
    tokenId: tenant.nextToken(),
    metadataId: tenant.documents[0],
    from,
  };
  await api.post('/minting/signature', { ...mint, privateKey });
  const contractAddress = tenant.contracts.find(({ contractType }) => contractType === 'standard')?.contractAddress;
  const { receiverAddress: _, ...claim } = { ...mint, contractAddress, tokenId: tenant.nextToken(), from: undefined };
  await api.post('/claims', { ...claim, amount: 1, metadataId: tenant.documents.pop() });
  await api.post('/burn/prepare', { chainId, ...tenant.held[0], amount: 1, from: tenant.burner.address });
  tenant.learn('/webhooks/deliveries', undefined, await api.request('GET', '/webhooks/deliveries'));
  await api.post('/transfer/execute', tenant.signedTransfers[1]);
  await api.post('/minting/relay', tenant.signedMints[0]);
  await api.post('/burn/execute', tenant.signedBurns[0]);
  await api.post('/certificates/revoke', {
    chainId,
    ...tenant.revocable,
    from,
    amount: 1,
    reason: 'Reported stolen',
  });
  await api.post('/contracts/transfer-ownership', {
    chainId,
    contractAddress: tenant.spare.pop(),
    newOwnerAddress: from,
  });
}

/** Creates the accounts of a run with all that their requests refer to. */
export async function setUp(stack: FuzzStack, webhookUrl: string): Promise<Tenants> {
  const [main, disturbed] = await Promise.all([
    newTenant(stack, 'fuzz-main', webhookUrl),
    newTenant(stack, 'fuzz-disturbed', webhookUrl),
  ]);
  for (const { tenant, api } of [main, disturbed]) {
    await furnish(tenant, api);
    await signRequests(tenant, api);
  }
  const asAdmin = new Api(stack.baseUrl, disturbed.tenant, {
    ...admin(stack),
    'x-corporate-id': disturbed.tenant.corporateId,
  });
  await asAdmin.post('/approvals/setting', { required: true });
  for (const alias of ['first', 'second', 'third']) {
    const { _id } = await disturbed.api.post('/contracts/forwarder', { chainId, alias });
    disturbed.tenant.learn('/approvals', undefined, { id: _id });
  }
  await asAdmin.post('/approvals/setting', { required: false });
  return { main: main.tenant, disturbed: disturbed.tenant };
}

/**
 * Undoes what keeps accounts and chains from working, and carries one mint to its end.
 * @throws if it does not succeed.
 */
export async function mintAfterwards(stack: FuzzStack, { main, disturbed }: Tenants): Promise<void> {
  const operator = new Api(stack.baseUrl, main, admin(stack));
  const resume = [
    `/admin/chains/43113/resume`,
    `/admin/chains/${chainId}/resume`,
    `/admin/accounts/${disturbed.corporateId}/resume`,
    `/admin/accounts/${main.corporateId}/resume`,
  ];
  for (const path of resume) await operator.request('POST', path);
  const api = new Api(stack.baseUrl, main, { ...main.credentials['apiKey'], ...main.credentials['corporateId'] });
  const { _id: metadataId } = await api.post('/metadata', flexibleInput);
  const { address: receiverAddress } = main.signers[0] ?? {};
  const order = await api.post('/minting/order', {
    chainId,
    contractAddress: main.contracts[0]?.contractAddress,
    receiverAddress,
    tokenId: main.nextToken(),
    metadataId,
  });
  await api.ended(`/minting/${order.id}`);
}
