import { Client as Postgres } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestClient, http, type Address, type Hex } from 'viem';
import { setRelayerWallet } from '../../cli/corporate/set-relayer-wallet.ts';
import { secretsSettingsSchema } from '../../cli/corporate/wallet-secret.ts';
import { fundWallet } from '../../cli/local-stack/fund-wallet.ts';
import {
  call,
  chainClient,
  createMetadata,
  deployContract,
  newClient,
  receiverAddress,
  stack,
  type Client,
  type Reply,
} from '../fixtures/client.ts';
import { setFaults } from '../fixtures/fault-proxy.ts';
import { deployForwarder, newSigner, signedTransfer, type Signer } from '../fixtures/gasless.ts';
import { signMessage } from '../fixtures/sign-message.ts';

const chainId = '43114';
const ENDED = ['CONFIRMED', 'CANCELLED', 'FAILED'];
const chain = chainClient();
const anvil = createTestClient({ mode: 'anvil', transport: http(stack.rpcUrls[chainId]) });
const database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });

let client: Client;
let forwarder: Address;
let collection: Address;
let holder: Signer;

beforeAll(() => database.connect());
afterAll(() => database.end());
beforeEach(async () => {
  client = await newClient();
  forwarder = await deployForwarder(client);
  collection = (await deployContract(client, { trustedForwarder: forwarder })).contractAddress;
  holder = newSigner();
});
afterEach(() => setFaults(stack.proxies[chainId], [], 'relayer'));

/** As `npm run corporate -- --relayer-wallet` does; known everywhere when it returns. */
async function relayBy(choice: 'new' | 'none'): Promise<Address> {
  const stores = {
    databaseUrl: stack.settings['DATABASE_URL'] ?? '',
    secrets: secretsSettingsSchema.parse(stack.settings),
    environment: 'local',
  } as const;
  const address = await setRelayerWallet(client.account.corporateId, choice, stores);
  if (address !== undefined) await fundWallet(address, Object.values(stack.rpcUrls));
  // An account is cached for a second, counted from the start of the read.
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  return address ?? client.account.walletAddress;
}

const pause = (action: 'pause' | 'resume') =>
  call(`/admin/accounts/${client.account.corporateId}/${action}`, {
    method: 'POST',
    headers: { 'x-admin-secret-key': stack.settings['ADMIN_SECRET_KEY'] ?? '' },
  });

let lastToken = 0;

/** A token of the holder, minted by the account's main wallet. */
async function mintToken(): Promise<string> {
  const tokenId = String((lastToken += 1));
  const { body } = await client.post('/minting/order', {
    chainId,
    contractAddress: collection,
    receiverAddress: holder.address,
    tokenId,
    metadataId: await createMetadata(client),
  });
  await client.until(`/minting/${body.id}`, ['CONFIRMED']);
  return tokenId;
}

function signed(tokenId: string, nonce: number) {
  const transfer = { contractAddress: collection, to: receiverAddress as Address, tokenId };
  return { ...signedTransfer(holder, forwarder, transfer, { nonce }), forwarderAddress: forwarder };
}

const execute = (body: object) => client.post('/transfer/execute', body);
const ended = ({ body }: Reply) => client.until(`/transfer/${body.id}`, ENDED);

/** Who sent the transaction of an order. */
async function senderOf(order: Record<string, unknown>): Promise<Address> {
  expect(order['status']).toBe('CONFIRMED');
  return (await chain.getTransaction({ hash: order['txHash'] as Hex })).from;
}

const stateOf = async (address: Address) => [
  await chain.getBalance({ address }),
  await chain.getTransactionCount({ address }),
];

it('a relayer wallet pays for transfers, revocations and relayed mints, and the main wallet for nothing of them', async () => {
  const tokenId = await mintToken();
  const owned = await deployContract(client, { trustedForwarder: forwarder, currentOwnerAddress: holder.address });
  const relayer = await relayBy('new');
  const before = await stateOf(client.account.walletAddress);

  expect((await senderOf(await ended(await execute(signed(tokenId, 0))))).toLowerCase()).toBe(relayer.toLowerCase());

  const given = { ...signed(tokenId, 1), purpose: 'cancel' };
  const { body: prepared } = await client.post('/transfer/prepare', given);
  const signature = signMessage(holder, forwarder, prepared.request);
  expect((await senderOf(await ended(await execute({ ...given, signature })))).toLowerCase()).toBe(
    relayer.toLowerCase(),
  );

  const mint = {
    chainId,
    contractAddress: owned.contractAddress,
    receiverAddress,
    tokenId: '1',
    metadataId: await createMetadata(client),
    from: holder.address,
  };
  const { body: request } = await client.post('/minting/signature', { ...mint, privateKey: holder.privateKey });
  const relayed = await client.post('/minting/relay', { ...mint, signature: request.signature });
  const minted = await client.until(`/minting/${relayed.body.id}`, ENDED);
  expect((await senderOf(minted)).toLowerCase()).toBe(relayer.toLowerCase());

  expect(await stateOf(client.account.walletAddress)).toEqual(before);
  expect(await chain.getTransactionCount({ address: relayer })).toBe(3);
  // Only the owner of a contract can mint in it, and deployments are its own.
  await mintToken();
  await deployContract(client, { trustedForwarder: forwarder });
  expect(await chain.getTransactionCount({ address: relayer })).toBe(3);
});

it('a replaced relayer wallet stays in the list of wallets while it has coins, and is not low', async () => {
  const former = await relayBy('new');
  await anvil.setBalance({ address: former, value: 1n });
  await relayBy('none');
  const ofFormer = async () => {
    const { body } = await call('/admin/wallets', {
      headers: { 'x-admin-secret-key': stack.settings['ADMIN_SECRET_KEY'] ?? '' },
    });
    return body.items.filter(
      (item: Record<string, string>) => item['walletAddress'] === former && item['chainId'] === chainId,
    );
  };
  const shown = { replacedAt: expect.any(String), isLow: false, daysLeft: null, balance: '0.000000000000000001' };
  expect(await ofFormer()).toMatchObject([shown]);
  await anvil.setBalance({ address: former, value: 0n });
  expect(await ofFormer()).toEqual([]);
});

describe('changing the relayer wallet', () => {
  it('leaves an order that is signed with its wallet, and sends it once; new ones go to the new wallet', async () => {
    const [first, second, third] = [await mintToken(), await mintToken(), await mintToken()];
    const former = await relayBy('new');
    const body = signed(first, 0);
    // Signed and stored, and no node gets it: its calldata is followed by the access list.
    const match = `${body.signature.slice(2)}${'00'.repeat(31)}c0`;
    await setFaults(stack.proxies[chainId], [{ match, effect: 'refuse', times: 10_000 }], 'relayer');
    const early = await execute(body);
    await expect.poll(() => attemptsOf(early.body.id)).toBe(1);

    const next = await relayBy('new');
    expect(next).not.toBe(former);
    // Posted again, it is the same order, and remains in its lane.
    expect(await execute(body)).toMatchObject({ status: 200, body: { id: early.body.id } });
    const late = await execute(signed(second, 1));
    await setFaults(stack.proxies[chainId], [], 'relayer');
    const [one, two] = await Promise.all([ended(early), ended(late)]);
    expect([(await senderOf(one)).toLowerCase(), (await senderOf(two)).toLowerCase()]).toEqual([
      former.toLowerCase(),
      next.toLowerCase(),
    ]);
    expect(await attemptsOf(early.body.id)).toBe(1);
    expect(await chain.getTransactionCount({ address: former })).toBe(1);

    await relayBy('none');
    expect(await senderOf(await ended(await execute(signed(third, 2))))).toBe(
      client.account.walletAddress.toLowerCase(),
    );
  });

  it('leaves an order that waits with its wallet, which executes it, and cancels what it has signed', async () => {
    const [first, second] = [await mintToken(), await mintToken()];
    const former = await relayBy('new');
    await pause('pause');
    const [one, two] = [await execute(signed(first, 0)), await execute(signed(second, 1))];
    await relayBy('new');
    expect((await client.post('/transfer/cancel', { id: two.body.id })).body.status).toBe('CANCELLED');
    await pause('resume');
    expect((await senderOf(await ended(one))).toLowerCase()).toBe(former.toLowerCase());
  });
});

it('the main wallet remains an allowed receiver of relayed transfers', async () => {
  const tokenId = await mintToken();
  await relayBy('new');
  const limits = { receivers: [newSigner().address] };
  const put = await call(`/admin/accounts/${client.account.corporateId}/limits`, {
    method: 'PUT',
    headers: {
      'content-type': 'application/json',
      'x-admin-secret-key': stack.settings['ADMIN_SECRET_KEY'] ?? '',
    },
    body: JSON.stringify(limits),
  });
  expect(put.status).toBe(200);
  expect((await execute(signed(tokenId, 0))).status).toBe(403);
  const home = { contractAddress: collection, to: client.account.walletAddress, tokenId };
  const reply = await execute({
    ...signedTransfer(holder, forwarder, home, { nonce: 0 }),
    forwarderAddress: forwarder,
  });
  expect(await ended(reply)).toMatchObject({ status: 'CONFIRMED' });
});

it('GET /status lists a relayer wallet whose balance is low, with its account', async () => {
  const relayer = await relayBy('new');
  await chain.request({ method: 'anvil_setBalance', params: [relayer, '0x1'] } as never);
  const status = await call('/status', {
    headers: { 'x-admin-secret-key': stack.settings['ADMIN_SECRET_KEY'] ?? '' },
  });
  expect(status.body.lowBalances).toContainEqual(
    expect.objectContaining({ chainId, walletAddress: relayer, corporateId: client.account.corporateId }),
  );
});

/** How many attempts are stored for an order. */
async function attemptsOf(orderId: string): Promise<number> {
  const { rows } = await database.query(
    'select count(*)::int as n from attempts a join orders t on t.id = a.transaction_id where t.order_id = $1',
    [orderId],
  );
  return rows[0].n;
}
