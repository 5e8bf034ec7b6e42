import { Client as Postgres } from 'pg';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { encodeFunctionData, type Address } from 'viem';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import {
  call,
  createMetadata,
  deployContract,
  mint,
  newClient,
  orderMint,
  stack,
  type Client,
} from '../fixtures/client.ts';
import { setFaults } from '../fixtures/fault-proxy.ts';
import { newSigner, sendAs } from '../fixtures/gasless.ts';

const newWallet = () => newSigner().address;

let own: Client;
let other: Client;

beforeAll(async () => {
  [own, other] = await Promise.all([newClient(), newClient()]);
});
afterEach(() => setFaults(stack.proxies.index, [], 'wallet'));

async function withDatabase<Result>(work: (database: Postgres) => Promise<Result>): Promise<Result> {
  const database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
  await database.connect();
  try {
    return await work(database);
  } finally {
    await database.end();
  }
}

const deploy = async (client: Client, fields: Record<string, unknown>) =>
  (await deployContract(client, fields)).contractAddress;

const addressesOf = (body: { items: { contractAddress: string }[] }) =>
  new Set(body.items.map(({ contractAddress }) => contractAddress));

const list = (client: Client, wallet: string, query = '') => client.get(`/api/wallet/nfts?wallet=${wallet}${query}`);

describe('GET /api/wallet/nfts', () => {
  const wallet = newWallet();
  const contracts: Record<'art' | 'goods' | 'testArt' | 'others', Address> = {
    art: '0x',
    goods: '0x',
    testArt: '0x',
    others: '0x',
  };

  beforeAll(async () => {
    [contracts.art, contracts.goods, contracts.testArt, contracts.others] = await Promise.all([
      deploy(own, { name: 'Art', symbol: 'ART' }),
      deploy(own, { name: 'Goods', symbol: 'GDS', ercStandard: '1155' }),
      deploy(own, { name: 'Test art', symbol: 'TART', chainId: '43113' }),
      deploy(other, { name: 'Others', symbol: 'OTH' }),
    ]);
    await Promise.all([
      mint(own, { chainId: '43114', contractAddress: contracts.art, tokenId: '7' }, wallet),
      mint(own, { chainId: '43114', contractAddress: contracts.goods, tokenId: '12', amount: 5 }, wallet),
      mint(own, { chainId: '43113', contractAddress: contracts.testArt, tokenId: '1' }, wallet),
      mint(other, { chainId: '43114', contractAddress: contracts.others, tokenId: '1' }, wallet),
      // Not held by the wallets of the tests.
      mint(own, { chainId: '43114', contractAddress: contracts.art, tokenId: '8' }, newWallet()),
    ]);
  });

  it("lists the wallet's tokens of the account's own contracts, on both chains, with each token's document", async () => {
    const { status, body } = await list(own, wallet);
    expect(status).toBe(200);
    expect(body.nextPageToken).toBeNull();
    const served = await call(`/metadata/${contracts.art}/7`);
    expect(body.items).toHaveLength(3);
    expect(body.items).toContainEqual({
      chain: 'mainnet',
      chainId: '43114',
      contractAddress: contracts.art,
      tokenId: '7',
      amount: '1',
      tokenType: 'ERC721',
      name: 'Token 7',
      symbol: 'ART',
      tokenUrl: `${stack.settings['METADATA_BASE_URI']}/${contracts.art}/7`,
      imageUrl: 'https://example.com/a.png',
      metadata: served.body,
      corporateId: own.account.corporateId,
    });
    expect(body.items).toContainEqual(
      expect.objectContaining({ contractAddress: contracts.goods, tokenId: '12', amount: '5', tokenType: 'ERC1155' }),
    );
    expect(body.items).toContainEqual(
      expect.objectContaining({ contractAddress: contracts.testArt, chain: 'testnet', chainId: '43113' }),
    );
  });

  it('lists a token that was minted without the service with null for its document', async () => {
    const owner = newSigner();
    const { contractAddress } = await deployContract(own, { currentOwnerAddress: owner.address });
    const holder = newWallet();
    const args = [holder, 1n] as const;
    await sendAs(owner, encodeFunctionData({ ...standard721, functionName: 'mint', args }), contractAddress);
    const { body } = await list(own, holder);
    expect(body.items).toMatchObject([{ contractAddress, tokenId: '1', metadata: null }]);
  });

  it('has at most 4 MB of documents on a page, the first ones: the rest are null', async () => {
    const receiverAddress = newWallet();
    const minted = Array.from({ length: 12 }, async (_, index) => {
      const metadataId = await createMetadata(own, { description: 'x'.repeat(500_000) });
      const fields = { contractAddress: contracts.art, tokenId: String(900 + index), metadataId, receiverAddress };
      await (await orderMint(own, fields)).confirmed();
    });
    await Promise.all(minted);
    const { items } = (await list(own, receiverAddress)).body;
    expect(items).toHaveLength(12);
    const shown = items.filter((item: { metadata: unknown }) => item.metadata !== null);
    expect(shown).toEqual(items.slice(0, 8));
  });

  it('lists tokens of every registered contract with corporateOnly=false, and names no other account', async () => {
    const { body } = await list(own, wallet, '&corporateOnly=false');
    expect(body.items).toHaveLength(4);
    expect(
      body.items.find((item: { contractAddress: string }) => item.contractAddress === contracts.others),
    ).toMatchObject({
      corporateId: '',
    });
    expect(addressesOf((await list(other, wallet)).body)).toEqual(new Set([contracts.others]));
  });

  it.each([
    ['one name', '&blockchains=testnet', ['testArt']],
    ['a repeated name', '&blockchains=mainnet&blockchains=testnet', ['art', 'goods', 'testArt']],
    ['brackets', '&blockchains[]=mainnet', ['art', 'goods']],
    ['repeated brackets', '&blockchains[]=mainnet&blockchains[]=testnet', ['art', 'goods', 'testArt']],
    ['commas', '&blockchains=testnet,mainnet', ['art', 'goods', 'testArt']],
    ['the same name twice', '&blockchains=testnet&blockchains=testnet', ['testArt']],
  ] as const)('takes blockchains as %s', async (_, query, names) => {
    const { status, body } = await list(own, wallet, query);
    expect(status).toBe(200);
    expect(addressesOf(body)).toEqual(new Set(names.map((name) => contracts[name])));
  });

  it('is empty, without a next page, for an empty wallet', async () => {
    expect((await list(own, newWallet())).body).toEqual({ items: [], nextPageToken: null });
  });

  it('omits unregistered contracts, and those that are not ACTIVE', async () => {
    const { rows } = await withDatabase((database) =>
      database.query("update contracts set status = 'FAILED' where contract_address = $1 returning id", [
        contracts.goods,
      ]),
    );
    expect(rows).toHaveLength(1);
    expect(addressesOf((await list(own, wallet)).body)).toEqual(new Set([contracts.art, contracts.testArt]));
    await withDatabase((database) =>
      database.query("update contracts set status = 'ACTIVE' where contract_address = $1", [contracts.goods]),
    );
  });

  it('reports every error of the query', async () => {
    const { status, body } = await own.get('/api/wallet/nfts?wallet=0x12&blockchains=moon&corporateOnly=maybe');
    expect(status).toBe(400);
    const paths = body.errors.map(({ path }: { path: string }) => path);
    expect(paths).toEqual(['wallet', 'blockchains.0', 'corporateOnly']);
    expect((await own.get('/api/wallet/nfts')).body.errors[0].path).toBe('wallet');
  });

  it('refuses a chain that is defined but not allowed, and names those that are', async () => {
    const { status, body } = await list(own, wallet, '&blockchains=mainnet,polygon');
    expect(status).toBe(400);
    expect(body.errors).toEqual([
      { path: 'blockchains.1', code: 'invalid_value', message: 'must be one of mainnet, testnet' },
    ]);
  });

  it('refuses an invalid page token', async () => {
    const { status, body } = await list(own, wallet, '&pageToken=nonsense');
    expect(status).toBe(400);
    expect(body.errors).toEqual([
      { path: 'pageToken', code: 'invalid_value', message: 'is not the nextPageToken of this listing' },
    ]);
  });
});

describe('an index that is down', () => {
  it('is a 502 in the common form without its address; everything else works', async () => {
    const wallet = newWallet();
    await setFaults(stack.proxies.index, [{ match: wallet, effect: 'refuse', times: 1 }], 'wallet');
    const { status, body } = await list(own, wallet);
    expect(status).toBe(502);
    expect(body).toEqual({
      statusCode: 502,
      code: 'upstream_failed',
      requestId: expect.any(String),
      message: 'The NFT index answered 503',
      timestamp: expect.any(String),
      path: '/api/wallet/nfts',
    });
    expect((await own.get('/contracts')).status).toBe(200);
    expect((await list(own, wallet)).status).toBe(200);
  });
});
