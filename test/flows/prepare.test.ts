import { Client as Postgres } from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { concat, encodeFunctionData, erc721Abi, numberToHex, zeroAddress, type Address, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { standard1155 } from '../../contracts/artifacts/Standard1155.ts';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import {
  call,
  chainClient,
  cleanUpAfter,
  createMetadata,
  deployContract,
  issuesOf,
  newClient,
  receiverAddress,
  stack,
  type Client,
  type Reply,
} from '../fixtures/client.ts';
import { deployForwarder, newSigner, nonceOf, signedTransfer, storeTransfer } from '../fixtures/gasless.ts';
import { certificateInput } from '../fixtures/metadata-inputs.ts';
import { signMessage } from '../fixtures/sign-message.ts';

const chain = chainClient();
const ENDED = ['CONFIRMED', 'FAILED'];
const AN_HOUR = 3_600_000;

let client: Client;
let forwarder: Address;
let collection: Address;
let units: Address;
/** Owner of a collection, without coins and without an account. */
const owner = privateKeyToAccount(generatePrivateKey());
let owned: Address;

beforeAll(async () => {
  client = await newClient();
  forwarder = await deployForwarder(client);
  const [erc721, erc1155, ofOwner] = await Promise.all([
    deployContract(client),
    deployContract(client, { ercStandard: '1155' }),
    deployContract(client, { currentOwnerAddress: owner.address }),
  ]);
  collection = erc721.contractAddress;
  units = erc1155.contractAddress;
  owned = ofOwner.contractAddress;
});

let lastToken = 0;

/** Mints a new token to a wallet without coins. */
async function newHolder(contractAddress = collection, fields: Record<string, unknown> = {}) {
  const privateKey = generatePrivateKey();
  const holder = privateKeyToAccount(privateKey);
  const tokenId = String((lastToken += 1));
  const metadataId = await createMetadata(client);
  const mint = { chainId: '43114', contractAddress, receiverAddress: holder.address, tokenId, metadataId, ...fields };
  const { body } = await client.post('/minting/order', mint);
  expect(await client.until(`/minting/${body.id}`, ENDED)).toMatchObject({ status: 'CONFIRMED' });
  const transfer = { chainId: '43114', contractAddress, tokenId, from: holder.address, to: receiverAddress };
  return { holder, privateKey, tokenId, transfer };
}

/** Signs a reply's typed data, as a wallet with viem does. */
async function sign(account: PrivateKeyAccount, { domain, types, primaryType, request }: Reply['body']): Promise<Hex> {
  return await account.signTypedData({ domain, types, primaryType, message: request });
}

/** The body that carries out what was prepared, as docs/gasless.md says. */
async function signed(account: PrivateKeyAccount, fields: Record<string, unknown>, { body }: Reply) {
  expect([body.errors, body.primaryType]).toEqual([undefined, 'ForwardRequest']);
  return {
    ...fields,
    gasLimit: body.request.gas,
    forwarderNonce: body.request.nonce,
    forwarderAddress: body.domain.verifyingContract,
    deadline: body.deadline,
    signature: await sign(account, body),
  };
}

const prepare = (fields: unknown, headers = {}) => client.post('/transfer/prepare', fields, headers);
const execute = (body: unknown) => client.post('/transfer/execute', body);
const transferEnd = (reply: Reply) => client.until(`/transfer/${reply.body.id}`, ENDED);
const inAnHour = () => new Date(Math.ceil(Date.now() / 1_000) * 1_000 + AN_HOUR).toISOString();
const ownerOf = (tokenId: string) =>
  chain.readContract({ ...standard721, address: collection, functionName: 'ownerOf', args: [BigInt(tokenId)] });

describe('a prepared transfer', () => {
  it("is signed by a plain viem account and executed at the account's expense", async () => {
    const { holder, tokenId, transfer } = await newHolder();
    const prepared = await prepare(transfer);
    expect(prepared.status).toBe(200);
    const estimate = await chain.estimateGas({
      account: forwarder,
      to: collection,
      data: concat([prepared.body.request.data as Hex, holder.address]),
    });
    expect(prepared.body).toEqual({
      domain: { name: 'MinimalForwarder', version: '1.0', chainId: 43_114, verifyingContract: forwarder },
      types: {
        ForwardRequest: [
          { name: 'from', type: 'address' },
          { name: 'to', type: 'address' },
          { name: 'value', type: 'uint256' },
          { name: 'gas', type: 'uint256' },
          { name: 'nonce', type: 'uint256' },
          { name: 'data', type: 'bytes' },
        ],
      },
      primaryType: 'ForwardRequest',
      request: {
        from: holder.address,
        to: collection,
        value: '0',
        gas: String(Math.ceil(Number(estimate) * 1.2)),
        nonce: '0',
        data: encodeFunctionData({
          abi: erc721Abi,
          functionName: 'safeTransferFrom',
          args: [holder.address, receiverAddress, BigInt(tokenId)],
        }),
      },
      deadline: null,
    });
    const accepted = await execute(await signed(holder, transfer, prepared));
    expect(accepted.status).toBe(201);
    const order = await transferEnd(accepted);
    expect(order).toMatchObject({ status: 'CONFIRMED', errorMessage: null });
    expect([await ownerOf(tokenId), await chain.getBalance({ address: holder.address })]).toEqual([
      receiverAddress,
      0n,
    ]);
  });

  it('of ERC-1155 units moves them', async () => {
    const { holder, tokenId, transfer } = await newHolder(units, { amount: 3 });
    const fields = { ...transfer, amount: 2 };
    expect(await transferEnd(await execute(await signed(holder, fields, await prepare(fields))))).toMatchObject({
      status: 'CONFIRMED',
      amount: 2,
    });
    const args = [holder.address, BigInt(tokenId)] as const;
    expect(await chain.readContract({ ...standard1155, address: units, functionName: 'balanceOf', args })).toBe(1n);
  });

  it("has the signer's next nonce, beyond requests that are under way, or a later one that is named", async () => {
    const { holder, privateKey, transfer } = await newHolder();
    const nonceIn = async (more = {}) => (await prepare({ ...transfer, ...more })).body.request.nonce;
    expect(await Promise.all([nonceIn(), nonceIn(), nonceIn({ forwarderNonce: '5' })])).toEqual(['0', '0', '5']);
    // Accepted and not due yet.
    const signer = { address: holder.address, privateKey };
    const other = { contractAddress: collection, to: receiverAddress, tokenId: '0' } as const;
    await storeTransfer(
      client,
      forwarder,
      signedTransfer(signer, forwarder, other, { nonce: 0 }),
      new Date(Date.now() + AN_HOUR),
    );
    expect(await nonceIn()).toBe('1');
    expect(issuesOf(await prepare({ ...transfer, forwarderNonce: '0' }))).toEqual({
      forwarderNonce: 'is stale: expected 1, given 0',
    });
    expect(issuesOf(await prepare({ ...transfer, forwarderNonce: '66' }))).toEqual({
      forwarderNonce: 'is too high: expected 1, given 66',
    });
  });

  it('changes nothing, and so takes no Idempotency-Key', async () => {
    const { transfer } = await newHolder();
    const { body } = await call('/openapi.json');
    for (const path of ['/transfer/prepare', '/burn/prepare', '/minting/prepare']) {
      expect(body.paths[path].post.parameters ?? []).not.toContainEqual(
        expect.objectContaining({ name: 'idempotency-key' }),
      );
    }
    for (const to of [receiverAddress, owner.address]) {
      expect((await prepare({ ...transfer, to }, { 'idempotency-key': 'prepare' })).status).toBe(200);
    }
  });

  it('is refused, with every issue, where its execution would be', async () => {
    const { transfer } = await newHolder();
    const [stranger, unknown] = [newSigner().address, newSigner().address];
    expect(
      issuesOf(await prepare({ ...transfer, from: stranger, deadline: '2020-01-01T00:00:00Z', forwarderNonce: '65' })),
    ).toEqual({
      from: expect.stringMatching('is not the holder'),
      deadline: 'has passed: 2020-01-01T00:00:00.000Z',
      forwarderNonce: 'is too high: expected 0, given 65',
    });
    expect(issuesOf(await prepare({ ...transfer, forwarderAddress: unknown }), 404)).toEqual({
      forwarderAddress: expect.stringMatching('is neither a configured forwarder nor'),
    });
    const deaf = await deployContract(client, { trustedForwarder: zeroAddress });
    const ofDeaf = { ...transfer, contractAddress: deaf.contractAddress };
    expect(issuesOf(await prepare(ofDeaf))).toMatchObject({
      forwarderAddress: expect.stringMatching(/^cannot be chosen/),
    });
    expect(issuesOf(await prepare({ ...ofDeaf, forwarderAddress: forwarder }))).toMatchObject({
      forwarderAddress: expect.stringMatching('is not trusted'),
    });
    const elsewhere = await prepare({ ...transfer, contractAddress: unknown });
    expect(elsewhere.status).toBe(404);
    expect(elsewhere.body.errors).toContainEqual({
      path: 'contractAddress',
      code: 'not_found',
      message: `is not one of the account's ACTIVE contracts: ${unknown.toLowerCase()} on chain 43114`,
    });
  });

  it('to a receiver that refuses it, or burns all gas, is refused, and nothing is offered to sign', async () => {
    const { transfer } = await newHolder();
    const hostile: Record<string, string> = {
      // Reverts; loops for ever.
      [newSigner().address]: '0x5f5ffd',
      [newSigner().address]: '0x5b5f56',
    };
    for (const [to, code] of Object.entries(hostile)) {
      await chain.request({ method: 'anvil_setCode', params: [to, code] } as never);
      const { status, body } = await prepare({ ...transfer, to });
      expect([status, body.message]).toEqual([400, expect.stringMatching(/^Reverted: /)]);
    }
  });
});

describe('the deadline of a request', () => {
  it('is part of what is signed: with another one, or without it, the signature is not valid', async () => {
    const { holder, tokenId, transfer } = await newHolder();
    const deadline = inAnHour();
    const prepared = await prepare({ ...transfer, deadline });
    expect([prepared.body.deadline, BigInt(`0x${prepared.body.request.data.slice(-64)}`)]).toEqual([
      deadline,
      BigInt(Date.parse(deadline) / 1_000),
    ]);
    const body = await signed(holder, transfer, prepared);
    const later = new Date(Date.parse(deadline) + 1_000).toISOString();
    for (const changed of [{ deadline: later }, { deadline: undefined }]) {
      expect(issuesOf(await execute({ ...body, ...changed }))).toEqual({
        signature: expect.stringMatching('does not recover to from'),
      });
    }
    const accepted = await execute(body);
    expect(await transferEnd(accepted)).toMatchObject({ status: 'CONFIRMED' });
    expect(await ownerOf(tokenId)).toBe(receiverAddress);
    const again = await execute(body);
    expect([again.status, again.body.id]).toEqual([200, accepted.body.id]);
  });

  it('is kept by the service: after it the request is refused, and its nonce stays free', async () => {
    const { privateKey, transfer } = await newHolder();
    const { body } = await prepare(transfer);
    const past = '2026-01-01T00:00:00.000Z';
    const data = concat([body.request.data as Hex, numberToHex(Date.parse(past) / 1_000, { size: 32 })]);
    const signature = signMessage({ privateKey }, forwarder, { ...body.request, data });
    const late = { ...transfer, gasLimit: body.request.gas, deadline: past, signature };
    expect(issuesOf(await execute(late))).toEqual({ deadline: `has passed: ${past}` });
    expect((await prepare(transfer)).body.request.nonce).toBe('0');
  });

  it('fails an accepted order for which nothing was signed in time, and its nonce stays free', async () => {
    const own = await newClient();
    const trusted = await deployForwarder(own);
    const { contractAddress } = await deployContract(own);
    const holder = newSigner();
    const { body: minting } = await own.post('/minting/order', {
      chainId: '43114',
      contractAddress,
      receiverAddress: holder.address,
      tokenId: '1',
      metadataId: await createMetadata(own),
    });
    await own.until(`/minting/${minting.id}`, ENDED);
    const transfer = { contractAddress, to: receiverAddress, tokenId: '1' } as const;
    const request = signedTransfer(holder, trusted, transfer, { nonce: 0 });
    const id = await storeTransfer(own, trusted, request, new Date(Date.now() - AN_HOUR));
    const database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
    await database.connect();
    await database.query("update forward_requests set deadline = '2026-01-01' where order_id = $1", [id]);
    await database.end();
    await cleanUpAfter(6);
    expect(await own.until(`/transfer/${id}`, ENDED)).toMatchObject({
      status: 'FAILED',
      txHash: null,
      errorMessage: 'The deadline of the signed request has passed: 2026-01-01T00:00:00.000Z',
    });
    expect(await nonceOf(trusted, holder.address)).toBe(0);
  });
});

const prepareMint = (fields: unknown) => client.post('/minting/prepare', fields);
const mintOf = async (fields: Record<string, unknown> = {}) => ({
  chainId: '43114',
  contractAddress: owned,
  receiverAddress,
  tokenId: String((lastToken += 1)),
  metadataId: await createMetadata(client),
  from: owner.address,
  ...fields,
});

describe('a prepared mint', () => {
  it("is signed by the contract's owner with viem and relayed", async () => {
    const mint = { ...(await mintOf()), deadline: inAnHour() };
    const prepared = await prepareMint(mint);
    expect(prepared.body).toMatchObject({ deadline: mint.deadline, request: { to: owned, from: owner.address } });
    const accepted = await client.post('/minting/relay', await signed(owner, mint, prepared));
    expect([accepted.status, accepted.body.status]).toEqual([201, 'QUEUED']);
    expect(await client.until(`/minting/${accepted.body.id}`, ENDED)).toMatchObject({ status: 'CONFIRMED' });
    // The token exists now: the same preparation is a conflict, as the order would be.
    const metadataId = await createMetadata(client);
    expect((await prepareMint({ ...mint, metadataId })).status).toBe(409);
  });

  it('of a certificate has enough gas for its URI', async () => {
    const { contractAddress } = await deployContract(client, {
      contractType: 'certificate',
      currentOwnerAddress: owner.address,
    });
    const { body: document } = await client.post('/metadata', certificateInput);
    const mint = await mintOf({
      contractAddress,
      metadataId: document._id,
      tokenUri: `https://example.com/${'a'.repeat(200)}`,
      metadataHash: document.metadataHash,
    });
    const accepted = await client.post('/minting/relay', await signed(owner, mint, await prepareMint(mint)));
    expect(await client.until(`/minting/${accepted.body.id}`, ENDED)).toMatchObject({ status: 'CONFIRMED' });
  });

  it('is refused for a signer who is not the owner, with the error of the contract', async () => {
    const stranger = newSigner().address;
    const { status, body } = await prepareMint(await mintOf({ from: stranger }));
    expect([status, body.message]).toEqual([400, expect.stringMatching(/^Reverted: OwnableUnauthorizedAccount\(/)]);
  });

  it('is refused with the issues of its fields and of its request together, or 404 for unknown metadata', async () => {
    const wrong = await prepareMint({ ...(await mintOf({ amount: 2 })), deadline: '2020-01-01T00:00:00Z' });
    expect(issuesOf(wrong)).toEqual({
      amount: 'must be absent or 1 for an ERC-721 contract',
      deadline: 'has passed: 2020-01-01T00:00:00.000Z',
    });
    expect((await prepareMint(await mintOf({ metadataId: '0'.repeat(24) }))).status).toBe(404);
  });
});
