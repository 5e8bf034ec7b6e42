import { Client as Postgres } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Address } from 'viem';
import {
  call,
  createMetadata,
  deployContract,
  newClient,
  receiverAddress,
  stack,
  type Client,
} from '../fixtures/client.ts';
import { insertFailedDelivery } from '../fixtures/failed-delivery.ts';
import { setFaults, statementTagged } from '../fixtures/fault-proxy.ts';
import { deployElsewhere } from '../fixtures/foreign-contract.ts';
import { deployForwarder, newSigner, signedBurn, signedTransfer } from '../fixtures/gasless.ts';
import { importFile } from '../fixtures/imports.ts';
import { adminOf, ask, makeKey } from '../fixtures/keys.ts';
import { certificateInput } from '../fixtures/metadata-inputs.ts';
import { startOtherWorker, type OtherWorker } from '../fixtures/other-worker.ts';
import { expectErrors } from '../record/service-errors.ts';

expectErrors('request.failed', 'asset.insert_failed');

const chainId = '43114';
/** The first owns a collection, the others hold tokens of the account's. */
const [signer, holder, burner] = [newSigner(), newSigner(), newSigner()];
const database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
let client: Client;
let forwarder: Address;
let collection: Address;
let signersCollection: Address;
let certificates: Address;
/** The metadata of the holder's token. */
let held: string[];
let worker: OtherWorker;

beforeAll(async () => {
  await database.connect();
  client = await newClient();
  forwarder = await deployForwarder(client);
  const [own, signers, revocable] = await Promise.all([
    deployContract(client, { trustedForwarder: forwarder }),
    deployContract(client, { trustedForwarder: forwarder, currentOwnerAddress: signer.address }),
    deployContract(client, { contractType: 'certificate', burnAuth: 'issuer' }),
  ]);
  [collection, signersCollection] = [own.contractAddress, signers.contractAddress];
  certificates = revocable.contractAddress;
  const gifts = await Promise.all(
    ['1000', '1003'].map(async (tokenId) => ({ ...(await mint()), receiverAddress: holder.address, tokenId })),
  );
  held = gifts.map(({ metadataId }) => metadataId);
  const tokens = ['1001', '1002', '1004', '1005', '1006'].map(async (tokenId) => [
    { ...(await mint()), receiverAddress: burner.address, tokenId },
    await certificate(tokenId),
  ]);
  const orders = [...gifts, ...(await Promise.all(tokens)).flat()];
  const ids = await Promise.all(orders.map((one) => created('/minting/order', one)));
  await Promise.all(ids.map((id) => client.until(`/minting/${id}`, ['CONFIRMED'])));
  // From now on, orders wait and so can be cancelled.
  await ask(adminOf(client), `/admin/accounts/${client.account.corporateId}/pause`, {});
  worker = await startOtherWorker();
});
afterAll(async () => {
  await worker.stop();
  await database.end();
});

let lastToken = 0;
const mint = async (contractAddress = collection) => ({
  chainId,
  contractAddress,
  receiverAddress,
  tokenId: String((lastToken += 1)),
  metadataId: await createMetadata(client),
});

const claim = async () => {
  const { receiverAddress: _, ...order } = await mint();
  return order;
};

async function certificate(tokenId: string) {
  const { body } = await client.post('/metadata', certificateInput);
  const document = { metadataId: body._id, metadataHash: body.metadataHash, tokenUri: 'https://example.com/c' };
  return { chainId, contractAddress: certificates, receiverAddress: burner.address, tokenId, ...document };
}

const contract = { name: 'T', symbol: 'T', ercStandard: '721', contractType: 'standard' };
const foreignContract = async () => ({
  chainId,
  contractAddress: await deployElsewhere(client.account.walletAddress, forwarder),
  ercStandard: '721',
  contractType: 'standard',
});
/** A contract of the account of which no base URI is being changed. */
async function another() {
  const foreign = await foreignContract();
  await created('/contracts/register', foreign, '_id');
  return { chainId, contractAddress: foreign.contractAddress };
}
const ownership = () => ({ chainId, contractAddress: collection, newOwnerAddress: newSigner().address });

function gift(nonce: number) {
  const transfer = { contractAddress: collection, to: receiverAddress, tokenId: '1000' } as const;
  return signedTransfer(holder, forwarder, transfer, { nonce });
}

/** Of one of the burner's tokens. */
function burn(tokenId: string, nonce: number) {
  return signedBurn(burner, forwarder, { contractAddress: collection, tokenId }, { nonce }).body;
}

const certificateRevocation = (tokenId: string) => ({
  chainId,
  contractAddress: certificates,
  tokenId,
  from: burner.address,
  reason: 'Lost',
});

async function relayed() {
  const fields = { ...(await mint(signersCollection)), from: signer.address };
  const { body } = await client.post('/minting/signature', { ...fields, privateKey: signer.privateKey });
  return { ...fields, signature: body.signature };
}

async function created(path: string, body: unknown, id = 'id'): Promise<string> {
  const reply = await client.post(path, body);
  if (reply.status > 201) throw new Error(JSON.stringify(reply.body));
  return reply.body[id];
}

const endpoint = () => created('/webhooks/endpoints', { url: 'http://127.0.0.1:9/' });

const failedDelivery = async () => insertFailedDelivery(client.account._id, await endpoint());

const UPLOAD = `--B\r
Content-Disposition: form-data; name="file"; filename="a.gif"\r
\r
GIF89a\r
--B--\r
`;

const FILE = `name,imageUrl,utility.type,utility.data.status\nA,https://a.example,Flexible,New\n`;

async function checkedImport(): Promise<string> {
  return (await importFile(client, { kind: 'metadata', chainId }, FILE)).id;
}

/** An import with a status in which nobody works on it. */
async function importWith(status: string): Promise<string> {
  const id = await checkedImport();
  await database.query("update imports set status = $2, next_try_at = now() + interval '1 day' where id = $1", [
    id,
    status,
  ]);
  return id;
}

/** An ownership transfer that waits for approval; later ones do not. */
async function awaited(): Promise<string> {
  await ask(adminOf(client), '/approvals/setting', { required: true });
  const id = await created('/contracts/transfer-ownership', ownership(), 'jobId');
  await ask(adminOf(client), '/approvals/setting', { required: false });
  return id;
}

interface Request {
  /** In the place of the parameter of the path. */
  readonly id?: string;
  readonly query?: string;
  readonly body?: unknown;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What each route that changes the database needs to do so. */
const CHANGES: Readonly<Record<string, () => Promise<Request>>> = {
  'POST /metadata': async () => ({
    body: { chainId, name: 'A', imageUrl: 'https://a.example', utility: { type: 'Flexible', data: { status: 'New' } } },
  }),
  'POST /metadata/{id}/status': async () => ({ id: await createMetadata(client), body: { status: 'Used' } }),
  'PATCH /metadata/{id}': async () => ({
    id: await createMetadata(client),
    body: { name: 'B' },
    headers: { 'if-match': '"1"' },
  }),
  'POST /metadata/{id}/freeze': async () => ({ id: await createMetadata(client) }),
  'PUT /metadata/status-rules': async () => ({ body: { rules: {} } }),
  'PUT /contracts/{id}/metadata': async () => ({
    id: await created('/contracts/deploy', contract, '_id'),
    body: { name: 'Nights' },
  }),
  'POST /assets/upload': async () => ({ type: 'multipart/form-data; boundary=B', body: UPLOAD }),
  'POST /minting/order': async () => ({ body: await mint() }),
  'POST /minting/orders': async () => ({ body: await mint() }),
  'POST /minting/orders/batch': async () => ({ body: { orders: [await mint(), await mint()] } }),
  'POST /minting/relay': async () => ({ body: await relayed() }),
  'POST /minting/cancel': async () => ({ body: { id: await created('/minting/order', await mint()) } }),
  'POST /imports': async () => ({ type: 'text/csv', body: FILE, query: `?kind=metadata&chainId=${chainId}` }),
  'POST /imports/{id}/start': async () => ({ id: await checkedImport(), body: {} }),
  'POST /imports/{id}/pause': async () => ({ id: await importWith('RUNNING') }),
  'POST /imports/{id}/resume': async () => ({ id: await importWith('PAUSED') }),
  'POST /imports/{id}/cancel': async () => ({ id: await checkedImport() }),
  'POST /claims': async () => ({ body: await claim() }),
  'POST /claims/batch': async () => ({ body: { claims: [await claim(), await claim()] } }),
  'POST /claims/{id}/cancel': async () => ({ id: await created('/claims', await claim()) }),
  'POST /chain-notifications': async () => ({ body: { metadataId: held[0] } }),
  'POST /chain-notifications/cancel': async () => ({
    body: { id: await created('/chain-notifications', { metadataId: held[1] }) },
  }),
  'POST /transfer/execute': async () => ({ body: gift(0) }),
  'POST /transfer/cancel': async () => ({ body: { id: await created('/transfer/execute', gift(1)) } }),
  'POST /burn/execute': async () => ({ body: burn('1001', 0) }),
  'POST /burn/cancel': async () => ({ body: { id: await created('/burn/execute', burn('1002', 1)) } }),
  'POST /certificates/revoke': async () => ({ body: certificateRevocation('1001') }),
  'POST /certificates/revoke/batch': async () => ({
    body: { revocations: [certificateRevocation('1004'), certificateRevocation('1005')] },
  }),
  'POST /certificates/reissue': async () => ({ body: { ...certificateRevocation('1006'), receiverAddress } }),
  'POST /certificates/revoke/cancel': async () => ({
    body: { id: await created('/certificates/revoke', certificateRevocation('1002')) },
  }),
  'POST /contracts/deploy': async () => ({ body: contract }),
  'POST /contracts/forwarder': async () => ({ body: { chainId, alias: 'F' } }),
  'POST /contracts/cancel': async () => ({ body: { id: await created('/contracts/deploy', contract, '_id') } }),
  'POST /contracts/register': async () => ({ body: await foreignContract() }),
  'DELETE /contracts/{id}': async () => ({ id: await created('/contracts/register', await foreignContract(), '_id') }),
  'POST /contracts/transfer-ownership': async () => ({ body: ownership() }),
  'POST /contracts/transfer-ownership/cancel': async () => ({
    body: { id: await created('/contracts/transfer-ownership', ownership(), 'jobId') },
  }),
  'POST /contracts/base-uri': async () => ({ body: await another() }),
  'POST /contracts/base-uri/cancel': async () => ({
    body: { id: await created('/contracts/base-uri', await another()) },
  }),
  'POST /approvals/setting': async () => ({ body: { required: true } }),
  'POST /approvals/{id}/approve': async () => ({ id: await awaited() }),
  'POST /approvals/{id}/refuse': async () => ({ id: await awaited() }),
  'POST /webhooks/endpoints': async () => ({ body: { url: 'http://127.0.0.1:9/' } }),
  'PATCH /webhooks/endpoints/{id}': async () => ({ id: await endpoint(), body: { description: 'Orders' } }),
  'DELETE /webhooks/endpoints/{id}': async () => ({ id: await endpoint() }),
  'POST /webhooks/endpoints/{id}/rotate-secret': async () => ({ id: await endpoint() }),
  'POST /webhooks/endpoints/{id}/test': async () => ({ id: await endpoint() }),
  'POST /webhooks/deliveries/replay': async () => {
    await failedDelivery();
    return { body: { since: new Date(Date.now() - 60_000).toISOString() } };
  },
  'POST /webhooks/deliveries/{id}/replay': async () => ({ id: await failedDelivery() }),
  'POST /keys': async () => ({ body: { name: 'T', scopes: ['read'] } }),
  'DELETE /keys/{id}': async () => ({ id: (await makeKey(client)).id }),
  'POST /admin/orders/{id}/cancel': async () => ({ id: await created('/minting/order', await mint()) }),
  'PUT /admin/accounts/{corporateId}/limits': async () => ({ id: client.account.corporateId, body: {} }),
  'POST /admin/accounts/{corporateId}/pause': async () => ({ id: client.account.corporateId }),
  'POST /admin/accounts/{corporateId}/resume': async () => ({ id: client.account.corporateId }),
  'POST /admin/chains/{chainId}/pause': async () => ({ id: chainId }),
  'POST /admin/chains/{chainId}/resume': async () => ({ id: chainId }),
  'POST /admin/webhooks/deliveries/{id}/replay': async () => ({ id: await failedDelivery() }),
  'POST /admin/webhooks/endpoints/{id}/replay': async () => {
    const endpointId = await endpoint();
    await insertFailedDelivery(client.account._id, endpointId);
    return { id: endpointId, body: { since: new Date(Date.now() - 60_000).toISOString() } };
  },
  'PUT /admin/accounts/{corporateId}/issuer': async () => ({ id: client.account.corporateId, body: ISSUER }),
  'DELETE /admin/accounts/{corporateId}/issuer': async () => ({ id: client.account.corporateId }),
};

const ISSUER = { name: 'Acme', logoUrl: 'https://acme.example/logo.svg', domain: 'acme.example' };

/** Routes of scopes other than `read` that change nothing in the database, or that have no caller to name. */
const UNRECORDED = [
  'POST /burn/prepare',
  'POST /claims/{id}/claim',
  'POST /claims/{id}/open',
  'POST /minting/prepare',
  'POST /minting/signature',
  'POST /transfer/prepare',
  'POST /transfer/signature',
];

it('every route that changes something is tried below', async () => {
  const { body } = await call('/openapi.json');
  const changing = Object.entries<Record<string, { 'x-scopes'?: string[] }>>(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method, { 'x-scopes': scopes = [] }]) => {
        const isRead = scopes.includes('read');
        return method !== 'get' && !isRead;
      })
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );
  expect([...Object.keys(CHANGES), ...UNRECORDED].toSorted()).toEqual(changing.toSorted());
});

it.each(Object.entries(CHANGES))(
  'no change is made if its row cannot be stored with it, and it is made with its row: %s',
  async (route, prepare) => {
    const { id = '', query = '', body, type = 'application/json', headers: more = {} } = await prepare();
    const [method = '', path = ''] = route.split(' ');
    const send = () => {
      const requestId = crypto.randomUUID();
      const headers = {
        ...(/ \/(admin|keys|approvals)/.test(route)
          ? adminOf(client)
          : { 'x-api-key': stack.settings['GLOBAL_SECRET_KEY'] ?? '', 'x-corporate-id': client.account.corporateId }),
        ...(body === undefined ? {} : { 'content-type': type }),
        'x-request-id': requestId,
        ...more,
      };
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const init = { method, headers, ...(body === undefined ? {} : { body: text }) };
      return { requestId, reply: worker.call(`${path.replace(/\{\w+\}/, id)}${query}`, init) };
    };

    await setFaults(worker.database, [{ match: statementTagged('record-change'), effect: 'refuse', times: 10 }]);
    const refused = await send().reply;
    await setFaults(worker.database, []);
    expect(refused).toMatchObject({ status: 503 });

    // A pause of a chain would hold the orders of other tests.
    if (route === 'POST /admin/chains/{chainId}/pause') return;
    const { requestId, reply } = send();
    const { status, text } = await reply;
    expect([status, text]).toEqual([expect.toSatisfy((code: number) => code < 300), expect.anything()]);
    const { rows } = await database.query('select * from audit_log where request_id = $1', [requestId]);
    expect(rows).toEqual([expect.objectContaining({ method, route: path, status_code: status })]);
    expect(rows[0].resource_ids).not.toEqual([]);
  },
);
