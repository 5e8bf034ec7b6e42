import { expect, it } from 'vitest';
import { clientOf, json } from './service.ts';

const ID = '0'.repeat(24);

it('sends each part of the input where it belongs, and the key', async () => {
  const { nft, received } = clientOf([json({})], { baseUrl: 'https://nft.example.com/api/', corporateId: 'c1' });
  await nft.editMetadata({ id: ID, ifMatch: '"3"', name: 'Seat 12', description: null });
  const [{ method, url, headers, body }] = received as [(typeof received)[0]];
  expect([method, url.href, body]).toEqual([
    'PATCH',
    `https://nft.example.com/api/metadata/${ID}`,
    '{"name":"Seat 12","description":null}',
  ]);
  expect(Object.fromEntries(headers)).toEqual({
    'content-type': 'application/json',
    'if-match': '"3"',
    'x-api-key': 'key_test_secret',
    'x-corporate-id': 'c1',
  });
});

it('sends no If-Match unless it is named', async () => {
  const { nft, received } = clientOf([json({})]);
  await nft.replaceCollectionMetadata({ id: ID, name: 'Opening nights' });
  expect(received.map(({ headers, body }) => [headers.get('if-match'), body])).toEqual([
    [null, '{"name":"Opening nights"}'],
  ]);
});

it('encodes queries, repeats lists in them, and leaves out what is undefined', async () => {
  const { nft, received } = clientOf([json({ items: [], nextPageToken: null, nextCursor: null })]);
  await nft.listWalletNfts({ wallet: '0x1&a', blockchains: ['mainnet', 'polygon'] });
  await nft.listMintingOrders({ status: 'FAILED', ...({ cursor: undefined } as object) });
  expect(received.map(({ url }) => url.search)).toEqual([
    '?wallet=0x1%26a&blockchains=mainnet&blockchains=polygon',
    '?status=FAILED',
  ]);
});

it.each(['..', '.', '', undefined])('does not turn the id %j into another path', async (id) => {
  const { nft, received } = clientOf([json({})]);
  await expect(nft.getContract({ id: id as string })).rejects.toThrow('id must be a text');
  await nft.getContract({ id: '../keys?a=1#b' });
  expect(received.map(({ url }) => url.pathname)).toEqual(['/contracts/..%2Fkeys%3Fa%3D1%23b']);
});

it('sends no key where none is needed, and no Idempotency-Key where none is taken', async () => {
  const { nft, received } = clientOf([json({})]);
  await nft.getHealth();
  await nft.checkOccupancy({ chainId: '43114', contractAddress: '0x1', tokenId: '1' });
  expect(received[0]?.headers.has('x-api-key')).toBe(false);
  expect(received[1]?.headers.get('x-api-key')).toBe('key_test_secret');
  expect(received[1]?.headers.has('idempotency-key')).toBe(false);
});

it('does not show the key', () => {
  const { nft } = clientOf([]);
  const texts = Object.entries(nft).map(([name, method]: [string, unknown]) => `${name} ${String(method)}`);
  expect(`${texts.join()} ${JSON.stringify(nft)}`).not.toContain('key_test_secret');
});
