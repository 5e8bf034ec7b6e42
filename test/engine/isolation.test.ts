import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inTransaction } from '../../operations/in-transaction.ts';
import { runBatch } from '../../src/platform/database/client.ts';
import { isFencedOff } from '../../src/engine/store/fence.ts';
import { startWorld, type World } from './lane-world.ts';

// Everything that takes a lock and then reads rests on READ COMMITTED: what waited sees what was committed meanwhile.
let world: World;
beforeAll(async () => {
  world = await startWorld();
  const { rows } = await world.pool.query('select current_database() as name');
  await world.pool.query(`alter database "${rows[0].name}" set default_transaction_isolation = 'repeatable read'`);
});
afterAll(() => world.stop());

const services = () => world.driver().context.services;

it("a driver that waited for the fence is ended by it, whatever the database's default isolation level", async () => {
  const client = await world.pool.connect();
  await client.query('begin');
  await client.query("select pg_advisory_xact_lock(hashtext('fence'))");
  await client.query("insert into fence (epoch, raised_at) values ('next', now())");
  const { db } = services();
  const stored = runBatch({ ...db, epoch: '' }, [db.sql.execute(sql`select 1`)]);
  const outcome = stored.then(
    () => 'stored',
    (error: unknown) => (isFencedOff(error) ? 'fenced off' : error),
  );
  await expect
    .poll(
      async () => (await world.pool.query("select 1 from pg_locks where locktype = 'advisory' and not granted")).rows,
    )
    .toHaveLength(1);
  await client.query('commit');
  client.release();
  expect(await outcome).toBe('fenced off');
});

it('a command of an operator that waited for a lock sees what was committed meanwhile', async () => {
  const client = await world.pool.connect();
  await client.query('begin');
  await client.query("select pg_advisory_xact_lock(hashtext('wallets'))");
  await client.query("update corporate_accounts set corporate_name = 'changed'");
  const names = inTransaction(services().settings.DATABASE_URL, async (own) => {
    await own.query("select pg_advisory_xact_lock(hashtext('wallets'))");
    return (await own.query('select corporate_name from corporate_accounts')).rows as unknown[];
  });
  await expect
    .poll(
      async () => (await world.pool.query("select 1 from pg_locks where locktype = 'advisory' and not granted")).rows,
    )
    .toHaveLength(1);
  await client.query('commit');
  client.release();
  expect(await names).toEqual([{ corporate_name: 'changed' }]);
});
