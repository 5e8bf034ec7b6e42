import { describe, expect, it } from 'vitest';
import { clientOf, json, refusal } from './service.ts';

const page = (ids: readonly string[], nextCursor: string | null) =>
  json({ items: ids.map((id) => ({ id })), nextCursor });

describe('a list', () => {
  it('goes through every item of every page, with its filters, also past an empty page', async () => {
    const { nft, received } = clientOf([page(['a', 'b'], 'c1'), page([], 'c2'), page(['c'], null)]);
    const ids: string[] = [];
    for await (const order of nft.listMintingOrders({ status: 'FAILED' })) ids.push(order.id);
    expect(ids).toEqual(['a', 'b', 'c']);
    expect(received.map(({ url }) => url.search)).toEqual([
      '?status=FAILED',
      '?cursor=c1&status=FAILED',
      '?cursor=c2&status=FAILED',
    ]);
  });

  it('is its first page if it is awaited, and has its pages', async () => {
    const { nft, received } = clientOf([page(['a'], 'c1'), page(['b'], null)]);
    const list = nft.listMintingOrders();
    expect(await list).toMatchObject({ items: [{ id: 'a' }], nextCursor: 'c1' });
    expect(received).toHaveLength(1);
    const sizes: number[] = [];
    for await (const { items } of list.pages()) sizes.push(items.length);
    expect([sizes, received.length]).toEqual([[1, 1], 2]);
  });

  it('asks for no page that its reader does not reach', async () => {
    const { nft, received } = clientOf([page(['a', 'b'], 'c1')]);
    for await (const { id } of nft.listMintingOrders()) if (id === 'b') break;
    expect(received).toHaveLength(1);
  });

  it('of a wallet goes on by its page tokens', async () => {
    const { nft, received } = clientOf([
      json({ items: [{ tokenId: '1' }], nextPageToken: 't' }),
      json({ items: [{ tokenId: '2' }], nextPageToken: null }),
    ]);
    const ids: string[] = [];
    for await (const { tokenId } of nft.listWalletNfts({ wallet: '0x1' })) ids.push(tokenId);
    expect([ids, received[1]?.url.search]).toEqual([['1', '2'], '?wallet=0x1&pageToken=t']);
  });

  it.each([
    ['names itself as the next page', page(['a'], 'c1')],
    ['has no items', json({ nextCursor: null })],
    ['does not say whether another one follows', json({ items: [] })],
    ['is no object', json(null)],
  ])('ends with an error if a page %s', async (_, reply) => {
    const { nft } = clientOf([reply]);
    const read = async () => {
      for await (const order of nft.listMintingOrders()) expect(order.id).toBe('a');
    };
    await expect(read()).rejects.toMatchObject({ name: 'ConnectionError', reason: 'unreadable' });
  });

  it('throws what its pages throw', async () => {
    const { nft } = clientOf([page(['a'], 'c1'), refusal(403, 'scope_missing')]);
    const read = async () => {
      for await (const order of nft.listMintingOrders()) expect(order.id).toBe('a');
    };
    await expect(read()).rejects.toMatchObject({ code: 'scope_missing' });
    await expect(clientOf([refusal(403, 'scope_missing')]).nft.listMintingOrders()).rejects.toMatchObject({
      status: 403,
    });
  });
});
