import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import canonicalize from 'canonicalize';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeFunctionData, type Address } from 'viem';
import { certificate1155 } from '../../contracts/artifacts/Certificate1155.ts';
import { certificate721 } from '../../contracts/artifacts/Certificate721.ts';
import { startHttpServer, type HttpServer } from '../../stack/http-server.ts';
import {
  call,
  chainClient,
  deployContract,
  newClient,
  receiverAddress,
  stack,
  type Client,
  type Reply,
} from '../fixtures/client.ts';
import { newSigner, sendAs } from '../fixtures/gasless.ts';
import { certificateInput, changed, type Loose } from '../fixtures/metadata-inputs.ts';

let client: Client;
let certificates: Address;
let multiUnit: Address;
let nextToken = 1;

beforeAll(async () => {
  client = await newClient();
  [certificates, multiUnit] = await Promise.all([
    deployContract(client, { contractType: 'certificate' }).then(({ contractAddress }) => contractAddress),
    deployContract(client, { contractType: 'certificate', ercStandard: '1155' }).then(
      ({ contractAddress }) => contractAddress,
    ),
  ]);
});

const sha256 = (content: string | Uint8Array) => `0x${createHash('sha256').update(content).digest('hex')}`;

/** Values of real certificates, including those that careless implementations hash differently. */
const demanding = changed(certificateInput, (copy) => {
  copy.name = '정품 인증서 № 1 🎟';
  copy.description = 'Line one\nline "two"\t\\ \u2028 </script> é é \u007f';
  copy.externalUrl = 'https://example.com/a?b=c&d=%20#e';
  copy.animationUrl = 'https://example.com/a.glb';
  copy.backgroundColor = 'A0b1C2';
  copy.attributes.push({ traitType: 'Ümläut 😀', value: 0.1 }, { traitType: 'On', value: true });
  copy.utility.validationUrl = 'https://example.com/check';
  copy.utility.data = {
    valid_until: null,
    z: { ключ: [1, [2, [3, { b: 'b', a: 'a', B: 'B', '10': 1, '9': 2, '': 3 }]]], '😀': { '👩‍👩‍👧‍👦': '🇰🇷' } },
    numbers: [0, -0, -1, 1e6, 123_456_789_012, Number.MAX_SAFE_INTEGER, 0.001, 4.5, 1 / 3, -37.5665, 9_999_999.25],
    controls: '\u0001\b\t\n\f\r\u001f',
    empty: [{}, [], ''],
  };
});

/** Orders a certificate's mint and, if the order is accepted, waits for its confirmation. */
async function issue(
  metadata: Reply['body'],
  contractAddress: Address,
  fields: Record<string, unknown> = {},
): Promise<{ order: Reply; path: string; tokenId: string }> {
  const tokenId = String(nextToken);
  nextToken += 1;
  const path = `/metadata/${contractAddress}/${tokenId}`;
  const order = await client.post('/minting/order', {
    chainId: '43114',
    contractAddress,
    receiverAddress,
    tokenId,
    metadataId: metadata._id,
    metadataHash: metadata.metadataHash,
    tokenUri: stack.url + path,
    ...fields,
  });
  if (order.status === 201) {
    const { status, errorMessage } = await client.until(`/minting/${order.body.id}`, ['CONFIRMED', 'FAILED']);
    if (status !== 'CONFIRMED') throw new Error(String(errorMessage));
  }
  return { order, path, tokenId };
}

/** Issues a certificate whose document is under a base. @returns the gas of its mint. */
async function gasUnder(base: string): Promise<number> {
  const { body: metadata } = await client.post('/metadata', certificateInput);
  const tokenUri = `${base}/${certificates}/${nextToken}`;
  const { order, tokenId } = await issue(metadata, certificates, { tokenUri });
  const token = { ...certificate721, address: certificates, args: [BigInt(tokenId)] } as const;
  expect(await chainClient().readContract({ ...token, functionName: 'tokenURI' })).toBe(tokenUri);
  return Number((await client.get(`/minting/${order.body.id}`)).body.mintingGasUsed);
}

describe('a certificate', () => {
  it('has the hash of the served document, before and after the mint, and on chain', async () => {
    const { status, body: metadata } = await client.post('/metadata', demanding);
    expect(status).toBe(201);
    expect(metadata.metadataHash).toBe(sha256(canonicalize(metadata.standardFields) ?? ''));
    expect(metadata.standardFields.attributes.map(({ trait_type }: Loose) => trait_type)).not.toContain('Status');

    const { path, tokenId } = await issue(metadata, certificates);
    const reply = await fetch(stack.url + path);
    const bytes = new Uint8Array(await reply.arrayBuffer());
    expect(reply.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(sha256(bytes)).toBe(metadata.metadataHash);
    expect(JSON.parse(new TextDecoder().decode(bytes))).toEqual(metadata.standardFields);

    const token = { ...certificate721, address: certificates, args: [BigInt(tokenId)] } as const;
    expect(await chainClient().readContract({ ...token, functionName: 'getMetadataHash' })).toBe(metadata.metadataHash);
    expect(await chainClient().readContract({ ...token, functionName: 'tokenURI' })).toBe(stack.url + path);
  });

  it('has it for many units too', async () => {
    const { body: metadata } = await client.post('/metadata', demanding);
    const { path, tokenId } = await issue(metadata, multiUnit, { amount: 3 });
    const reply = await fetch(stack.url + path);
    expect(sha256(new Uint8Array(await reply.arrayBuffer()))).toBe(metadata.metadataHash);
    const token = { ...certificate1155, address: multiUnit, args: [BigInt(tokenId)] } as const;
    expect(await chainClient().readContract({ ...token, functionName: 'getMetadataHash' })).toBe(metadata.metadataHash);
    expect(await chainClient().readContract({ ...token, functionName: 'uri' })).toBe(stack.url + path);
  });

  it('takes less gas where its URL follows from its contract, and has it as it was given', async () => {
    const derived = await gasUnder('http://service.test/metadata');
    expect(await gasUnder(`${stack.url}/metadata`)).toBeGreaterThan(derived + 50_000);
  });

  it('names its issuer, and its contract where its metadata is, also to POST /contracts/read', async () => {
    const { body: metadata } = await client.post('/metadata', certificateInput);
    const { tokenId } = await issue(metadata, certificates);
    const read = async (method: string, args: readonly string[]) =>
      (await client.post('/contracts/read', { chainId: '43114', contractAddress: certificates, method, args })).body;
    expect(await read('issuerOf', [tokenId])).toBe(client.account.walletAddress);
    expect(await read('contractURI', [])).toBe(`http://service.test/metadata/${certificates}`);
    expect(await read('issuerOf', ['999'])).toMatchObject({ statusCode: 400 });
    const contracts = await client.get('/contracts');
    expect(contracts.body.items.map(({ metadataBaseUri }: Loose) => metadataBaseUri)).toEqual([null, null]);
  });

  it('never changes: its status cannot be set, before or after the mint', async () => {
    const { body: metadata } = await client.post('/metadata', certificateInput);
    const setStatus = () => client.post(`/metadata/${metadata._id}/status`, { status: 'Revoked' });
    expect((await setStatus()).status).toBe(409);
    const { path } = await issue(metadata, certificates);
    expect((await setStatus()).status).toBe(409);
    expect(sha256(canonicalize((await call(path)).body) ?? '')).toBe(metadata.metadataHash);
  });

  it('is minted only with its own hash and with certificate metadata', async () => {
    const { body: metadata } = await client.post('/metadata', certificateInput);
    const other = await issue(metadata, certificates, { metadataHash: `0x${'1'.repeat(64)}` });
    expect([other.order.status, other.order.body.errors[0].path]).toEqual([400, 'metadataHash']);
    // In any spelling of the service's own URL.
    const token = String(nextToken);
    const bases = [`${stack.url}/metadata`, 'http://service.test/metadata'];
    const hexId = BigInt(token).toString(16).padStart(64, '0');
    for (const base of bases) {
      for (const spelling of [
        `${certificates.toUpperCase().replace('0X', '0x')}/${token}`,
        `${certificates}/${hexId}`,
      ]) {
        const { status, body } = await client.post('/minting/order', {
          chainId: '43114',
          contractAddress: certificates,
          receiverAddress,
          tokenId: token,
          metadataId: metadata._id,
          metadataHash: `0x${'1'.repeat(64)}`,
          tokenUri: `${base}/${spelling}`,
        });
        expect([status, body.errors?.map(({ path }: Loose) => path)]).toEqual([400, ['metadataHash']]);
      }
    }
    const { body: ticket } = await client.post('/metadata', {
      ...certificateInput,
      utility: { type: 'Flexible', data: {} },
    });
    const wrong = await issue(ticket, certificates, { metadataHash: metadata.metadataHash });
    expect([wrong.order.status, wrong.order.body.errors[0].path]).toEqual([400, 'metadataId']);
  });

  it('cannot have a URL of this service that is not one of its own token', async () => {
    const { body: metadata } = await client.post('/metadata', certificateInput);
    const { path } = await issue(metadata, certificates);
    const { body: second } = await client.post('/metadata', certificateInput);
    const token = String(nextToken);
    for (const wrong of [
      path,
      `/metadata/0x${'12'.repeat(20)}/999`,
      `//metadata//${certificates}/${token}`,
      `/METADATA/${certificates}/${token}`,
      `/metadata/${certificates}/${token}/`,
      `/metadata%2f${certificates}/${token}`,
      `/metadata/${certificates}/${token}?a=b`,
      `/metadata/${certificates}/{id}`,
    ]) {
      for (const base of [stack.url, stack.url.replace('127.0.0.1', 'localhost')]) {
        const { order } = await issue(second, certificates, { tokenId: token, tokenUri: base + wrong });
        expect([wrong, order.status, order.body.errors?.map(({ path: at }: Loose) => at)]).toEqual([
          wrong,
          400,
          ['tokenUri'],
        ]);
      }
    }
  });

  it('may have a document that the caller hosts, and then has its hash', async () => {
    const { body: metadata } = await client.post('/metadata', certificateInput);
    const [tokenUri, metadataHash] = ['https://example.com/certificates/1.json', `0x${'2'.repeat(64)}`];
    const { tokenId } = await issue(metadata, certificates, { tokenUri, metadataHash });
    const token = { ...certificate721, address: certificates, args: [BigInt(tokenId)] } as const;
    expect(await chainClient().readContract({ ...token, functionName: 'getMetadataHash' })).toBe(metadataHash);
    expect(await chainClient().readContract({ ...token, functionName: 'tokenURI' })).toBe(tokenUri);
  });

  it('keeps the document of its first mint: an order with another one is a 409, also after the holder burned it', async () => {
    const holder = newSigner();
    const { body: first } = await client.post('/metadata', certificateInput);
    const { body: same } = await client.post('/metadata', certificateInput);
    const { body: other } = await client.post('/metadata', { ...certificateInput, name: 'Watch 2 of 10' });
    for (const [contractAddress, fields] of [
      [multiUnit, { amount: 1 }],
      [certificates, { receiverAddress: holder.address }],
    ] as const) {
      const { path, tokenId } = await issue(contractAddress === multiUnit ? first : same, contractAddress, fields);
      if (contractAddress === certificates) {
        const data = encodeFunctionData({ ...certificate721, functionName: 'burn', args: [BigInt(tokenId)] });
        await sendAs(holder, data, certificates);
      }
      const token = { chainId: '43114', contractAddress, tokenId };
      const check = (metadataId: string) => client.post('/minting/occupancy/check', { ...token, metadataId });
      const { body: copy } = await client.post('/metadata', certificateInput);
      const again = contractAddress === multiUnit ? first : copy;
      const message = `Certificate ${tokenId} keeps the document of its first mint: ${stack.url}${path} with the hash ${first.metadataHash}`;
      const second = await issue(other, contractAddress, { ...fields, tokenId, tokenUri: stack.url + path });
      expect([second.order.status, second.order.body.message]).toEqual([409, message]);
      expect((await check(other._id)).body).toMatchObject({ available: false, reasons: [message] });
      const tokenUri = 'https://example.com/certificates/2.json';
      const elsewhere = await issue(again, contractAddress, { ...fields, tokenId, tokenUri });
      expect([elsewhere.order.status, elsewhere.order.body.message]).toEqual([409, message]);
      expect((await check(again._id)).body).toMatchObject({ available: true, reasons: [] });
      const third = await issue(again, contractAddress, { ...fields, tokenId, tokenUri: stack.url + path });
      expect(third.order.status).toBe(201);
    }
  });

  it('is not minted on a contract whose tokens can be transferred', async () => {
    const { contractAddress } = await deployContract(client);
    const { body: metadata } = await client.post('/metadata', certificateInput);
    const { order } = await issue(metadata, contractAddress);
    expect([order.status, order.body.errors.map(({ path }: Loose) => path)]).toEqual([400, ['metadataId']]);
  });

  it('has no hash chosen by the caller, and no number that languages format differently', async () => {
    const { status, body } = await client.post(
      '/metadata',
      changed({ ...certificateInput, metadataHash: `0x${'0'.repeat(64)}` }, (copy) => {
        Object.assign(copy.utility.data, { large: 1e21, small: 1e-7, exact: 2 ** 53, fine: 2 ** 53 - 1 });
      }),
    );
    expect([status, body.message]).toEqual([400, 'Metadata validation failed']);
    expect(body.errors.map(({ path }: Loose) => path)).toEqual([
      '$.utility.data.large',
      '$.utility.data.small',
      '$.utility.data.exact',
      '$.metadataHash',
    ]);
  });
});

describe('the verification programs of docs/programs', () => {
  let directory: string;
  let forger: HttpServer;
  let forged: { type: 'altered' | 'reordered'; document: Reply['body'] };
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'nft-certificates-'));
    // A directory that is not set up for ES modules.
    await promisify(execFile)('npm', ['init', '-y', '--init-type=commonjs'], { cwd: directory });
    for (const [, , file] of programs) await copyFile(join('docs/programs', file), join(directory, file));
    // The document is hosted by a third party, who can change it.
    forger = await startHttpServer('forger', (_, response) => {
      const { document, type } = forged;
      const body =
        type === 'altered'
          ? JSON.stringify({ ...document, name: `${document.name} ` })
          : JSON.stringify(Object.fromEntries(Object.entries(document).toReversed()), null, 2);
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    });
  });
  afterAll(async () => {
    await forger.stop();
    await rm(directory, { recursive: true });
  });

  const programs = [
    ['TypeScript', process.execPath, 'check-certificate.mts'],
    ['Python', 'python3', 'check_certificate.py'],
  ] as const;

  const check = async (program: string, file: string, contractAddress: Address, tokenId: string) => {
    const rpcUrl = stack.rpcUrls['43114'] ?? '';
    try {
      const { stdout } = await promisify(execFile)(program, [file, rpcUrl, contractAddress, tokenId], {
        cwd: directory,
      });
      return { code: 0, stdout };
    } catch (error) {
      return error as { code: number | string; stdout: string };
    }
  };

  it.each(programs)('%s: accepts a genuine certificate', async (_, program, file) => {
    const { body: metadata } = await client.post('/metadata', demanding);
    const single = await issue(metadata, certificates);
    expect(await check(program, file, certificates, single.tokenId)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^genuine/),
    });
    const { body: other } = await client.post('/metadata', demanding);
    const units = await issue(other, multiUnit, { amount: 2 });
    expect(await check(program, file, multiUnit, units.tokenId)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^genuine/),
    });
  });

  it.each(programs)(
    '%s: distinguishes an altered document from one that is only formatted differently',
    async (_, program, file) => {
      const { body: metadata } = await client.post('/metadata', demanding);
      const { tokenId } = await issue(metadata, certificates, { tokenUri: `${forger.url}/certificate` });
      forged = { type: 'reordered', document: metadata.standardFields };
      expect(await check(program, file, certificates, tokenId)).toMatchObject({ code: 0 });
      forged = { type: 'altered', document: metadata.standardFields };
      expect(await check(program, file, certificates, tokenId)).toMatchObject({
        code: 1,
        stdout: expect.stringMatching(/^NOT genuine/),
      });
    },
  );

  it.each(programs)('%s: reports a certificate that does not exist', async (_, program, file) => {
    expect(await check(program, file, certificates, '424242')).toMatchObject({ code: 1, stdout: '' });
  });
});
