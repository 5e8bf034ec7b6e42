import { assert, asyncProperty, constant, constantFrom, oneof } from 'fast-check';
import { Client as Postgres } from 'pg';
import { encodeFunctionData, type Address } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { certificate721 } from '../../contracts/artifacts/Certificate721.ts';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import { newId } from '../../src/core/record-id.ts';
import {
  call,
  deployContract,
  newClient,
  receiverAddress,
  stack,
  type Client,
  type Reply,
} from '../fixtures/client.ts';
import { deployForwarder, newSigner, sendAs } from '../fixtures/gasless.ts';
import { certificateInput, flexibleInput } from '../fixtures/metadata-inputs.ts';
import { randomCases } from '../fixtures/random-cases.ts';

/** Token ids that every ERC-721 contract of the account has minted; the holder of the second one has burned it. */
const EXISTING = '1';
const BURNED = '2';
/** A token of each contract with an order that stays pending. */
const UNDER_WAY = '3';
/** The ERC-1155 token that has a document. */
const LINKED = '4';
/** Of every certificate. */
const TOKEN_URI = 'https://example.com/certificate';

const CONTRACTS = ['standard721', 'standard1155', 'certificate721', 'certificate1155', 'foreign', 'testnet'] as const;
const OTHERS = ["another account's", 'forwarder', 'none'] as const;
const METADATA = [
  'free',
  'of a failed order',
  'of a confirmed order',
  'of an order under way',
  'of units under way',
  'linked to units',
  'for another chain',
  'no longer valid',
  "another account's",
  'none',
] as const;

type ContractKind = (typeof CONTRACTS)[number] | (typeof OTHERS)[number];
interface Metadata {
  readonly id: string;
  readonly hash: string | undefined;
}
interface Mint {
  readonly chainId: string;
  readonly contractAddress: Address;
  readonly tokenId: string;
  readonly metadataId: string;
}

const database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
const holder = newSigner();
const owner = newSigner();
const addresses = new Map<ContractKind, Address>();
let client: Client;
let otherClient: Client;
let lastToken = 100;

const addressOf = (kind: ContractKind) => addresses.get(kind) ?? receiverAddress;
const is1155 = (kind: ContractKind) => kind.endsWith('1155');
const newToken = () => String((lastToken += 1));

async function newMetadata(isCertificate: boolean, by = client, fields: object = {}): Promise<Metadata> {
  const { body } = await by.post('/metadata', { ...(isCertificate ? certificateInput : flexibleInput), ...fields });
  return { id: body._id, hash: body.metadataHash ?? undefined };
}

/** The body of a complete and valid order. */
const orderOf = (kind: ContractKind, mint: Mint, { hash }: Metadata, receiver: Address = receiverAddress) => ({
  ...mint,
  receiverAddress: receiver,
  ...(is1155(kind) ? { amount: 1 } : {}),
  metadataHash: hash ?? `0x${'1'.repeat(64)}`,
  tokenUri: TOKEN_URI,
});

async function minted(kind: ContractKind, tokenId: string, metadata: Metadata, receiver?: Address): Promise<void> {
  const mint = { chainId: '43114', contractAddress: addressOf(kind), tokenId, metadataId: metadata.id };
  const { status, body } = await client.post('/minting/order', orderOf(kind, mint, metadata, receiver));
  expect([status, body.message]).toEqual([201, undefined]);
  await client.until(`/minting/${body.id}`, ['CONFIRMED', 'FAILED']);
}

/** Stores an accepted order that is never executed: it has no queue message, and is too recent for the cleanup job. */
async function storeUnderWay(kind: ContractKind, tokenId: string, metadataId: string): Promise<void> {
  await database.query(
    `insert into orders (id, kind, order_id, resource, wallet_address, corporate_account_id, contract_id, chain_id, contract_address,
       erc_standard, receiver_address, token_id, amount, metadata_id, details, state, next_try_at)
     select $1, 'mint', $1, 'minting-orders', lower(a.wallet_address), c.corporate_account_id, c.id, c.chain_id, c.contract_address, c.erc_standard, $2, $3, 1, m.id,
       case when m.metadata_hash is not null then jsonb_build_object('tokenUri', $6::text, 'metadataHash', m.metadata_hash) end, 'waiting',
       now() + interval '1 year'
     from contracts c join corporate_accounts a on a.id = c.corporate_account_id, metadata m where c.contract_address = $5 and m.id = $4`,
    [newId(), receiverAddress, tokenId, metadataId, addressOf(kind), TOKEN_URI],
  );
}

beforeAll(async () => {
  await database.connect();
  [client, otherClient] = await Promise.all([newClient(), newClient()]);
  const fields: [ContractKind, object][] = [
    ['standard721', {}],
    ['standard1155', { ercStandard: '1155' }],
    ['certificate721', { contractType: 'certificate' }],
    ['certificate1155', { contractType: 'certificate', ercStandard: '1155' }],
    ['foreign', { currentOwnerAddress: owner.address }],
    ['testnet', { chainId: '43113' }],
  ];
  await Promise.all(
    fields.map(async ([kind, more]) =>
      addresses.set(kind, (await deployContract(client, { ...more })).contractAddress),
    ),
  );
  addresses.set("another account's", (await deployContract(otherClient)).contractAddress);
  addresses.set('forwarder', await deployForwarder(client));
  for (const kind of ['standard721', 'certificate721'] as const) {
    const isCertificate = kind === 'certificate721';
    await minted(kind, EXISTING, await newMetadata(isCertificate));
    await minted(kind, BURNED, await newMetadata(isCertificate), holder.address);
    const { abi } = isCertificate ? certificate721 : standard721;
    await sendAs(holder, encodeFunctionData({ abi, functionName: 'burn', args: [BigInt(BURNED)] }), addressOf(kind));
  }
  const args = [holder.address, BigInt(EXISTING)] as const;
  await sendAs(owner, encodeFunctionData({ ...standard721, functionName: 'mint', args }), addressOf('foreign'));
  await minted('standard1155', LINKED, await newMetadata(false));
  for (const kind of CONTRACTS.filter((each) => each !== 'testnet')) {
    await storeUnderWay(kind, UNDER_WAY, (await newMetadata(kind.startsWith('certificate'))).id);
  }
});
afterAll(() => database.end());

/** Creates metadata in a given state, by orders for its kind of contract. */
async function metadataIn(state: (typeof METADATA)[number], isCertificate: boolean): Promise<Metadata> {
  const [single, units] = isCertificate
    ? (['certificate721', 'certificate1155'] as const)
    : (['standard721', 'standard1155'] as const);
  if (state === 'none') return { id: newId(), hash: undefined };
  if (state === "another account's") return await newMetadata(isCertificate, otherClient);
  if (state === 'for another chain') return await newMetadata(isCertificate, client, { chainId: '43113' });
  const metadata = await newMetadata(isCertificate);
  if (state === 'of a failed order') await minted(single, newToken(), metadata, addressOf(single));
  if (state === 'of a confirmed order') await minted(single, newToken(), metadata);
  if (state === 'of an order under way') await storeUnderWay(single, newToken(), metadata.id);
  if (state === 'of units under way') await storeUnderWay(units, newToken(), metadata.id);
  if (state === 'linked to units') await minted(units, newToken(), metadata);
  if (state === 'no longer valid') {
    await database.query("update metadata set standard_fields = standard_fields - 'image' where id = $1", [
      metadata.id,
    ]);
  }
  return metadata;
}

/** Whether an order was handled as the check predicted. */
function agree(check: Reply, order: Reply): boolean {
  if (check.status !== 200) return order.status === check.status && order.body.message === check.body.message;
  if (check.body.available === true) return order.status === 201;
  // An order that anything else refuses does not ask the chain.
  return order.status === 400 || (order.status === 409 && check.body.reasons.join('; ').startsWith(order.body.message));
}

/** Checks a mint, then orders it, and compares. @returns the reply to the order. */
async function compare(kind: ContractKind, mint: Mint, metadata: Metadata): Promise<Reply> {
  const check = await client.post('/minting/occupancy/check', mint);
  const order = await client.post('/minting/order', orderOf(kind, mint, metadata));
  expect({ check, order, agree: agree(check, order) }).toMatchObject({ agree: true });
  return order;
}

describe('the occupancy check', () => {
  it('needs no metadata, and then considers the token alone', async () => {
    const contractAddress = addressOf('standard721');
    const check = async (tokenId: string) =>
      (await client.post('/minting/occupancy/check', { chainId: '43114', contractAddress, tokenId })).body;
    expect(await check(EXISTING)).toMatchObject({
      available: false,
      reasons: [`Token ${EXISTING} exists and belongs to ${receiverAddress}`],
      metadataContext: null,
    });
    expect(await check(BURNED)).toMatchObject({ available: true, reasons: [] });
    expect(await check(UNDER_WAY)).toMatchObject({ available: false, reasons: [expect.stringContaining('under way')] });
  });

  // It mints the tokens that the test above reads.
  it('agrees with whether an order is accepted, in every case', async () => {
    const seen = new Set<number>();
    await assert(
      asyncProperty(
        oneof({ weight: 6, arbitrary: constantFrom(...CONTRACTS) }, constantFrom(...OTHERS)),
        oneof({ weight: 1, arbitrary: constant('free' as const) }, { weight: 3, arbitrary: constantFrom(...METADATA) }),
        constantFrom('new', EXISTING, BURNED, UNDER_WAY, LINKED),
        oneof({ weight: 3, arbitrary: constant(true) }, constant(false)),
        async (kind, state, token, fits) => {
          const metadata = await metadataIn(state, kind.startsWith('certificate') === fits);
          const mint = {
            chainId: kind === 'testnet' ? '43113' : '43114',
            contractAddress: addressOf(kind),
            tokenId: token === 'new' || kind === 'testnet' ? newToken() : token,
            metadataId: metadata.id,
          };
          const order = await compare(kind, mint, metadata);
          seen.add(order.status);
          if (order.status !== 201) return;
          await client.until(`/minting/${order.body.id}`, ['CONFIRMED', 'FAILED']);
          const second = await compare(kind, mint, metadata);
          if (second.status === 201) await client.until(`/minting/${second.body.id}`, ['CONFIRMED', 'FAILED']);
        },
      ),
      randomCases(50),
    );
    expect([...seen].toSorted((a, b) => a - b)).toEqual([201, 400, 404, 409]);
  });
});

/** Orders of new tokens for one document. */
const ordersOf = async (kinds: readonly (typeof CONTRACTS)[number][]) => {
  const metadata = await newMetadata(kinds.every((kind) => kind.startsWith('certificate')));
  return kinds.map((kind) => {
    const mint = { chainId: '43114', contractAddress: addressOf(kind), tokenId: newToken(), metadataId: metadata.id };
    return orderOf(kind, mint, metadata);
  });
};

describe.each([
  [['standard1155', 'standard721']],
  [['standard721', 'standard1155']],
  [['standard1155', 'standard1155']],
  [['standard721', 'standard721']],
  [['certificate1155', 'certificate1155']],
] as const)('metadata that two orders name for different tokens, %s', (kinds) => {
  it('is of one of them, within a batch', async () => {
    const { body } = await client.post('/minting/orders/batch', { orders: await ordersOf(kinds) });
    expect([body.accepted, body.refused]).toEqual([1, 1]);
  });

  it('is of one of them, at once and one after the other', async () => {
    for (let round = 0; round < 5; round += 1) {
      const orders = await ordersOf(kinds);
      const replies = await Promise.all(orders.map((order) => client.post('/minting/order', order)));
      expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409]);
    }
    const [first, second] = await ordersOf(kinds);
    expect((await client.post('/minting/order', first)).status).toBe(201);
    expect((await client.post('/minting/order', second)).status).toBe(409);
  });
});

it('metadata is free for more of the ERC-1155 token that has it, also within a batch', async () => {
  const [order] = await ordersOf(['standard1155']);
  const { body } = await client.post('/minting/orders/batch', { orders: [order, order] });
  expect([body.accepted, body.refused]).toEqual([2, 0]);
  expect((await client.post('/minting/order', order)).status).toBe(201);
});

it('metadata is free for the second of two orders in a batch if a limit refuses the first', async () => {
  const setLimits = (limits: object) =>
    call(`/admin/accounts/${client.account.corporateId}/limits`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', 'x-admin-secret-key': stack.settings['ADMIN_SECRET_KEY'] ?? '' },
      body: JSON.stringify(limits),
    });
  expect((await setLimits({ receivers: [receiverAddress] })).status).toBe(200);
  const [first, second] = await ordersOf(['standard1155', 'standard721']);
  const orders = [{ ...first, receiverAddress: holder.address }, second];
  const { body } = await client.post('/minting/orders/batch', { orders });
  expect((await setLimits({})).status).toBe(200);
  expect(body.results.map(({ statusCode }: Reply['body']) => statusCode)).toEqual([403, 201]);
});
