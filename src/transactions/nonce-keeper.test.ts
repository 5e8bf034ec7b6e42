import { env } from 'cloudflare:workers';
import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { beforeEach, describe, expect, it } from 'vitest';
import type { NonceKeeper } from './nonce-keeper.ts';

let keeper: DurableObjectStub<NonceKeeper>;
let wallets = 0;

beforeEach(() => {
  wallets += 1;
  keeper = env.NONCES.getByName(`43114:wallet-${wallets}`);
});

const nonces = async (ids: string[], chainNonce = 0, window = 64) =>
  (await keeper.reserve(ids, chainNonce, window)).map(({ nonce }) => nonce);

describe('NonceKeeper', () => {
  it('gives nonces in a row, from the count of mined transactions on', async () => {
    expect(await nonces(['a', 'b', 'c'], 7)).toEqual([7, 8, 9]);
  });

  it('gives an operation the same nonce when it asks again', async () => {
    await nonces(['a', 'b']);
    expect(await nonces(['b', 'c', 'a'])).toEqual([1, 2, 0]);
  });

  it('gives no nonce twice to callers that ask at once', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, (_, i) => nonces([`x${i}`, `y${i}`])));
    expect(new Set(replies.flat()).size).toBe(40);
    expect(Math.max(...replies.flat())).toBe(39);
  });

  it('uses a returned nonce before a new one', async () => {
    await nonces(['a', 'b', 'c']);
    await keeper.release([{ operationId: 'b', nonce: 1 }]);
    expect(await nonces(['d', 'e'])).toEqual([1, 3]);
  });

  it('keeps a nonce whose holder is not the one that returns it', async () => {
    await nonces(['a', 'b']);
    await keeper.release([
      { operationId: 'stranger', nonce: 0 },
      { operationId: 'b', nonce: 0 },
    ]);
    expect(await keeper.list()).toEqual([
      { operationId: 'a', nonce: 0 },
      { operationId: 'b', nonce: 1 },
    ]);
  });

  it('grants no more than the window, and room again once transactions are mined', async () => {
    const ids = Array.from({ length: 10 }, (_, i) => `op${i}`);
    expect(await nonces(ids, 0, 4)).toEqual([0, 1, 2, 3]);
    expect(await nonces(ids.slice(4), 0, 4)).toEqual([]);
    expect(await nonces(ids.slice(4), 3, 4)).toEqual([4, 5, 6]);
  });

  it('forgets what the chain has used, and never gives it again', async () => {
    await nonces(['a', 'b']);
    expect(await nonces(['a'], 2)).toEqual([2]);
    expect(await keeper.list()).toEqual([{ operationId: 'a', nonce: 2 }]);
  });

  it('has every reservation after its memory is gone', async () => {
    await nonces(['a', 'b']);
    await evictDurableObject(keeper);
    expect(await nonces(['c', 'a'])).toEqual([2, 0]);
  });

  it('takes over what the database says, whoever held it', async () => {
    await nonces(['a', 'b', 'c']);
    await keeper.adopt([
      { operationId: 'x', nonce: 0 },
      { operationId: 'c', nonce: 1 },
    ]);
    expect(await keeper.list()).toEqual([
      { operationId: 'x', nonce: 0 },
      { operationId: 'c', nonce: 1 },
    ]);
    expect(await nonces(['b', 'a'])).toEqual([2, 3]);
  });

  it('lets the storage itself refuse a nonce with two holders', async () => {
    await nonces(['a']);
    await runInDurableObject(keeper, (_, state) => {
      expect(() => state.storage.sql.exec("insert into reservations values ('b', 0)")).toThrow(/UNIQUE/);
    });
  });
});
