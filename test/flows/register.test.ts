import { Client as Postgres } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeFunctionData, type Address, type Hex } from 'viem';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import { newId } from '../../src/core/record-id.ts';
import { create2Address, DEPLOYMENT_PROXY, saltOf } from '../../src/catalog/contracts/create2.ts';
import {
  chainClient,
  cleanUpAfter,
  createMetadata,
  deployContract,
  newClient,
  receiverAddress,
  stack,
  type Client,
} from '../fixtures/client.ts';
import {
  BURNS_GAS,
  CLAIMS_EVERYTHING,
  collectionCode,
  copyOwner,
  deployCertificatesElsewhere,
  deployElsewhere,
  deployUnitsElsewhere,
  proxyTo,
  RETURNS_ZERO,
  proxyWithout,
  setCode,
} from '../fixtures/foreign-contract.ts';
import { deployForwarder, newSigner, sendAs, signedTransfer } from '../fixtures/gasless.ts';
import { storeOrder } from '../fixtures/stored-order.ts';

const chain = chainClient();
const database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
const ENDED = ['CONFIRMED', 'FAILED'];

let client: Client;
let wallet: Address;

beforeAll(async () => {
  client = await newClient();
  wallet = client.account.walletAddress;
  await database.connect();
});
afterAll(() => database.end());

const inputOf = (contractAddress: Address, fields: Record<string, unknown> = {}) => ({
  chainId: '43114',
  contractAddress,
  ercStandard: '721',
  contractType: 'standard',
  ...fields,
});
const register = (contractAddress: Address, fields: Record<string, unknown> = {}, by = client, headers = {}) =>
  by.post('/contracts/register', inputOf(contractAddress, fields), headers);

/** A new address with this code. */
async function placed(code: Hex): Promise<Address> {
  const address = newSigner().address.toLowerCase() as Address;
  await setCode(address, code);
  return address;
}

async function mint(contractAddress: Address, tokenId = '1', receiver = receiverAddress) {
  const metadataId = await createMetadata(client);
  const fields = { chainId: '43114', contractAddress, receiverAddress: receiver, tokenId, metadataId };
  const { status, body } = await client.post('/minting/order', fields);
  expect(status).toBe(201);
  return await client.until(`/minting/${body.id}`, ENDED);
}

describe('a contract that was deployed elsewhere', () => {
  it("is registered as the account's own, which can mint, transfer gaslessly and hand it over", async () => {
    const forwarder = await deployForwarder(client);
    const contractAddress = await deployElsewhere(wallet, forwarder);
    const { status, body } = await register(contractAddress);
    expect([status, body]).toEqual([
      201,
      expect.objectContaining({
        contractAddress,
        ercStandard: '721',
        contractType: 'standard',
        status: 'ACTIVE',
        origin: 'registered',
        currentOwnerAddress: wallet,
        deployTxHash: null,
        corporateId: client.account.corporateId,
      }),
    ]);
    expect((await client.get(`/contracts/${body._id}`)).body).toEqual(body);

    const holder = newSigner();
    expect(await mint(contractAddress, '1', holder.address)).toMatchObject({ status: 'CONFIRMED' });
    const { body: document } = await client.get(`/metadata/${contractAddress}/1`);
    expect(document).toMatchObject({ name: 'A token' });
    const transfer = { contractAddress, to: receiverAddress, tokenId: '1' } as const;
    const sent = await client.post('/transfer/execute', signedTransfer(holder, forwarder, transfer, { nonce: 0 }));
    expect(await client.until(`/transfer/${sent.body.id}`, ENDED)).toMatchObject({ status: 'CONFIRMED' });
    const handOver = { chainId: '43114', contractAddress, newOwnerAddress: receiverAddress };
    const { body: job } = await client.post('/contracts/transfer-ownership', handOver);
    const path = `/contracts/transfer-ownership/${job.jobId}`;
    expect(await client.until(path, ENDED)).toMatchObject({ status: 'CONFIRMED' });
  });

  it('is registered once, however often and however concurrently, and with the same key the reply is the same', async () => {
    const contractAddress = await deployElsewhere(wallet);
    const replies = await Promise.all(Array.from({ length: 5 }, () => register(contractAddress)));
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 200, 200, 201]);
    expect(new Set(replies.map(({ body }) => body._id)).size).toBe(1);

    const other = await deployElsewhere(wallet);
    const [first, again] = [
      await register(other, {}, client, { 'idempotency-key': 'register' }),
      await register(other, {}, client, { 'idempotency-key': 'register' }),
    ];
    expect([first.status, again.status, again.body]).toEqual([201, 201, first.body]);
    expect((await register(other, { contractType: 'certificate' })).body.message).toBe(
      'The account already has this contract, as an ERC-721 standard contract',
    );
  });

  it('may be ERC-1155, or a certificate', async () => {
    const [units, certificates] = await Promise.all([
      deployUnitsElsewhere(wallet),
      deployCertificatesElsewhere(wallet),
    ]);
    expect((await register(units, { ercStandard: '1155' })).status).toBe(201);
    expect((await register(certificates, { contractType: 'certificate' })).status).toBe(201);
  });

  it('may have tokens already, which are not minted again', async () => {
    const former = newSigner();
    const contractAddress = await deployElsewhere(former.address);
    const { abi } = standard721;
    await sendAs(
      former,
      encodeFunctionData({ abi, functionName: 'mint', args: [receiverAddress, 7n] }),
      contractAddress,
    );
    const handOver = encodeFunctionData({ abi, functionName: 'transferOwnership', args: [wallet] });
    await sendAs(former, handOver, contractAddress);
    expect((await register(contractAddress)).status).toBe(201);
    const fields = { chainId: '43114', contractAddress, receiverAddress, metadataId: await createMetadata(client) };
    const { status, body } = await client.post('/minting/order', { ...fields, tokenId: '7' });
    expect([status, body.message]).toEqual([409, `Token 7 exists and belongs to ${receiverAddress}`]);
  });

  it("that another account's wallet owns is not registered, whether that account has it or not", async () => {
    const other = await newClient();
    const contractAddress = await deployElsewhere(other.account.walletAddress);
    const message = `The owner of the contract is ${other.account.walletAddress}, not the account's wallet`;
    const before = await register(contractAddress);
    expect((await register(contractAddress, {}, other)).status).toBe(201);
    for (const { status, body } of [before, await register(contractAddress)]) {
      expect([status, body.message]).toEqual([409, message]);
    }
  });

  it('that another account has registered stays its own, and nothing of that account is told', async () => {
    const other = await newClient();
    const former = newSigner();
    const contractAddress = await deployElsewhere(former.address);
    const handTo = (newOwner: Address) =>
      sendAs(
        former,
        encodeFunctionData({ abi: standard721.abi, functionName: 'transferOwnership', args: [newOwner] }),
        contractAddress,
      );
    await handTo(other.account.walletAddress);
    expect((await register(contractAddress, {}, other)).status).toBe(201);
    const order = { chainId: '43114', contractAddress, newOwnerAddress: wallet };
    const { body: job } = await other.post('/contracts/transfer-ownership', order);
    await other.until(`/contracts/transfer-ownership/${job.jobId}`, ENDED);
    const { status, body } = await register(contractAddress);
    expect([status, body.message]).toEqual([409, 'A contract with this address is already registered']);
    for (const secret of [other.account.corporateId, other.account._id, other.account.walletAddress]) {
      expect(JSON.stringify(body)).not.toContain(secret);
    }
  });

  it('has its address on one chain only: the public metadata path has no chain', async () => {
    const contractAddress = await deployElsewhere(wallet);
    expect((await register(contractAddress)).status).toBe(201);
    await setCode(contractAddress, (await chain.getCode({ address: contractAddress })) ?? '0x', '43113');
    await copyOwner(contractAddress, contractAddress, '43113');
    const { status, body } = await register(contractAddress, { chainId: '43113' });
    expect([status, body.message]).toEqual([409, 'A contract with this address is already registered']);
  });
});

it('a contract of this service cannot be registered on another chain, where anyone can repeat its deployment', async () => {
  const { contractAddress, deployTxHash } = await deployContract(client);
  const { input } = await chain.getTransaction({ hash: deployTxHash as Hex });
  await sendAs(newSigner(), input, DEPLOYMENT_PROXY, '43113');
  expect(await chainClient('43113').getCode({ address: contractAddress })).toMatch(/^0x.{1000}/);
  const { status, body } = await register(contractAddress, { chainId: '43113' });
  expect([status, body.message]).toEqual([409, 'A contract with this address is already registered']);
});

describe('a registered contract', () => {
  it('can be unregistered, and registered again, while what it has minted stays', async () => {
    const contractAddress = await deployElsewhere(wallet);
    const { body } = await register(contractAddress);
    expect(await mint(contractAddress)).toMatchObject({ status: 'CONFIRMED' });
    const remove = () => client.delete(`/contracts/${body._id}`);
    expect([(await remove()).status, (await remove()).status]).toEqual([204, 204]);
    expect((await client.get(`/contracts/${body._id}`)).body).toMatchObject({
      status: 'FAILED',
      contractAddress: null,
      errorMessage: `Unregistered: ${contractAddress}`,
    });
    const metadataId = await createMetadata(client);
    const fields = { chainId: '43114', contractAddress, receiverAddress, tokenId: '2', metadataId };
    expect((await client.post('/minting/order', fields)).status).toBe(404);
    expect((await client.get(`/metadata/${contractAddress}/1`)).status).toBe(200);
    const again = await register(contractAddress);
    expect([again.status, again.body._id === body._id]).toEqual([201, false]);
    expect(await mint(contractAddress, '2')).toMatchObject({ status: 'CONFIRMED' });
  });

  it('alone can be: one that this service has deployed stays', async () => {
    const { _id } = await deployContract(client);
    expect((await client.delete(`/contracts/${_id}`)).status).toBe(409);
    expect((await client.get(`/contracts/${_id}`)).body.status).toBe('ACTIVE');
    const other = await newClient();
    expect((await other.delete(`/contracts/${_id}`)).status).toBe(404);
  });
});

describe('a contract that is not what it is said to be', () => {
  let genuine: Address;
  beforeAll(async () => {
    genuine = await deployElsewhere(wallet);
  });

  it.each<[string, () => Promise<Address>, Record<string, unknown>, [string, RegExp]]>([
    ['an address without code', async () => newSigner().address, {}, ['contractAddress', /^has no contract/]],
    [
      'a wallet that delegates to a contract',
      () => placed(`0xef0100${genuine.slice(2)}`),
      {},
      ['contractAddress', /^has no contract/],
    ],
    ['a contract that burns all gas', () => placed(BURNS_GAS), {}, ['contractAddress', /ERC-165/]],
    ['one that claims every interface', () => placed(CLAIMS_EVERYTHING), {}, ['contractAddress', /ERC-165/]],
    ['one of the other standard', async () => genuine, { ercStandard: '1155' }, ['ercStandard', /ERC-165/]],
    [
      'a transferable one as a certificate',
      async () => genuine,
      { contractType: 'certificate' },
      ['contractType', /ERC-5192/],
    ],
    [
      'a certificate as a transferable one',
      () => deployCertificatesElsewhere(wallet),
      {},
      ['contractType', /ERC-5192/],
    ],
  ])('is refused: %s', async (_, addressOf, fields, [path, message]) => {
    const { status, body } = await register(await addressOf(), fields);
    expect([status, body.errors]).toEqual([
      400,
      [{ code: 'invalid_value', path, message: expect.stringMatching(message) }],
    ]);
  });

  it('is refused: a forwarder, which the account has as such', async () => {
    const { status, body } = await register(await deployForwarder(client));
    expect([status, body.message]).toEqual([409, 'The account already has this contract, as a forwarder']);
  });

  it.each<[string, Hex]>([
    ['reverts', '0x5f5ffd'],
    ['burns all gas', '0x603b56'],
    ['returns nothing', '0x00'],
    ['returns more than an address', '0x60015f526101005ff3'],
  ])('is refused if its owner() %s', async (_, end) => {
    const { status, body } = await register(await placed(proxyWithout('owner()', genuine, end)));
    expect([status, body.message]).toEqual([
      409,
      expect.stringMatching(/^The owner of the contract is .+, not the account's wallet$/),
    ]);
  });

  it('whose new owner must accept (Ownable2Step) gets none by an order, which would fail and have its effect later', async () => {
    const contractAddress = await placed(proxyWithout('pendingOwner()', genuine, RETURNS_ZERO));
    await copyOwner(genuine, contractAddress);
    expect((await register(contractAddress)).status).toBe(201);
    const handOver = { chainId: '43114', contractAddress, newOwnerAddress: receiverAddress };
    const { status, body } = await client.post('/contracts/transfer-ownership', handOver);
    expect([status, body.message]).toEqual([
      409,
      'The new owner of the contract would have to accept it (Ownable2Step): transfer it without this service',
    ]);
  });

  it('later, as a proxy can become, fails its orders before anything is signed, and those of no other contract', async () => {
    const proxy = await placed(proxyTo(genuine));
    await copyOwner(genuine, proxy);
    expect((await register(proxy)).status).toBe(201);
    expect(await mint(proxy, '1')).toMatchObject({ status: 'CONFIRMED' });
    await setCode(proxy, BURNS_GAS);
    // The lane calls the contract at a block that it has read: this mint's block is the first with the new code.
    const other = await deployElsewhere(wallet);
    await register(other);
    expect(await mint(other, '1')).toMatchObject({ status: 'CONFIRMED' });
    expect(await mint(proxy, '2')).toMatchObject({ status: 'FAILED', txHash: null });
    expect(await mint(other, '2')).toMatchObject({ status: 'CONFIRMED' });
  });
});

it.each([
  ['the record of the deployment that created the contract', '43114'],
  ['a deployment on another chain, of which it is a copy', '43113'],
])('a registration gives way to %s', async (_, chainId) => {
  const id = newId(Date.now() - 3_600_000);
  const contractAddress = create2Address(saltOf(id), collectionCode(wallet)).toLowerCase();
  await database.query(
    `insert into contracts (id, corporate_account_id, chain_id, name, symbol, erc_standard, contract_type, status,
       current_owner_address, royalty_receiver, royalty_fee_bps, updated_at)
     values ($1, $2, '43114', 'Elsewhere', 'ELSE', '721', 'standard', 'DEPLOYING', $3, $3, 0, now() - interval '1 hour')`,
    [id, client.account._id, wallet],
  );
  // As if it had been registered between the block of its deployment and the end of the order.
  const registered = newId(Date.now());
  await database.query(
    `insert into contracts (id, corporate_account_id, chain_id, erc_standard, contract_type, status, current_owner_address,
       contract_address, registered_at_block) values ($1, $2, $5, '721', 'standard', 'ACTIVE', $3, $4, 1)`,
    [registered, client.account._id, wallet, contractAddress, chainId],
  );
  await storeOrder(database, client, 'deploy', id, { createdAt: new Date(Date.now() - 3_600_000) });
  await cleanUpAfter(11);
  const deployed = await client.until(`/contracts/${id}`, ['ACTIVE', 'FAILED']);
  expect(deployed).toMatchObject({ status: 'ACTIVE', contractAddress, origin: 'deployed' });
  expect((await client.get(`/contracts/${registered}`)).body).toMatchObject({
    status: 'FAILED',
    contractAddress: null,
    origin: 'registered',
    errorMessage: 'This service deployed the contract with this address, which has a record of its own',
  });
  expect((await register(contractAddress as Address)).body._id).toBe(id);
});
