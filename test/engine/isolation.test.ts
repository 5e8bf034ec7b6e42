import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inTransaction } from '../../cli/in-transaction.ts';
import { newId } from '../../src/core/record-id.ts';
import { traceOf } from '../../src/core/trace.ts';
import { runBatch, type AskedChange } from '../../src/platform/database/client.ts';
import { runChange } from '../../src/platform/database/record-change.ts';
import { isFencedOff } from '../../src/engine/store/fence.ts';
import { startWorld, type World } from './lane-world.ts';
import { untilWaiting } from './until-waiting.ts';

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
  const stored = runBatch({ ...db, epoch: '' }, { statement: db.sql.execute(sql`select 1`) });
  const outcome = stored.then(
    () => 'stored',
    (error: unknown) => (isFencedOff(error) ? 'fenced off' : error),
  );
  await untilWaiting(world, 'advisory');
  await client.query('commit');
  client.release();
  expect(await outcome).toBe('fenced off');
});

type Batch = typeof runBatch;
const asked: AskedChange = {
  trace: traceOf(undefined),
  successStatus: 201,
  isRecorded: false,
  row: () => ({
    id: newId(),
    createdAt: new Date(),
    corporateAccountId: world.accountId,
    corporateId: null,
    actor: 'admin',
    keyId: null,
    address: null,
    requestId: newId(),
    method: 'POST',
    route: '/minting/order',
    resourceId: null,
    bodyHash: null,
  }),
};
const change: Batch = (db, statements) => runChange({ ...db, asked }, statements, sql`select null as id where false`);

it.each<{ what: string; batch: Batch }>([
  { what: 'batch', batch: runBatch },
  { what: 'change', batch: change },
])('a $what that waited for a lock sees what was committed meanwhile', async ({ what, batch }) => {
  const client = await world.pool.connect();
  await client.query('begin');
  await client.query('update corporate_accounts set corporate_name = $1', [what]);
  const { db } = services();
  const name = sql`select corporate_name as name from corporate_accounts`;
  const result = batch(db, {
    lock: db.sql.execute(sql`${name} for no key update`),
    seen: db.sql.execute<{ name: string }>(name),
  });
  await untilWaiting(world, 'transactionid');
  await client.query('commit');
  client.release();
  expect((await result).seen.rows).toEqual([{ name: what }]);
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
  await untilWaiting(world, 'advisory');
  await client.query('commit');
  client.release();
  expect(await names).toEqual([{ corporate_name: 'changed' }]);
});
