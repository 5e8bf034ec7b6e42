import { Client as Postgres } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { getAbiItem, isAddressEqual, type Address, type Hex } from 'viem';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import { setRelayerWallet } from '../../cli/corporate/set-relayer-wallet.ts';
import { secretsSettingsSchema } from '../../cli/corporate/wallet-secret.ts';
import { fundWallet } from '../../cli/local-stack/fund-wallet.ts';
import {
  chainClient,
  createMetadata,
  deployContract,
  newClient,
  receiverAddress,
  stack,
  type Client,
} from '../fixtures/client.ts';
import { setFaults, type Fault } from '../fixtures/fault-proxy.ts';
import { deployForwarder, newSigner, signedTransfer } from '../fixtures/gasless.ts';
import { disableKmsKey, enableKmsKey, newKmsKey } from '../fixtures/kms.ts';
import { expectErrors } from '../record/service-errors.ts';

expectErrors('lane.key_unavailable');

const chainId = '43114';
const chain = chainClient();
const database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
/** Mints of one contract share a transaction, so several are signed at a time. */
const CONTRACTS = 3;
const MINTS = 2;

let key: string;
let client: Client;
/** Of another account, in KMS too. */
let neighbour: Client;
let contracts: Address[];
let neighbours: Address;
let lastToken = 0;

beforeAll(async () => {
  await database.connect();
  key = await newKmsKey();
  [client, neighbour] = await Promise.all([newClient({ kmsKey: key }), newClient({ kmsKey: await newKmsKey() })]);
  const made = Array.from({ length: CONTRACTS }, async () => (await deployContract(client)).contractAddress);
  [contracts, neighbours] = await Promise.all([
    Promise.all(made),
    deployContract(neighbour).then(({ contractAddress }) => contractAddress),
  ]);
});
afterEach(() => setFaults(stack.proxies.kms, [], 'kms'));
afterAll(() => database.end());

async function order(by: Client, contractAddress: Address, receiver: string = receiverAddress): Promise<string> {
  const { status, body } = await by.post('/minting/order', {
    chainId,
    contractAddress,
    receiverAddress: receiver,
    tokenId: String((lastToken += 1)),
    metadataId: await createMetadata(by),
  });
  expect([status, body.errors]).toEqual([201, undefined]);
  return body.id;
}
const orders = () =>
  Promise.all(contracts.flatMap((contract) => Array.from({ length: MINTS }, () => order(client, contract))));
const ended = (by: Client, id: string) => by.until(`/minting/${id}`, ['CONFIRMED', 'FAILED', 'CANCELLED']);
const read = async (id: string) => (await client.get(`/minting/${id}`)).body;
const sentBy = async (address: Address) => await chain.getTransactionCount({ address });

/** Each order minted its token once, and the wallet has sent nothing that the database does not have. */
async function expectOnce(ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const minted = await ended(client, id);
    expect(minted).toMatchObject({ status: 'CONFIRMED', hold: null });
    const logs = await chain.getLogs({
      address: minted['contractAddress'] as Address,
      event: getAbiItem({ abi: standard721.abi, name: 'Transfer' }),
      args: { tokenId: BigInt(String(minted['tokenId'])) },
      fromBlock: 0n,
    });
    expect(logs.map(({ transactionHash }) => transactionHash)).toEqual([minted['txHash']]);
  }
  const { rows } = await database.query<{ count: number }>(
    'select count(distinct nonce)::int from orders where wallet_address = lower($1) and chain_id = $2',
    [client.account.walletAddress, chainId],
  );
  expect(await sentBy(client.account.walletAddress)).toBe(rows[0]?.count);
}

it('an account whose keys are in KMS deploys, mints, and has its relayer wallet carry out what holders sign', async () => {
  const relayer = await setRelayerWallet(client.account.corporateId, await newKmsKey(), {
    databaseUrl: stack.settings['DATABASE_URL'] ?? '',
    secrets: secretsSettingsSchema.parse(stack.settings),
    environment: 'local',
  });
  await fundWallet(relayer ?? '0x', Object.values(stack.rpcUrls));
  // An account is cached for a second, counted from the start of the read.
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  const forwarder = await deployForwarder(client);
  const { contractAddress } = await deployContract(client, { trustedForwarder: forwarder });
  const holder = newSigner();
  const id = await order(client, contractAddress, holder.address);
  const tokenId = String((await ended(client, id))['tokenId']);
  await expectOnce([id]);
  const request = signedTransfer(holder, forwarder, { contractAddress, to: receiverAddress, tokenId }, { nonce: 0 });
  const { body } = await client.post('/transfer/execute', { ...request, forwarderAddress: forwarder });
  const moved = await client.until(`/transfer/${body.id}`, ['CONFIRMED', 'FAILED']);
  expect(moved).toMatchObject({ status: 'CONFIRMED' });
  const { from } = await chain.getTransaction({ hash: moved['txHash'] as Hex });
  expect(isAddressEqual(from, relayer ?? '0x')).toBe(true);
});

const NOT_AVAILABLE = "Its wallet's key is not available at the moment";
const answer = (status: number, __type: string): Pick<Fault, 'effect' | 'answer'> => ({
  effect: 'answer',
  answer: { status, body: { __type, message: 'As the test says' } },
});

describe('orders of a wallet in KMS wait with the reason, and are then carried out once each, while others go on:', () => {
  it.each<[string, Omit<Fault, 'match' | 'times'>, () => string]>([
    ['it throttles', answer(400, 'ThrottlingException'), () => NOT_AVAILABLE],
    ['it fails', answer(500, 'KMSInternalException'), () => NOT_AVAILABLE],
    ['it is slow', { effect: 'stall', milliseconds: 7_000 }, () => NOT_AVAILABLE],
    ['its signatures are lost', { effect: 'lose-reply' }, () => NOT_AVAILABLE],
    [
      'it denies the signature',
      answer(400, 'AccessDeniedException'),
      () => `KMS refused the key ${key}: AccessDeniedException`,
    ],
  ])('%s', async (_, fault, reason) => {
    // Of what is asked for this key, the signatures.
    await setFaults(stack.proxies.kms, [{ match: [key, 'MessageType'], times: 10_000, ...fault }], 'kms');
    const before = await sentBy(client.account.walletAddress);
    const ids = await orders();
    const holds = async () => (await Promise.all(ids.map(read))).map(({ hold }) => hold?.detail);
    await expect.poll(holds).toContain(reason());
    expect(await ended(neighbour, await order(neighbour, neighbours))).toMatchObject({ status: 'CONFIRMED' });
    expect(await sentBy(client.account.walletAddress)).toBe(before);
    await setFaults(stack.proxies.kms, [], 'kms');
    await expectOnce(ids);
  });

  it('the key is disabled', async () => {
    await disableKmsKey(key);
    const ids = await orders();
    const holds = async () => (await Promise.all(ids.map(read))).map(({ hold }) => hold);
    await expect
      .poll(holds)
      .toContainEqual(
        expect.objectContaining({ reason: 'NOT_NOW', detail: `KMS refused the key ${key}: DisabledException` }),
      );
    expect(await ended(neighbour, await order(neighbour, neighbours))).toMatchObject({ status: 'CONFIRMED' });
    await enableKmsKey(key);
    await expectOnce(ids);
  });

  it('one signature of each round is throttled', async () => {
    const throttled = { match: [key, 'MessageType'], ...answer(400, 'ThrottlingException') };
    const ids: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      await setFaults(stack.proxies.kms, [{ ...throttled, times: 1 }], 'kms');
      ids.push(...(await orders()));
    }
    await expectOnce(ids);
  });
});
