import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { idleLanes } from '../../src/engine/store/idle-lanes.ts';
import { startWorld, type World } from './lane-world.ts';

const MINUTE_MS = 60_000;

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());
beforeEach(() => world.pool.query('delete from orders; delete from lanes'));

/** Transactions of a wallet each, which nothing has touched for so long. */
async function storeIdle(
  count: number,
  state: 'waiting' | 'signed',
  minutes: number,
  first = 0,
  kind = 'mint',
): Promise<void> {
  await world.pool.query(
    `insert into orders (id, kind, order_id, corporate_account_id, chain_id, wallet_address, state, nonce,
       next_try_at, created_at, updated_at)
     select lpad(to_hex(i), 24, '0'), $6, lpad(to_hex(i), 24, '0'), $1, '43114', '0x' || lpad(to_hex(i), 40, '0'), $2,
       case when $2 = 'signed' then 0 end, t.at, t.at, t.at
     from generate_series($3::int + 1, $3::int + $4::int) i, (select now() - interval '1 minute' * $5::int as at) t`,
    [world.accountId, state, first, count, minutes, kind],
  );
}

async function wake(laterMs = 0) {
  const { services, kinds } = world.driver().context;
  const now = Date.now() + laterMs;
  return await idleLanes(services.db, kinds, new Date(now), new Date(now));
}

describe('lanes that nothing has driven', () => {
  it('are woken after five minutes with waiting work, and after ten with signed work', async () => {
    await storeIdle(1, 'waiting', 6);
    await storeIdle(1, 'waiting', 4, 1);
    await storeIdle(1, 'signed', 11, 2);
    await storeIdle(1, 'signed', 9, 3);
    const woken = await wake();
    expect(woken.map(({ walletAddress }) => Number(walletAddress)).toSorted((a, b) => a - b)).toEqual([1, 3]);
    expect(woken.every(({ isOverdue }) => isOverdue)).toBe(true);
  });

  it('are woken after ten minutes with a waiting deployment', async () => {
    await storeIdle(1, 'waiting', 11, 0, 'deploy');
    await storeIdle(1, 'waiting', 9, 1, 'deploy');
    const woken = await wake();
    expect(woken.map(({ walletAddress }) => Number(walletAddress))).toEqual([1]);
  });

  it('are all woken in turn: those that stay stuck do not hide the rest', async () => {
    await storeIdle(5_003, 'waiting', 30);
    const first = await wake();
    expect(first).toHaveLength(5_000);
    const names = new Set(first.map(({ walletAddress }) => walletAddress));
    const second = await wake(10 * MINUTE_MS);
    expect(second).toHaveLength(5_000);
    expect(second.filter(({ walletAddress }) => !names.has(walletAddress))).toHaveLength(3);
  });
});
