import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTestClient, http, parseEther, publicActions, walletActions, zeroAddress, type Address } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import { fundWallet } from '../../cli/local-stack/fund-wallet.ts';
import { ticketInput } from '../fixtures/metadata-inputs.ts';
import { startOwnStack, type OwnStack } from '../fixtures/own-stack.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../fixtures/webhook-receiver.ts';

const chainId = '43114';
const first = privateKeyToAccount(generatePrivateKey());
const second = privateKeyToAccount(generatePrivateKey());
const firstHolder = first.address.toLowerCase();
const secondHolder = second.address.toLowerCase();

let own: OwnStack;
let receiver: WebhookReceiver;
let headers: Record<string, string>;
let wallet: Address;
let contract: { readonly _id: string; readonly contractAddress: Address };
let metadataId: string;

const chain = () =>
  createTestClient({ mode: 'anvil', transport: http(own.rpcUrls[chainId]), pollingInterval: 50 })
    .extend(publicActions)
    .extend(walletActions);

async function post(path: string, body: object) {
  const reply = await own.ask(path, headers, { method: 'POST', body: JSON.stringify(body) });
  if (reply.status >= 300) throw new Error(JSON.stringify(reply.body));
  return reply.body;
}
const get = (path: string) => own.ask(path, headers);
const until = async (path: string, status: string) => {
  const isThere = async () => expect((await get(path)).body.status).toBe(status);
  await vi.waitFor(isThere, { timeout: 60_000, interval: 250 });
};

async function mined(hash: `0x${string}`): Promise<void> {
  expect((await chain().waitForTransactionReceipt({ hash })).status).toBe('success');
}

beforeAll(async () => {
  [own, receiver] = await Promise.all([startOwnStack({ NFT_INDEX_URL: '' }), startWebhookReceiver()]);
  const account = await own.createAccount({ name: 'Holdings' });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of an account
  wallet = account.walletAddress as Address;
  await fundWallet(wallet, [own.rpcUrls[chainId] ?? '']);
  headers = {
    'x-api-key': own.settings['GLOBAL_SECRET_KEY'] ?? '',
    'x-corporate-id': account.corporateId,
    'content-type': 'application/json',
  };
  await post('/webhooks/endpoints', { url: receiver.url, eventTypes: ['token.transferred'] });
  const deployed = await post('/contracts/deploy', {
    chainId,
    name: 'Art',
    symbol: 'ART',
    ercStandard: '721',
    contractType: 'standard',
  });
  await until(`/contracts/${deployed._id}`, 'ACTIVE');
  contract = (await get(`/contracts/${deployed._id}`)).body;
  metadataId = (await post('/metadata', { ...ticketInput, chainId }))._id;
  const { contractAddress } = contract;
  const order = { chainId, contractAddress, receiverAddress: first.address, tokenId: '7', metadataId };
  const { id } = await post('/minting/order', order);
  await until(`/minting/${id}`, 'CONFIRMED');
});
afterAll(async () => {
  await own.stop();
  await receiver.close();
});

describe('a token that moves outside the service', () => {
  it('is not known before the index has read its contract', async () => {
    expect((await get('/holdings')).body).toEqual({ items: [], nextCursor: null });
    expect((await get(`/contracts/${contract._id}`)).body.onChain).toBeNull();
  });

  it('shows with its holder in lists, in its metadata and in the wallet listing, and sends events', async () => {
    await own.indexTransfers();
    const item = { chainId, contractAddress: contract.contractAddress, tokenId: '7', amount: '1' };
    expect((await get('/holdings')).body.items).toEqual([{ ...item, holder: firstHolder }]);

    await chain().setBalance({ address: first.address, value: parseEther('1') });
    await mined(
      await chain().writeContract({
        ...standard721,
        address: contract.contractAddress,
        functionName: 'transferFrom',
        args: [first.address, second.address, 7n],
        account: first,
        chain: null,
      }),
    );
    await own.indexTransfers();

    expect((await get('/holdings')).body.items).toEqual([{ ...item, holder: secondHolder }]);
    const queries = [
      [`holder=${second.address}`, 1],
      [`holder=${first.address}`, 0],
      [`contractAddress=${contract.contractAddress}&tokenId=7`, 1],
      [`contractAddress=${contract.contractAddress}&tokenId=8`, 0],
      ['chainId=43113', 0],
    ] as const;
    for (const [query, count] of queries) {
      expect([query, (await get(`/holdings?${query}`)).body.items.length]).toEqual([query, count]);
    }
    expect((await get('/holdings?tokenId=7')).body.errors).toEqual([
      expect.objectContaining({ path: 'contractAddress', code: 'required' }),
    ]);
    expect((await get(`/metadata/${metadataId}`)).body.holder).toBe(secondHolder);
    expect((await get('/metadata')).body.items[0].holder).toBe(secondHolder);

    const listed = await get(`/api/wallet/nfts?wallet=${second.address}`);
    expect(listed.body).toMatchObject({
      items: [
        { ...item, tokenType: 'ERC721', name: ticketInput.name, symbol: 'ART', corporateId: headers['x-corporate-id'] },
      ],
      nextPageToken: null,
    });
    expect((await get(`/api/wallet/nfts?wallet=${first.address}`)).body.items).toEqual([]);
    expect((await get(`/api/wallet/nfts?wallet=${first.address}&corporateOnly=false`)).status).toBe(503);
    expect((await get(`/api/wallet/nfts?wallet=${first.address}&pageToken=x`)).body.errors[0].path).toBe('pageToken');

    await expect.poll(() => receiver.events.length).toBe(2);
    const moves = receiver.events.map(({ event: { type, data } }) => [type, data['tokenId'], data['from'], data['to']]);
    expect(moves.toSorted((a, b) => String(a[2]).localeCompare(String(b[2])))).toEqual(
      [
        ['token.transferred', '7', zeroAddress, firstHolder],
        ['token.transferred', '7', firstHolder, secondHolder],
      ].toSorted((a, b) => String(a[2]).localeCompare(String(b[2]))),
    );
  });
});

it('an owner of a contract that changes outside the service shows beside the one of record', async () => {
  expect((await get(`/contracts/${contract._id}`)).body.onChain).toEqual({
    ownerAddress: wallet.toLowerCase(),
    blockNumber: expect.any(Number),
    incomplete: null,
  });
  await chain().impersonateAccount({ address: wallet });
  await mined(
    await chain().writeContract({
      ...standard721,
      address: contract.contractAddress,
      functionName: 'transferOwnership',
      args: [second.address],
      account: wallet,
      chain: null,
    }),
  );
  await own.indexTransfers();
  const changed = (await get('/contracts')).body.items[0];
  expect(changed).toMatchObject({ currentOwnerAddress: wallet, onChain: { ownerAddress: secondHolder } });
});
