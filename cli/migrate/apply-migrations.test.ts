import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startPostgres, type Postgres } from '../../stack/postgres/postgres.ts';
import { applyMigrations } from './apply-migrations.ts';

let directory: string;
let postgres: Postgres;
let client: Client;
/** A request of the service that is still open. */
let other: Client;

/** Statements of each migration, oldest first. */
const migrations = [['CREATE TABLE "orders" ("id" text)'], ['ALTER TABLE "orders" ADD COLUMN "day" date']];

/** @param times When each was made, instead of 10, 20, ... */
async function apply(times: readonly number[] = []): Promise<void> {
  const folder = join(directory, 'migrations');
  await mkdir(join(folder, 'meta'), { recursive: true });
  const entries = migrations.map((_, index) => ({
    idx: index,
    when: times[index] ?? 10 * (index + 1),
    tag: `000${index}`,
    breakpoints: true,
  }));
  await writeFile(
    join(folder, 'meta', '_journal.json'),
    JSON.stringify({ version: '7', dialect: 'postgresql', entries }),
  );
  await Promise.all(
    migrations.map((statements, index) =>
      writeFile(join(folder, `000${index}.sql`), statements.join('\n--> statement-breakpoint\n')),
    ),
  );
  await applyMigrations(postgres.url, folder);
}

const columns = async () =>
  (
    await client.query(
      "select column_name as name from information_schema.columns where table_name = 'orders' order by ordinal_position",
    )
  ).rows.map(({ name }) => String(name));

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'migrations-'));
  postgres = await startPostgres({ directory: join(directory, 'postgres'), password: 'password' });
  [client, other] = [new Client(postgres.url), new Client(postgres.url)];
  await Promise.all([client.connect(), other.connect()]);
});
afterAll(async () => {
  await Promise.all([client.end(), other.end()]);
  await postgres.stop();
  await rm(directory, { recursive: true, force: true });
});

it('each is applied once', async () => {
  await apply();
  await apply();
  expect(await columns()).toEqual(['id', 'day']);
});

it('one that waits for a table gives up, and those before it stay applied', async () => {
  migrations.push(['ALTER TABLE "orders" ADD COLUMN "note" text'], ['ALTER TABLE "orders" ADD COLUMN "late" text']);
  await other.query('create table blocker (id text)');
  migrations.splice(3, 0, ['ALTER TABLE "blocker" ADD COLUMN "a" text', 'ALTER TABLE "orders" ADD COLUMN "b" text']);
  await other.query('begin; lock table blocker');
  await expect(apply()).rejects.toThrow('lock timeout');
  expect(await columns()).toEqual(['id', 'day', 'note']);
  await other.query('commit');
  await apply();
  expect(await columns()).toEqual(['id', 'day', 'note', 'b', 'late']);
});

it('an index is built while a transaction writes to its table, and again after a build that failed', async () => {
  await client.query("insert into orders (id) values ('same'), ('same')");
  const build = [
    'DROP INDEX CONCURRENTLY IF EXISTS "by_id"',
    'CREATE UNIQUE INDEX CONCURRENTLY "by_id" ON "orders" ("id")',
  ];
  migrations.push(build);
  await expect(apply()).rejects.toThrow('could not create unique index');
  await client.query('delete from orders');
  await other.query("begin; insert into orders (id) values ('one')");
  const applied = apply();
  const isBuilding =
    "select 1 from pg_stat_activity where query ~ '^(DROP|CREATE).* CONCURRENTLY' and wait_event_type = 'Lock'";
  await expect.poll(async () => (await client.query(isBuilding)).rowCount).toBe(1);
  await other.query("insert into orders (id) values ('two'); commit");
  await applied;
  const { rows } = await client.query("select indisvalid from pg_index where indexrelid = 'by_id'::regclass");
  expect(rows).toEqual([{ indisvalid: true }]);
});

it('one that changed after being applied is named, and nothing is applied', async () => {
  const before = await columns();
  migrations.push(['ALTER TABLE "orders" ADD COLUMN "next" text']);
  migrations[1]?.push('ALTER TABLE "orders" ADD COLUMN "edited" text');
  await expect(apply()).rejects.toThrow(/^the migrations failed: 0001 changed after being applied: .*--fresh/);
  migrations[1]?.pop();
  expect(await columns()).toEqual(before);
});

it('one of another branch is applied though it is older than the last applied one', async () => {
  migrations.push(['ALTER TABLE "orders" ADD COLUMN "merged" text']);
  await apply([10, 20, 30, 40, 50, 60, 70, 65]);
  expect(await columns()).toEqual(expect.arrayContaining(['next', 'merged']));
});

it('a database with migrations that the folder lacks is refused', async () => {
  const last = migrations.pop();
  migrations.push(['ALTER TABLE "orders" ADD COLUMN "other" text']);
  await expect(apply()).rejects.toThrow('some applied ones are unknown to this version');
  expect(await columns()).not.toContain('other');
  migrations.splice(-1, 1, last ?? []);
});
