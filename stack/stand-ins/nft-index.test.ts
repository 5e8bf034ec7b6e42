import { createServer } from 'node:http';
import { type Address, type Chain, createPublicClient, createWalletClient, getContract, http, zeroAddress } from 'viem';
import { generatePrivateKey, mnemonicToAccount, privateKeyToAddress } from 'viem/accounts';
import { avalanche, avalancheFuji } from 'viem/chains';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { standard1155 } from '../../contracts/artifacts/Standard1155.ts';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import { type Anvil, startAnvil } from '../anvil.ts';
import { type HttpServer, sendJson, startHttpServer } from '../http-server.ts';
import { startNftIndex } from './nft-index.ts';

const issuer = mnemonicToAccount('test test test test test test test test test test test junk');
const newWallet = () => privateKeyToAddress(generatePrivateKey());

interface Answer {
  readonly result?: {
    readonly owner: string;
    readonly assets: Record<string, unknown>[];
    readonly nextPageToken: string;
  };
  readonly error?: { readonly code: number; readonly message: string };
}

let chains: { main: Anvil; test: Anvil };
let documents: HttpServer;
let index: HttpServer;

function walletOn(anvil: Anvil, chain: Chain) {
  const transport = http(anvil.url);
  const client = createWalletClient({ account: issuer, chain, transport });
  const reader = createPublicClient({ transport });
  const done = async (hash: `0x${string}`) => {
    const receipt = await reader.waitForTransactionReceipt({ hash, pollingInterval: 20 });
    expect(receipt.status).toBe('success');
    return receipt;
  };
  const deployed = async (hash: Promise<`0x${string}`>) => {
    const { contractAddress } = await done(await hash);
    if (!contractAddress) throw new Error('not deployed');
    return contractAddress;
  };
  const argsOf = (name: string, base: string) =>
    [name, 'SYM', issuer.address, zeroAddress, base, issuer.address, 0n] as const;
  return {
    deploy721: async (name: string, base = '') => {
      const address = await deployed(client.deployContract({ ...standard721, args: argsOf(name, base) }));
      const { write } = getContract({ address, abi: standard721.abi, client });
      return {
        address,
        mint: async (to: Address, id: bigint) => done(await write.mint([to, id])),
        give: async (to: Address, id: bigint) => done(await write.transferFrom([issuer.address, to, id])),
      };
    },
    deploy1155: async (name: string, base = '') => {
      const address = await deployed(client.deployContract({ ...standard1155, args: argsOf(name, base) }));
      const { write } = getContract({ address, abi: standard1155.abi, client });
      return {
        address,
        mint: async (to: Address, id: bigint, amount: bigint) => done(await write.mint([to, id, amount])),
        giveMany: async (to: Address, ids: bigint[], amounts: bigint[]) =>
          done(await write.safeBatchTransferFrom([issuer.address, to, ids, amounts, '0x'])),
      };
    },
  };
}

let main: ReturnType<typeof walletOn>;
let test: ReturnType<typeof walletOn>;

beforeAll(async () => {
  const [mainChain, testChain] = await Promise.all([
    startAnvil({ chainId: avalanche.id }),
    startAnvil({ chainId: avalancheFuji.id }),
  ]);
  chains = { main: mainChain, test: testChain };
  main = walletOn(mainChain, avalanche);
  test = walletOn(testChain, avalancheFuji);
  documents = await startHttpServer('documents', (request, response) =>
    sendJson(response, 200, {
      name: `Named by ${request.url?.split('/').at(-1)}`,
      image: 'https://images.example/1.png',
      attributes: [{ trait_type: 'Status', value: 'Unused' }],
    }),
  );
  index = await startNftIndex({
    chains: [
      { blockchain: 'avalanche', rpcUrl: mainChain.url },
      { blockchain: 'avalanche_fuji', rpcUrl: testChain.url },
    ],
  });
});

afterAll(async () => {
  await index.stop();
  await documents.stop();
  await Promise.all([chains.main.stop(), chains.test.stop()]);
});

async function call(params: object, method = 'ankr_getNFTsByOwner'): Promise<Answer> {
  const response = await fetch(index.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 5, method, params }),
  });
  expect(response.status).toBe(200);
  const reply = (await response.json()) as Answer & { id: number; jsonrpc: string };
  expect(reply).toMatchObject({ id: 5, jsonrpc: '2.0' });
  return reply;
}

async function tokens(params: object) {
  const { result } = await call(params);
  return result?.assets.map(({ contractAddress, tokenId, quantity }) => ({ contractAddress, tokenId, quantity }));
}

describe('the tokens of a wallet', () => {
  it('are returned with the data of their contracts and documents', async () => {
    const owner = newWallet();
    const cards = await main.deploy721('Cards', documents.url);
    const coins = await main.deploy1155('Coins', documents.url);
    await cards.mint(owner, 7n);
    await coins.mint(owner, 255n, 30n);
    const { result } = await call({ walletAddress: owner.toLowerCase(), blockchain: ['avalanche'], pageSize: 50 });
    const hex = 'ff'.padStart(64, '0');
    expect(result).toEqual({
      owner,
      nextPageToken: '',
      assets: [
        {
          blockchain: 'avalanche',
          contractType: 'ERC721',
          contractAddress: cards.address.toLowerCase(),
          tokenId: '7',
          collectionName: 'Cards',
          symbol: 'SYM',
          tokenUrl: expect.stringMatching(new RegExp(`^${documents.url}/${cards.address}/7$`, 'i')),
          name: 'Named by 7',
          imageUrl: 'https://images.example/1.png',
          traits: [{ trait_type: 'Status', value: 'Unused' }],
        },
        {
          blockchain: 'avalanche',
          contractType: 'ERC1155',
          contractAddress: coins.address.toLowerCase(),
          tokenId: '255',
          quantity: '30',
          collectionName: 'Coins',
          symbol: 'SYM',
          tokenUrl: expect.stringMatching(new RegExp(`/${hex}$`)),
          name: `Named by ${hex}`,
          imageUrl: 'https://images.example/1.png',
          traits: [{ trait_type: 'Status', value: 'Unused' }],
        },
      ],
    });
  });

  it('are those that it holds now: without transferred ones, with those of a batch', async () => {
    const receiver = newWallet();
    const cards = await main.deploy721('Cards');
    const coins = await main.deploy1155('Coins');
    await cards.mint(issuer.address, 1n);
    await coins.mint(issuer.address, 1n, 10n);
    await coins.mint(issuer.address, 2n, 10n);
    await coins.giveMany(receiver, [1n, 2n], [4n, 10n]);
    await cards.give(receiver, 1n);
    expect(await tokens({ walletAddress: receiver, blockchain: 'avalanche' })).toEqual([
      { contractAddress: coins.address.toLowerCase(), tokenId: '1', quantity: '4' },
      { contractAddress: coins.address.toLowerCase(), tokenId: '2', quantity: '10' },
      { contractAddress: cards.address.toLowerCase(), tokenId: '1', quantity: undefined },
    ]);
    const left = await tokens({ walletAddress: issuer.address, blockchain: 'avalanche', pageSize: 50 });
    expect(left?.filter(({ contractAddress }) => contractAddress === cards.address.toLowerCase())).toEqual([]);
    expect(left?.filter(({ contractAddress }) => contractAddress === coins.address.toLowerCase())).toEqual([
      { contractAddress: coins.address.toLowerCase(), tokenId: '1', quantity: '6' },
    ]);
  });

  it('come in pages that contain each token once, across both chains', async () => {
    const owner = newWallet();
    const cards = await main.deploy721('Cards');
    const others = await test.deploy721('Others');
    for (const id of [3n, 1n, 2n]) await cards.mint(owner, id);
    for (const id of [9n, 8n]) await others.mint(owner, id);
    const pages: unknown[][] = [];
    let pageToken = '';
    do {
      const { result } = await call({ walletAddress: owner, pageSize: 2, ...(pageToken === '' ? {} : { pageToken }) });
      pages.push(result?.assets.map(({ blockchain, tokenId }) => `${String(blockchain)}:${String(tokenId)}`) ?? []);
      pageToken = result?.nextPageToken ?? '';
    } while (pageToken !== '');
    expect(pages).toEqual([['avalanche:3', 'avalanche:1'], ['avalanche:2', 'avalanche_fuji:9'], ['avalanche_fuji:8']]);
  });

  it('are listed without an image when the document is unavailable', async () => {
    const owner = newWallet();
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const address = silent.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    for (const base of ['', 'http://127.0.0.1:9', `http://127.0.0.1:${port}`, 'ipfs://nothing']) {
      await (await main.deploy721('Cards', base)).mint(owner, 1n);
    }
    const { result } = await call({ walletAddress: owner, pageSize: 50 });
    expect(result?.assets.map(({ tokenId, imageUrl, name }) => ({ tokenId, imageUrl, name }))).toEqual(
      Array.from({ length: 4 }, () => ({ tokenId: '1', imageUrl: '', name: '' })),
    );
    silent.closeAllConnections();
    silent.close();
  });

  it('are none for an empty wallet', async () => {
    expect((await call({ walletAddress: newWallet() })).result).toMatchObject({ assets: [], nextPageToken: '' });
  });
});

describe('an invalid request', () => {
  const walletAddress = newWallet();
  it.each([
    ['no wallet', { pageSize: 5 }, -32_602],
    ['a wallet that is no address', { walletAddress: '0x12' }, -32_602],
    ['a page of more than 50', { walletAddress, pageSize: 51 }, -32_602],
    ['a chain that it does not know', { walletAddress, blockchain: ['eth'] }, -32_602],
    ['a page token of its own making', { walletAddress, pageToken: 'abc' }, -32_602],
  ])('with %s is a JSON-RPC error with status 200', async (_, params, code) => {
    expect((await call(params)).error).toMatchObject({ code, message: expect.any(String) });
  });

  it('with another method is a JSON-RPC error with status 200', async () => {
    expect((await call({}, 'ankr_other')).error).toMatchObject({ code: -32_601 });
  });
});

it('an unreachable chain is a JSON-RPC error with status 200', async () => {
  const broken = await startNftIndex({ chains: [{ blockchain: 'avalanche', rpcUrl: 'http://127.0.0.1:9' }] });
  const response = await fetch(broken.url, {
    method: 'POST',
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'ankr_getNFTsByOwner',
      params: { walletAddress: newWallet() },
    }),
  });
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ id: 1, error: { code: -32_603 } });
  await broken.stop();
});
