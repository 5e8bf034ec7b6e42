import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { mainnet, testnet } from '../../chains/definitions/avalanche.ts';
import { DomainError } from '../../core/domain-error.ts';
import { createLog } from '../../core/log.ts';
import { tokensOfWallet } from './nft-index.ts';

const URL_WITH_KEY = 'https://rpc.example/multichain/the-secret-key';
const query = {
  wallet: '0x1111111111111111111111111111111111111111',
  chains: [mainnet, testnet],
  pageToken: '',
} as const;
const asset = {
  blockchain: 'avalanche',
  name: 'One',
  tokenId: '1',
  tokenUrl: 'https://example.com/1',
  imageUrl: 'https://example.com/1.png',
  collectionName: 'Ones',
  symbol: 'ONE',
  contractType: 'ERC721',
  contractAddress: '0xAbCdEf0000000000000000000000000000000001',
};

const UNEXPECTED = 'The NFT index answered with an unexpected body';

let answer: () => Response | Promise<Response>;
let lines: string;
const requests: Request[] = [];
const result =
  (assets: unknown[], nextPageToken: unknown = '') =>
  () =>
    Response.json({ jsonrpc: '2.0', id: 1, result: { owner: query.wallet, assets, nextPageToken } });
const rpcError = (code: number) => () =>
  Response.json({ jsonrpc: '2.0', id: 1, error: { code, message: `no: ${URL_WITH_KEY}` } });

beforeEach(() => {
  requests.length = 0;
  lines = '';
  for (const level of ['info', 'warn', 'error'] as const) {
    vi.spyOn(console, level).mockImplementation((line: unknown) => void (lines += String(line)));
  }
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    requests.push(new Request(input, init));
    return await answer();
  });
});
afterEach(() => vi.restoreAllMocks());

const fetchPage = (more: { pageToken?: string } = {}) =>
  tokensOfWallet(URL_WITH_KEY, { ...query, ...more }, createLog(String));

describe('tokensOfWallet', () => {
  it("uses the provider's protocol and its names for the chains", async () => {
    answer = result([]);
    await fetchPage();
    expect(await requests[0]?.json()).toEqual({
      jsonrpc: '2.0',
      id: 1,
      method: 'ankr_getNFTsByOwner',
      params: { walletAddress: query.wallet, blockchain: ['avalanche', 'avalanche_fuji'], pageSize: 50 },
    });
    await fetchPage({ pageToken: 'next' });
    expect(await requests[1]?.json()).toMatchObject({ params: { pageToken: 'next' } });
  });

  it('returns tokens of both standards in our form', async () => {
    answer = result(
      [
        asset,
        {
          ...asset,
          blockchain: 'avalanche_fuji',
          contractType: 'ERC1155',
          tokenId: '0x0f',
          quantity: '12',
          name: null,
          imageUrl: undefined,
        },
        { ...asset, tokenId: 7, quantity: 3 },
        { ...asset, blockchain: 'polygon' },
      ],
      'next',
    );
    const common = {
      contractAddress: '0xabcdef0000000000000000000000000000000001',
      symbol: 'ONE',
      tokenUrl: 'https://example.com/1',
      imageUrl: 'https://example.com/1.png',
    };
    expect(await fetchPage()).toEqual({
      tokens: [
        expect.objectContaining({ ...common, chain: mainnet, tokenId: '1', amount: '1', name: 'One' }),
        expect.objectContaining({ ...common, chain: testnet, tokenId: '15', amount: '12', name: '', imageUrl: '' }),
        expect.objectContaining({ ...common, chain: mainnet, tokenId: '7', amount: '3' }),
      ],
      nextPageToken: 'next',
    });
  });

  it.each(['', null, undefined])('has no next page when the provider returns %o', async (token) => {
    answer = result([], token);
    expect((await fetchPage()).nextPageToken).toBeNull();
  });

  it.each([
    ['an HTTP error', () => new Response(URL_WITH_KEY, { status: 503 }), 'The NFT index answered 503'],
    ['a JSON-RPC error', rpcError(-32_000), 'The NFT index answered with an error'],
    [
      'invalid parameters although the caller gave no page token',
      rpcError(-32_602),
      'The NFT index answered with an error',
    ],
    ['a body that is not JSON', () => new Response('<html>'), 'The NFT index answered with a body that is not JSON'],
    ['neither a result nor an error', () => Response.json({ jsonrpc: '2.0' }), UNEXPECTED],
    ['a token without an id', result([{ ...asset, tokenId: undefined }]), UNEXPECTED],
    ['a token id that is not a number', result([{ ...asset, tokenId: 'one' }]), UNEXPECTED],
    [
      'very many values',
      () => new Response(`{"result":{"assets":[${'[],'.repeat(300_000)}0]}}`),
      'The response of the NFT index is too large',
    ],
    ['more tokens than a page has', result(Array.from({ length: 51 }, () => asset)), UNEXPECTED],
    ['a token id that is longer than any', result([{ ...asset, tokenId: '1'.repeat(79) }]), UNEXPECTED],
    ['an amount that is longer than any', result([{ ...asset, quantity: `0x${'f'.repeat(65)}` }]), UNEXPECTED],
    ['a page token that no caller may send back', result([], 'x'.repeat(4_097)), UNEXPECTED],
    [
      'an endless response',
      () => new Response(new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(1_048_576)) })),
      'The response of the NFT index is too large',
    ],
    [
      'a broken connection',
      () => Promise.reject(new TypeError(`fetch of ${URL_WITH_KEY} failed`)),
      'The NFT index is unreachable',
    ],
    [
      'a timeout',
      () => Promise.reject(new DOMException(URL_WITH_KEY, 'TimeoutError')),
      'The NFT index did not answer within 10 seconds',
    ],
  ])('reports %s; neither the error nor the log contains the key', async (_, how, message) => {
    answer = how;
    const error = await fetchPage().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(DomainError);
    expect(error).toMatchObject({ kind: 'upstream', message });
    expect(lines).toContain('nft_index.failed');
    expect(lines).not.toContain('the-secret-key');
  });

  it("blames the caller's page token when the provider rejects it", async () => {
    answer = rpcError(-32_602);
    const error = await fetchPage({ pageToken: 'nonsense' }).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ kind: 'invalid', issues: [{ path: 'pageToken' }] });
  });
});
