import { Client as Postgres } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { concat, numberToHex, parseTransaction, size, type Address, type Hex } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { DEPLOYMENT_PROXY, create2Address, create2Call } from '../../src/catalog/contracts/create2.ts';
import {
  chainClient,
  createMetadata,
  deployContract,
  newClient,
  receiverAddress,
  stack,
  type Client,
} from '../fixtures/client.ts';
import { setFaults } from '../fixtures/fault-proxy.ts';
import { deployForwarder, newSigner, sendAs } from '../fixtures/gasless.ts';

// A transaction of the account's wallet is public once it has been sent. A third party who copies a call that anyone
// may make, and is mined first, has the ordered effect.

const chain = chainClient('43113');
const chainId = '43113';
const ENDED = ['CONFIRMED', 'ACTIVE', 'FAILED'];

let client: Client;
let database: Postgres;
beforeAll(async () => {
  client = await newClient();
  database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
  await database.connect();
});
afterEach(() => setFaults(stack.proxies[chainId], [], 'foreign'));
afterAll(() => database.end());

/**
 * Withholds signed bytes that call a contract until a third party has sent the same call.
 * @param copy Sends it. @returns what that returns: the third party's hash.
 */
async function overtake(
  to: Address,
  order: () => Promise<string>,
  copy = (data: Hex) => sendAs(newSigner(), data, to, chainId),
): Promise<Hex> {
  // Only raw transactions contain the address after this length byte.
  const match = `94${to.slice(2).toLowerCase()}`;
  await setFaults(stack.proxies[chainId], [{ match, effect: 'refuse', times: 10_000 }], 'foreign');
  const id = await order();
  const signed = async () =>
    (
      await database.query(
        'select raw from attempts join orders t on t.id = transaction_id where t.order_id = $1 order by number',
        [id],
      )
    ).rows[0]?.raw as Hex | undefined;
  await expect.poll(signed).toBeDefined();
  const { data = '0x' } = parseTransaction((await signed()) ?? '0x');
  const hash = await copy(data);
  await setFaults(stack.proxies[chainId], [], 'foreign');
  return hash;
}

/** Deploys a receiver that makes a call when it gets a token (`onERC721Received`). */
async function receiverThatCalls(target: Address, data: Hex): Promise<Address> {
  const length = numberToHex(size(data), { size: 2 });
  const copyData = concat(['0x61', length, '0x610044600039']);
  const call = concat(['0x6000600061', length, '0x6000600073', target, '0x5af1603357', '0x60006000fd5b']);
  const runtime = concat([copyData, call, '0x63150b7a0260e01b60005260206000f3', data]);
  const runtimeLength = numberToHex(size(runtime), { size: 2 });
  const code = concat(['0x61', runtimeLength, '0x600e600039', '0x61', runtimeLength, '0x6000f3', runtime]);
  const salt = generatePrivateKey();
  await sendAs(newSigner(), create2Call(salt, code), DEPLOYMENT_PROXY, chainId);
  return create2Address(salt, code);
}

describe('an order whose call a third party has copied', () => {
  it("is ACTIVE if it deploys a contract, with the third party's transaction", async () => {
    const fields = { chainId, name: 'Copied', symbol: 'C', ercStandard: '721', contractType: 'standard' };
    let path = '';
    const hash = await overtake(DEPLOYMENT_PROXY, async () => {
      const { body } = await client.post('/contracts/deploy', fields);
      path = `/contracts/${body._id}`;
      return body._id;
    });
    const contract = await client.until(path, ENDED);
    expect(contract).toMatchObject({ status: 'ACTIVE', deployTxHash: hash, errorMessage: null });
    expect(await chain.getCode({ address: contract['contractAddress'] as Address })).toBeDefined();
  });

  it('is ACTIVE if it deploys a forwarder, whose creation leaves no log', async () => {
    let path = '';
    await overtake(DEPLOYMENT_PROXY, async () => {
      const { body } = await client.post('/contracts/forwarder', { chainId, alias: 'Copied' });
      path = `/contracts/${body._id}`;
      return body._id;
    });
    const forwarder = await client.until(path, ENDED);
    expect(forwarder).toMatchObject({ status: 'ACTIVE', deployTxHash: null, errorMessage: null });
    expect(await chain.getCode({ address: forwarder['contractAddress'] as Address })).toBeDefined();
  });

  it("is CONFIRMED if it is a relayed mint, with the third party's transaction, and is minted once", async () => {
    const forwarder = await deployForwarder(client, chainId);
    const owner = newSigner();
    const fields = { chainId, trustedForwarder: forwarder, currentOwnerAddress: owner.address };
    const { contractAddress } = await deployContract(client, fields);
    const metadataId = await createMetadata(client, { chainId });
    const mint = { chainId, contractAddress, receiverAddress, tokenId: '1', metadataId, from: owner.address };
    const signed = await client.post('/minting/signature', { ...mint, privateKey: owner.privateKey });
    let path = '';
    const hash = await overtake(forwarder, async () => {
      const { body } = await client.post('/minting/relay', { ...mint, signature: signed.body.signature });
      path = `/minting/${body.id}`;
      return body.id;
    });
    expect(await client.until(path, ENDED)).toMatchObject({ status: 'CONFIRMED', txHash: hash, errorMessage: null });
    const { body } = await client.get(`/metadata/${metadataId}`);
    expect([body.contractAddress, body.tokenId]).toEqual([contractAddress, '1']);
  });

  it("is CONFIRMED if another account's order has had the call made, by a receiver of its own", async () => {
    const forwarder = await deployForwarder(client, chainId);
    const owner = newSigner();
    const fields = { chainId, ercStandard: '1155', trustedForwarder: forwarder, currentOwnerAddress: owner.address };
    const { contractAddress } = await deployContract(client, fields);
    const other = await newClient();
    const { contractAddress: bait } = await deployContract(other, { chainId });
    const metadataId = await createMetadata(client, { chainId });
    const token = { chainId, contractAddress, receiverAddress, tokenId: '1', amount: 1 };
    const mint = { ...token, metadataId, from: owner.address };
    const signed = await client.post('/minting/signature', { ...mint, privateKey: owner.privateKey });
    let path = '';
    const hash = await overtake(
      forwarder,
      async () => {
        const { body } = await client.post('/minting/relay', { ...mint, signature: signed.body.signature });
        path = `/minting/${body.id}`;
        return body.id;
      },
      async (data) => {
        const hostile = await receiverThatCalls(forwarder, data);
        const baited = await createMetadata(other, { chainId });
        const order = { chainId, contractAddress: bait, receiverAddress: hostile, tokenId: '1', metadataId: baited };
        const { body } = await other.post('/minting/order', order);
        return (await other.until(`/minting/${body.id}`, ENDED))['txHash'] as Hex;
      },
    );
    expect(await client.until(path, ENDED)).toMatchObject({ status: 'CONFIRMED', txHash: hash });
  });
});
