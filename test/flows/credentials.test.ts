import { Client as Postgres } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { zeroAddress, type Address } from 'viem';
import { holderRecords } from '../../cli/holder/holder-records.ts';
import { confirmIssuer } from '../../cli/corporate/confirm-issuer.ts';
import {
  call,
  deployContract,
  indexTransfers,
  newClient,
  receiverAddress,
  stack,
  type Client,
} from '../fixtures/client.ts';
import { startEdge, type RunningEdge } from '../fixtures/edge.ts';
import { deployCertificatesElsewhere } from '../fixtures/foreign-contract.ts';
import { burnData, deployForwarder, newSigner, sendAs, signedBurn } from '../fixtures/gasless.ts';
import { certificateInput } from '../fixtures/metadata-inputs.ts';
import { startOtherWorker } from '../fixtures/other-worker.ts';
import { verify, type FetchJson } from '../fixtures/verify-credential.ts';

const chainId = '43114';
const ENDED = ['CONFIRMED', 'CANCELLED', 'FAILED'];
const databaseUrl = stack.settings['DATABASE_URL'] ?? '';
const database = new Postgres({ connectionString: databaseUrl });
/** Of the service, by which it names itself whatever it is reached by. */
const origin = new URL(stack.settings['METADATA_BASE_URI'] ?? '').origin;
const GTIN = '09506000134352';
const acme = { name: 'Acme', logoUrl: 'https://acme.example/logo.svg', domain: 'acme.example' };

let client: Client;
let contract: Address;
let forwarder: Address;
let edge: RunningEdge;
/** What the public knows the account by. */
let issuerId: string;

beforeAll(async () => {
  [client, edge] = await Promise.all([newClient(), startEdge(), database.connect()]);
  forwarder = await deployForwarder(client);
  contract = await deployed(client);
  issuerId = await issuerIdOf(client);
});
afterAll(async () => {
  await Promise.all([edge.stop(), database.end()]);
});

async function issuerIdOf({ account }: Client): Promise<string> {
  const { rows } = await database.query('select issuer_id from corporate_accounts where id = $1', [account._id]);
  return rows[0].issuer_id;
}

async function deployed(of: Client, fields: Record<string, unknown> = {}): Promise<Address> {
  const input = { contractType: 'certificate', burnAuth: 'both', trustedForwarder: forwarder, ...fields };
  return (await deployContract(of, input)).contractAddress;
}

let lastToken = 0;

interface Options {
  /** In place of those of the same name. */
  readonly traits?: Readonly<Record<string, string>>;
  readonly metadata?: object;
  readonly order?: Readonly<Record<string, unknown>>;
  readonly of?: Client;
  readonly on?: Address;
}

/** Orders the mint of a certificate. @returns its token id and the order's. */
async function ordered({ traits = {}, metadata = {}, order = {}, of = client, on = contract }: Options = {}) {
  const tokenId = String((lastToken += 1));
  const others = certificateInput.attributes.filter(({ traitType }) => !(traitType in traits));
  const own = Object.entries(traits).map(([traitType, value]) => ({ traitType, value }));
  const { body: document } = await of.post('/metadata', {
    ...certificateInput,
    attributes: [...others, ...own],
    ...metadata,
  });
  const { status, body } = await of.post('/minting/order', {
    chainId,
    contractAddress: on,
    receiverAddress,
    tokenId,
    metadataId: document._id,
    tokenUri: `${stack.settings['METADATA_BASE_URI']}/${on}/${tokenId}`,
    metadataHash: document.metadataHash,
    ...order,
  });
  expect([status, body.errors]).toEqual([201, undefined]);
  return { tokenId, orderId: String(body.id) };
}

/** Issues a certificate. @returns its token id. */
async function issued(options: Options = {}): Promise<string> {
  const { tokenId, orderId } = await ordered(options);
  const { of = client } = options;
  expect(await of.until(`/minting/${orderId}`, ENDED)).toMatchObject({ status: 'CONFIRMED' });
  return tokenId;
}

/** @returns the id of the order. */
async function revoke(tokenId: string, fields: object = {}): Promise<string> {
  const input = { chainId, contractAddress: contract, tokenId, from: receiverAddress, reason: 'Lost', ...fields };
  const { body } = await client.post('/certificates/revoke', input);
  expect(await client.until(`/certificates/revoke/${body.id}`, ENDED)).toMatchObject({ status: 'CONFIRMED' });
  return body.id;
}

const pathOf = (tokenId: string, on = contract) => `/certificates/${on}/${tokenId}/credential`;

async function credentialOf(tokenId: string, on = contract) {
  const { status, body } = await call(pathOf(tokenId, on));
  expect([status, body.message]).toEqual([200, undefined]);
  return body;
}

/** What the verifier fetches comes from the local service. */
const fetchJson: FetchJson = async (url) => {
  const reply = await fetch(url.replace(/^https?:\/\/service\.test/, stack.url));
  if (!reply.ok) throw new Error(`${url}: ${reply.status}`);
  return await reply.json();
};

const statusOf = async (tokenId: string, on = contract) => await verify(await credentialOf(tokenId, on), fetchJson);
const STANDING = { verified: true, isRevoked: false };
const REVOKED = { verified: true, isRevoked: true };

describe('the credential of a certificate', () => {
  it("verifies with another vendor's software, and says what the chain says, but not who holds it", async () => {
    const tokenId = await issued();
    const reply = await call(pathOf(tokenId), { headers: { origin: 'https://anyone.example' } });
    const { body } = reply;
    expect(await verify(body, fetchJson)).toEqual(STANDING);
    const { body: document } = await call(`/metadata/${contract}/${tokenId}`);
    expect(body).toMatchObject({
      id: `${origin}${pathOf(tokenId)}`,
      type: ['VerifiableCredential'],
      name: document.name,
      validUntil: '2033-05-18T03:33:20.000Z',
      credentialSubject: {
        id: `eip155:${chainId}/erc721:${contract}/${tokenId}`,
        name: document.name,
        image: document.image,
        token: { chainId, contractAddress: contract, tokenId, metadataHash: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
      },
      relatedResource: [{ id: `${stack.settings['METADATA_BASE_URI']}/${contract}/${tokenId}` }],
    });
    const { metadataHash } = body.credentialSubject.token;
    const digest = Buffer.from(body.relatedResource[0].digestSRI.slice('sha256-'.length), 'base64');
    expect(`0x${digest.toString('hex')}`).toBe(metadataHash);
    // The ids of an account are credentials.
    for (const secret of [receiverAddress, client.account._id, client.account.corporateId]) {
      expect(JSON.stringify(body).toLowerCase()).not.toContain(secret.toLowerCase());
    }
    expect(reply.headers.get('cache-control')).toBe('public, max-age=60');
    expect(reply.headers.get('access-control-allow-origin')).toBe('*');
  });

  it('has the same bytes at each read, also by another name of the service', async () => {
    const tokenId = await issued();
    const one = await call(pathOf(tokenId));
    expect((await call(pathOf(tokenId))).body).toEqual(one.body);
    expect((await edge.call(pathOf(tokenId))).body).toEqual(one.body);
  });

  it('is an Open Badge if its type is an achievement, with the confirmed name of its issuer', async () => {
    await confirmIssuer(client.account.corporateId, acme, databaseUrl);
    const tokenId = await issued({
      traits: { Type: 'Certification' },
      metadata: { description: 'Two days', externalUrl: 'https://acme.example/first-aid' },
    });
    const body = await credentialOf(tokenId);
    expect(await verify(body, fetchJson)).toEqual(STANDING);
    expect(body).toMatchObject({
      type: ['VerifiableCredential', 'OpenBadgeCredential'],
      issuer: {
        id: `did:web:${encodeURIComponent(new URL(origin).host)}:issuers:${issuerId}`,
        type: ['Profile'],
        name: 'Acme',
        url: 'https://acme.example',
        image: { id: acme.logoUrl, type: 'Image' },
      },
      credentialSubject: {
        type: ['AchievementSubject'],
        achievement: {
          type: ['Achievement'],
          achievementType: 'Certification',
          name: certificateInput.name,
          description: 'Two days',
          criteria: { id: 'https://acme.example/first-aid' },
          image: { id: certificateInput.imageUrl, type: 'Image' },
        },
      },
    });
    // As the JSON Schema of Open Badges wants them.
    expect(body.proof).toEqual([expect.objectContaining({ type: 'DataIntegrityProof' })]);
    await confirmIssuer(client.account.corporateId, null, databaseUrl);
    const withdrawn = await credentialOf(tokenId);
    expect(withdrawn.issuer).toEqual({ id: body.issuer.id, type: ['Profile'] });
  });

  it('names the domain of its issuer, if the operator has confirmed that it serves the keys', async () => {
    const tokenId = await issued();
    const { body: hosted } = await call(`/issuers/${issuerId}/did.json`);
    const earlier = await credentialOf(tokenId);
    await confirmIssuer(client.account.corporateId, { ...acme, publishesDid: true }, databaseUrl);
    const body = await credentialOf(tokenId);
    expect(body.issuer).toEqual({ id: 'did:web:acme.example', name: 'Acme' });
    const published = JSON.parse(JSON.stringify(hosted).replaceAll(hosted.id, 'did:web:acme.example'));
    const atDomain: FetchJson = async (url) =>
      url === 'https://acme.example/.well-known/did.json' ? published : await fetchJson(url);
    expect(await verify(body, atDomain)).toEqual(STANDING);
    expect(await verify(earlier, atDomain)).toEqual(STANDING);
    await confirmIssuer(client.account.corporateId, acme, databaseUrl);
    expect((await credentialOf(tokenId)).issuer.id).toBe(hosted.id);
    expect(await verify(body, atDomain)).toEqual(STANDING);
    expect((await call(`/credentials/status/${issuerId}/0@other.example`)).status).toBe(404);
    await confirmIssuer(client.account.corporateId, null, databaseUrl);
  });

  it('of a contract from elsewhere has nothing that the operator confirms, nor has the link of its product', async () => {
    await confirmIssuer(client.account.corporateId, { ...acme, publishesDid: true }, databaseUrl);
    const on = await deployCertificatesElsewhere(client.account.walletAddress);
    const registration = { chainId, contractAddress: on, ercStandard: '721', contractType: 'certificate' };
    expect((await client.post('/contracts/register', registration)).status).toBe(201);
    const serial = 'FOREIGN';
    const tokenId = await issued({ on, traits: { Type: 'Badge', GTIN, 'Serial Number': serial } });
    const body = await credentialOf(tokenId, on);
    const hosted = `did:web:${encodeURIComponent(new URL(origin).host)}:issuers:${issuerId}`;
    expect(body.issuer).toEqual({ id: hosted, type: ['Profile'] });
    expect(await verify(body, fetchJson)).toEqual(STANDING);
    expect((await call(`/01/${GTIN}/21/${serial}`, { headers: { accept: 'text/html' } })).status).toBe(300);
    await confirmIssuer(client.account.corporateId, null, databaseUrl);
  });

  it('takes texts of any kind, and says no end that is not a moment', async () => {
    const metadata = {
      name: 'A "quoted" \\ name\nwith <b>lines</b>, 한국어 and \u{1f3c5}',
      utility: { type: 'Certificate', data: { valid_until: 'the end of the season' } },
    };
    const body = await credentialOf(await issued({ metadata }));
    expect(body).not.toHaveProperty('validUntil');
    expect(body.name).toBe(metadata.name);
    expect(await verify(body, fetchJson)).toEqual(STANDING);
  });

  it('is there once the mint is CONFIRMED, of certificates of this service alone', async () => {
    const standard = (await deployContract(client)).contractAddress;
    expect((await call(pathOf('1', standard))).status).toBe(404);
    expect((await call(pathOf('999999'))).status).toBe(404);
    expect((await call(pathOf('1', `0x${'ab'.repeat(20)}`))).status).toBe(404);
    expect((await call(pathOf('one'))).status).toBe(400);
    const tokenId = await issued();
    const setStatus = (status: string) =>
      database.query('update orders set state = $3 where contract_address = $1 and token_id = $2', [
        contract,
        tokenId,
        status,
      ]);
    await setStatus('failed');
    expect((await call(pathOf(tokenId))).status).toBe(404);
    await setStatus('confirmed');
    expect((await call(pathOf(tokenId))).status).toBe(200);
  });

  it('is not there in a deployment without a secret for it', async () => {
    const tokenId = await issued();
    const worker = await startOtherWorker({ CREDENTIAL_SECRETS: '' });
    try {
      for (const path of [pathOf(tokenId), `/issuers/${issuerId}/did.json`]) {
        const { status, text } = await worker.call(path, { method: 'GET', headers: {} });
        expect([status, JSON.parse(text).message]).toEqual([404, 'Credential issuer not found']);
      }
    } finally {
      await worker.stop();
    }
  });
});

/** Changes one character of a text to another of its alphabet. */
function tampered(text: string, position: number): string {
  const at = position < 0 ? text.length + position : position;
  const other = /[a-y1-8]/.test(text.charAt(at)) ? String.fromCharCode(text.charCodeAt(at) + 1) : 'a';
  return `${text.slice(0, at)}${other}${text.slice(at + 1)}`;
}

describe('a verifier refuses', () => {
  let genuine: Awaited<ReturnType<typeof credentialOf>>;
  beforeAll(async () => {
    genuine = await credentialOf(await issued());
  });

  const refused = { verified: false, isRevoked: undefined };
  const changed = (change: (copy: typeof genuine) => void) => {
    const copy = structuredClone(genuine);
    change(copy);
    expect(copy).not.toEqual(genuine);
    return copy;
  };

  it.each<[string, (copy: typeof genuine) => void]>([
    ['the hash', ({ credentialSubject: { token } }) => (token.metadataHash = tampered(token.metadataHash, 10))],
    ['the token', ({ credentialSubject: { token } }) => (token.tokenId = tampered(token.tokenId, 0))],
    ['the contract', ({ credentialSubject }) => (credentialSubject.id = tampered(credentialSubject.id, 30))],
    ['the chain', ({ credentialSubject: { token } }) => (token.chainId = '43113')],
    ['the name', ({ credentialSubject }) => (credentialSubject.name = tampered(credentialSubject.name, -1))],
    ['the document', ({ relatedResource: [one] }) => (one.digestSRI = tampered(one.digestSRI, 12))],
    ['the end', (copy) => (copy.validUntil = '2034-05-18T03:33:20.000Z')],
    ['its bit', ({ credentialStatus: status }) => (status.statusListIndex = `${status.statusListIndex}1`)],
    ['the first byte of the proof', ({ proof }) => (proof.proofValue = tampered(proof.proofValue, 3))],
    ['the last byte of the proof', ({ proof }) => (proof.proofValue = tampered(proof.proofValue, -1))],
    ['a statement that is left out', (copy) => delete copy.credentialSubject.token.metadataHash],
    ['a statement that is added', (copy) => (copy.credentialSubject.description = 'Gold')],
  ])('a credential with a change of %s', async (_, change) => {
    expect(await verify(genuine, fetchJson)).toEqual(STANDING);
    expect(await verify(changed(change), fetchJson)).toEqual(refused);
  });

  it('a credential whose key another issuer has, or that the DID document does not name', async () => {
    const other = await newClient();
    const on = await deployed(other);
    const foreign = await credentialOf(await issued({ of: other, on }), on);
    expect(await verify(foreign, fetchJson)).toEqual(STANDING);
    expect(
      await verify(
        changed((copy) => (copy.issuer.id = foreign.issuer.id)),
        fetchJson,
      ),
    ).toEqual(refused);
    expect(foreign.proof.verificationMethod.split('#')[1]).not.toBe(genuine.proof.verificationMethod.split('#')[1]);
    const withOtherKey: FetchJson = async (url) => {
      const text = JSON.stringify(await fetchJson(url));
      const [, key = ''] = genuine.proof.verificationMethod.split('#');
      return JSON.parse(url.endsWith('/did.json') ? text.replaceAll(key, tampered(key, 20)) : text);
    };
    expect(await verify(genuine, withOtherKey)).toEqual(refused);
  });

  it('a status list with a change of one bit, or of its proof', async () => {
    for (const change of [
      (list: typeof genuine) => (list.proof.proofValue = tampered(list.proof.proofValue, 20)),
      (list: typeof genuine) => (list.credentialSubject.encodedList = tampered(list.credentialSubject.encodedList, 30)),
      (list: typeof genuine) => (list.issuer = `${list.issuer}0`),
    ]) {
      const withList: FetchJson = async (url) => {
        const document = await fetchJson(url);
        if (url.includes('/credentials/status/')) change(document);
        return document;
      };
      expect(await verify(genuine, withList)).toEqual(refused);
    }
  });
});

describe('the status list of an issuer', () => {
  it('follows revocations and burns, and their undoing in a reorganization', async () => {
    const [revoked, kept] = [await issued(), await issued()];
    expect([await statusOf(revoked), await statusOf(kept)]).toEqual([STANDING, STANDING]);
    const before = await credentialOf(revoked);
    const id = await revoke(revoked);
    expect([await statusOf(revoked), await statusOf(kept)]).toEqual([REVOKED, STANDING]);
    expect(await credentialOf(revoked)).toEqual(before);
    await database.query(`update orders set state = 'failed' where id = $1`, [id]);
    // Another file may have the transfers of all contracts read at any time.
    const statusWithoutBurn = async () => {
      await database.query(
        `delete from token_transfers t using contracts c
         where c.id = t.contract_id and c.contract_address = $1 and t.token_id = $2 and t.to_address = $3`,
        [contract, revoked, zeroAddress],
      );
      return await statusOf(revoked);
    };
    await expect.poll(statusWithoutBurn).toEqual(STANDING);
    await database.query(`update orders set state = 'confirmed' where id = $1`, [id]);
    expect(await statusOf(revoked)).toEqual(REVOKED);

    const holder = newSigner();
    const burned = await issued({ order: { receiverAddress: holder.address } });
    const { body } = await client.post(
      '/burn/execute',
      signedBurn(holder, forwarder, { contractAddress: contract, tokenId: burned }, { nonce: 0 }).body,
    );
    expect(await client.until(`/burn/${body.id}`, ENDED)).toMatchObject({ status: 'CONFIRMED' });
    expect(await statusOf(burned)).toEqual(REVOKED);
  });

  it('has a bit set once all units of a certificate are gone', async () => {
    const units = await deployed(client, { ercStandard: '1155', burnAuth: 'issuer' });
    const tokenId = await issued({ on: units, order: { amount: 2 } });
    await revoke(tokenId, { contractAddress: units, amount: 1 });
    expect(await statusOf(tokenId, units)).toEqual(STANDING);
    await revoke(tokenId, { contractAddress: units, amount: 1 });
    expect(await statusOf(tokenId, units)).toEqual(REVOKED);
  });

  it('sees what holders burn without the service, once its transfers are indexed', async () => {
    const holder = newSigner();
    const order = { receiverAddress: holder.address };
    const units = await deployed(client, { ercStandard: '1155' });
    const burned = await issued({ order });
    const some = await issued({ on: units, order: { ...order, amount: 2 } });
    const burn = (tokenId: string, on: Address, amount?: number) =>
      sendAs(holder, burnData(holder.address, { tokenId, ...(amount === undefined ? {} : { amount }) }), on);
    const untilStatus = async (tokenId: string, on: Address, status: typeof STANDING) => {
      const statusNow = async () => {
        await indexTransfers();
        return await statusOf(tokenId, on);
      };
      await expect.poll(statusNow, { interval: 500, timeout: 30_000 }).toEqual(status);
    };
    await burn(some, units, 1);
    await burn(burned, contract);
    await untilStatus(burned, contract, REVOKED);
    expect(await statusOf(some, units)).toEqual(STANDING);
    await burn(some, units, 1);
    await untilStatus(some, units, REVOKED);

    await holderRecords(databaseUrl, holder.address, true);
    expect(await statusOf(burned)).toEqual(REVOKED);
  });

  it('has no bit set because its holder was erased', async () => {
    const holder = newSigner();
    const order = { receiverAddress: holder.address, amount: 3 };
    const units = await deployed(client, { ercStandard: '1155' });
    const tokenId = await issued({ on: units, order });
    await sendAs(holder, burnData(holder.address, { tokenId, amount: 1 }), units);
    const transfers = async () => {
      await indexTransfers();
      return (await holderRecords(databaseUrl, holder.address, false)).transfers;
    };
    await expect.poll(transfers, { interval: 500, timeout: 30_000 }).toBe(2);
    expect(await holderRecords(databaseUrl, holder.address, true)).toMatchObject({ holdings: 1 });
    expect(await statusOf(tokenId, units)).toEqual(STANDING);
    const { body } = await client.get(`/holdings?contractAddress=${units}`);
    expect(body.items).toMatchObject([{ tokenId, holder: zeroAddress, amount: '2' }]);
  });

  it('gives each certificate a place of its own, whoever asks at the same time', async () => {
    const other = await newClient();
    const on = await deployed(other);
    const orders = await Promise.all(Array.from({ length: 6 }, () => ordered({ of: other, on })));
    await Promise.all(orders.map(({ orderId }) => other.until(`/minting/${orderId}`, ['CONFIRMED'])));
    const tokens = orders.flatMap(({ tokenId }) => [tokenId, tokenId, tokenId]);
    const credentials = await Promise.all(tokens.map((tokenId) => credentialOf(tokenId, on)));
    const places = credentials.map(({ credentialStatus }) => Number(credentialStatus.statusListIndex));
    expect([...new Set(places)].toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5]);
    const otherId = await issuerIdOf(other);
    expect((await call(`/credentials/status/${otherId}/1`)).status).toBe(404);
    expect((await call(`/credentials/status/${crypto.randomUUID()}/0`)).status).toBe(404);
    expect((await call(`/credentials/status/${otherId}/-1`)).status).toBe(400);
  });
});

describe('the keys of issuers', () => {
  it('derive from the secrets: the first signs, and the DID document has all, so that earlier credentials verify', async () => {
    const tokenId = await issued();
    const earlier = await credentialOf(tokenId);
    const secrets = `${'n'.repeat(40)}, ${stack.settings['CREDENTIAL_SECRETS']}`;
    const worker = await startOtherWorker({ CREDENTIAL_SECRETS: secrets });
    const read = async (path: string) => JSON.parse((await worker.call(path, { method: 'GET', headers: {} })).text);
    try {
      const document = await read(`/issuers/${issuerId}/did.json`);
      const fragments = document.assertionMethod.map((method: string) => method.split('#')[1]);
      expect(fragments).toHaveLength(2);
      expect(fragments[1]).toBe(earlier.proof.verificationMethod.split('#')[1]);
      const renewed = await read(pathOf(tokenId));
      expect(renewed.proof.verificationMethod.split('#')[1]).toBe(fragments[0]);
    } finally {
      await worker.stop();
    }
  });

  it('are controlled by the service, which has a DID too', async () => {
    const { body: service } = await call('/.well-known/did.json');
    const { body: issuer } = await call(`/issuers/${issuerId}/did.json`);
    expect(service.id).toBe(`did:web:${encodeURIComponent(new URL(origin).host)}`);
    expect(issuer.controller).toBe(service.id);
    expect((await call(`/issuers/${crypto.randomUUID()}/did.json`)).status).toBe(404);
    expect((await edge.call('/.well-known/did.json')).status).toBe(200);
  });
});

/** What a scanner gets that follows the link of a product. */
const resolve = async (path: string, accept = 'text/html') => {
  const reply = await fetch(`${stack.url}${path}`, { redirect: 'manual', headers: { accept } });
  const { status, headers } = reply;
  return {
    status,
    location: headers.get('location'),
    type: headers.get('content-type'),
    link: headers.get('link'),
    methods: headers.get('access-control-allow-methods'),
    body: await reply.text(),
  };
};
const linksOf = async (path: string) => {
  const { status, body, type } = await resolve(`${path}?linkType=linkset`);
  expect([status, type]).toEqual([200, 'application/linkset+json']);
  const [{ anchor, itemDescription, ...links }] = JSON.parse(body).linkset;
  expect(itemDescription).toBeTypeOf('string');
  expect(anchor).toBe(`${origin}${path}`);
  return Object.fromEntries(
    Object.entries<{ href: string }[]>(links).map(([name, targets]) => [
      name.replace('https://ref.gs1.org/voc/', ''),
      targets.map(({ href }) => href.replace(origin, '')),
    ]),
  );
};
const checkOf = (tokenId: string, on = contract) => `/verify/${on}/${tokenId}?chainId=${chainId}`;

describe('the GS1 Digital Link of a product', () => {
  it('leads to the check of its certificate, and its links to all that is known', async () => {
    await confirmIssuer(client.account.corporateId, acme, databaseUrl);
    // A document may give the GTIN without its leading zeros.
    const traits = { GTIN: '9506000134352', 'Serial Number': 'W/1+(a)' };
    const tokenId = await issued({ traits, metadata: { externalUrl: 'https://acme.example/watch' } });
    const path = `/01/${GTIN}/21/${encodeURIComponent('W/1+(a)')}`;
    expect(await resolve(path)).toMatchObject({ status: 307, location: `${origin}${checkOf(tokenId)}` });
    expect(await resolve(path.replace('/01/0', '/01/'))).toMatchObject({ status: 307 });
    expect(await resolve(path, 'application/linkset+json')).toMatchObject({ status: 200 });
    expect(await linksOf(path)).toEqual({
      defaultLink: [checkOf(tokenId)],
      defaultLinkMulti: [checkOf(tokenId), pathOf(tokenId)],
      certificationInfo: [checkOf(tokenId), pathOf(tokenId)],
      pip: ['https://acme.example/watch'],
    });
    expect(await resolve(`${path}?linkType=gs1:pip`)).toMatchObject({ location: 'https://acme.example/watch' });
    expect(await resolve(`${path}?linkType=gs1:recallStatus`)).toMatchObject({ status: 404 });
  });

  it('leads nowhere by itself if no issuer is confirmed, or more than one: it lists all', async () => {
    const other = await newClient();
    const on = await deployed(other);
    const traits = { GTIN, 'Serial Number': 'SHARED' };
    const path = `/01/${GTIN}/21/SHARED`;
    const foreign = await issued({ of: other, on, traits });
    expect(await resolve(path)).toMatchObject({ status: 300, location: null });
    await confirmIssuer(client.account.corporateId, acme, databaseUrl);
    const own = await issued({ traits });
    expect(await resolve(path)).toMatchObject({ status: 307, location: `${origin}${checkOf(own)}` });
    expect((await linksOf(path))['certificationInfo']).toEqual([
      checkOf(own),
      pathOf(own),
      checkOf(foreign, on),
      pathOf(foreign, on),
    ]);
    const newer = `substr(md5(id || n), 1, 24), corporate_account_id, chain_id, contract_address, (1000000 + n)::text,
      schema_version, standard_fields, metadata_hash, linked_at + n * interval '1 hour'`;
    await database.query(
      `insert into metadata (id, corporate_account_id, chain_id, contract_address, token_id, schema_version, standard_fields,
         metadata_hash, linked_at)
       select ${newer} from metadata, generate_series(1, 25) n where contract_address = $1`,
      [on],
    );
    expect(await resolve(path)).toMatchObject({ status: 307, location: `${origin}${checkOf(own)}` });
    await database.query('delete from metadata where contract_address = $1 and token_id::int > 1000000', [on]);
    await confirmIssuer(other.account.corporateId, { ...acme, domain: 'other.example' }, databaseUrl);
    expect(await resolve(path)).toMatchObject({ status: 300, location: null });
    expect(Object.keys(await linksOf(path))).toEqual(['certificationInfo']);
  });

  it('of a revoked certificate still leads to the check, which says so, but certifies nothing', async () => {
    await confirmIssuer(client.account.corporateId, acme, databaseUrl);
    const tokenId = await issued({ traits: { GTIN, 'Serial Number': 'GONE' } });
    const path = `/01/${GTIN}/21/GONE`;
    await revoke(tokenId);
    expect(await resolve(path)).toMatchObject({ status: 307, location: `${origin}${checkOf(tokenId)}` });
    expect(await linksOf(path)).toEqual({
      defaultLink: [checkOf(tokenId)],
      defaultLinkMulti: [checkOf(tokenId), pathOf(tokenId)],
    });
    expect(await resolve(`${path}?linkType=gs1:certificationInfo`)).toMatchObject({ status: 404 });
  });

  it('conforms to GS1: the query, what is accepted, key qualifiers, methods, links', async () => {
    await confirmIssuer(client.account.corporateId, acme, databaseUrl);
    const tokenId = await issued({ traits: { GTIN, 'Serial Number': 'CONFORMS' } });
    const path = `/01/${GTIN}/21/CONFORMS`;
    const check = `${origin}${checkOf(tokenId)}`;
    const plain = await resolve(path);
    expect(plain).toMatchObject({
      status: 307,
      location: check,
      link: `<${origin}${path}?linkType=linkset>; rel="linkset"; type="application/linkset+json"`,
      methods: 'GET, HEAD, OPTIONS',
    });
    expect(await resolve(`${path}?17=271231&a=b%20c&linkType=gs1:defaultLink`)).toMatchObject({
      location: `${check}&17=271231&a=b+c`,
    });
    for (const accept of ['application/vc', 'text/html;q=0.5, application/vc']) {
      expect(await resolve(path, accept)).toMatchObject({ location: `${origin}${pathOf(tokenId)}` });
    }
    for (const accept of ['*/*', 'application/vcard+xml', 'application/vc;q=0.1, text/html']) {
      expect(await resolve(path, accept)).toMatchObject({ location: check });
    }
    for (const same of [`/01/${GTIN}/22/V2/10/L%2F1/21/CONFORMS`, `/01/${GTIN}/10/LOT/21/CONFORMS`, `${path}/`]) {
      expect(await resolve(same)).toMatchObject({ status: 307, location: check });
    }
    const linkset = await resolve(`${path}?linkType=linkset`);
    expect(linkset.link).toContain('rel="http://www.w3.org/ns/json-ld#context"; type="application/ld+json"');
    expect((await resolve(`${path}?linkType=all`)).body).toBe(linkset.body);
    for (const method of ['HEAD', 'OPTIONS']) {
      const reply = await fetch(stack.url + path, { method, redirect: 'manual' });
      expect([method, reply.status]).toEqual([method, method === 'HEAD' ? 307 : 204]);
      expect(reply.headers.get('access-control-allow-methods')).toBe('GET, HEAD, OPTIONS');
    }
    expect((await call('/.well-known/gs1resolver')).body).toMatchObject({
      resolverRoot: origin,
      supportedPrimaryKeys: ['01'],
    });
  });

  it.each([
    ['a wrong check digit', `/01/09506000134353/21/1`, 400],
    ['a GTIN of another length', `/01/950600013435/21/1`, 400],
    ['a serial number that GS1 does not allow', `/01/${GTIN}/21/${'1'.repeat(21)}`, 400],
    ['what is no key qualifier', `/01/${GTIN}/21/1/foo`, 400],
    ['key qualifiers in another order', `/01/${GTIN}/21/1/10/LOT`, 400],
    ['what cannot be decoded', `/01/${GTIN}/10/%ff/21/1`, 400],
    ['a product without a certificate', `/01/${GTIN}/21/NONE`, 404],
    ['a product as a whole, of which no certificate is', `/01/${GTIN}`, 404],
  ])('is refused with %s', async (_, path, status) => {
    expect((await resolve(path)).status).toBe(status);
  });

  it('does not keep an account from documents with long traits, although both traits are indexed', async () => {
    const long = 'G'.repeat(2_000);
    const tokenId = await issued({ traits: { GTIN: long, 'Serial Number': long } });
    expect(await statusOf(tokenId)).toEqual(STANDING);
  });
});
