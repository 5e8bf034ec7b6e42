import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NeonDbError, neon, neonConfig } from '@neondatabase/serverless';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpServer } from '../../../stack/http-server.ts';
import { applyMigrations } from '../../../cli/migrate/apply-migrations.ts';
import { startNeonEndpoint } from '../../../stack/stand-ins/neon-endpoint.ts';
import { startPostgres, type Postgres } from '../../../stack/postgres/postgres.ts';
import { Database } from './database.ts';
import { OneConnection } from './one-connection.ts';

// Runs the same statements on the model and on a real server, each behind the Neon driver's protocol.

let directory: string;
let postgres: Postgres;
let endpoint: HttpServer;
let model: Database;

const TABLE = `create table items (id integer primary key, owner text not null, constraint owner_named check (owner <> ''))`;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'database-model-'));
  [postgres, model] = await Promise.all([
    startPostgres({ directory, password: 'secret' }),
    Database.start(await OneConnection.start()),
  ]);
  await applyMigrations(postgres.url);
  endpoint = await startNeonEndpoint({ databaseUrl: postgres.url });
  neonConfig.fetchEndpoint = endpoint.url;
  await expectSame((sql) => sql.query(TABLE));
});

afterAll(async () => {
  neonConfig.fetchFunction = undefined;
  await endpoint.stop();
  await Promise.all([postgres.stop(), model.stop()]);
  await rm(directory, { recursive: true, force: true });
});

const toModel = async (url: string, { body, headers }: { body: string; headers: Record<string, string> }) => {
  const names = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  const request = {
    method: 'POST',
    url: new URL(url),
    headers: Object.fromEntries(names) as Record<string, string>,
    body,
  };
  const reply = await model.answer(request);
  return new Response(reply.body, { status: reply.status });
};

type Sql = ReturnType<typeof neon<false, false>>;

/** The driver's result of a statement, including errors. */
async function heard(act: (sql: Sql) => Promise<unknown>): Promise<unknown> {
  try {
    return await act(neon(postgres.url));
  } catch (error) {
    if (!(error instanceof NeonDbError)) throw error;
    const { message, code, constraint, detail, table } = error;
    return { message, code, constraint, detail, table };
  }
}

async function expectSame(act: (sql: Sql) => Promise<unknown>): Promise<unknown> {
  neonConfig.fetchFunction = undefined;
  const real = await heard(act);
  neonConfig.fetchFunction = toModel;
  const modelled = await heard(act);
  expect(modelled).toEqual(real);
  return real;
}

describe('the database model behaves like a real server:', () => {
  it('returns every type in the same form', async () => {
    await expectSame(
      (
        sql,
      ) => sql`select 12::int4 as small, 9007199254740993::int8 as big, 1.50::numeric as exact, true as yes, null::text as nothing,
        ${'한국어 "quoted" \\ and 😀'}::text as words, array['a', 'b,c', null]::text[] as list, '{"a": [1, null]}'::jsonb as document,
        '2026-05-06 07:08:09.123+09'::timestamptz as instant`,
    );
  });

  it('reports every error like the server', async () => {
    await expectSame((sql) => sql`insert into items values (1, 'a')`);
    expect(await expectSame((sql) => sql`insert into items values (1, 'b')`)).toMatchObject({ code: '23505' });
    expect(await expectSame((sql) => sql`insert into items values (2, '')`)).toMatchObject({ code: '23514' });
    expect(await expectSame((sql) => sql`select 1 / ${0}::int as nothing`)).toMatchObject({ code: '22012' });
    expect(await expectSame((sql) => sql`select abort_transaction('reason', ${'a detail'})`)).toMatchObject({
      code: 'NF001',
      constraint: 'reason',
      detail: 'a detail',
    });
    expect(await expectSame((sql) => sql`select * from nowhere`)).toMatchObject({ code: '42P01' });
  });

  it('executes a batch completely or not at all', async () => {
    await expectSame((sql) =>
      sql.transaction([sql`insert into items values (7, 'a')`, sql`insert into items values (7, 'b')`]),
    );
    expect(await expectSame((sql) => sql`select * from items where id = 7`)).toEqual([]);
    await expectSame((sql) =>
      sql.transaction([sql`insert into items values (8, 'a')`, sql`select id, owner from items order by id`]),
    );
  });
});

describe('the audit', () => {
  it('reports every change of an order that is not rolled back, and nothing after a reset', async () => {
    model.query(
      `insert into corporate_accounts (id, corporate_id, corporate_name, secret_manager_key_id, wallet_address)
       values ('a', 'a', 'a', 'a', '0x')`,
    );
    model.query(
      `insert into contracts (id, corporate_account_id, chain_id, erc_standard, status) values ('c', 'a', '1', '721', 'DEPLOYING')`,
    );
    model.query(`update contracts set status = 'ACTIVE'`);
    const by = { caller: undefined, epoch: '' };
    const about = { source: 'contracts', id: 'c', isGone: false, kind: null, accountId: null, ...by };
    expect(model.takeHistory()).toEqual([
      { ...about, isNew: true, before: {}, after: { status: 'DEPLOYING' } },
      { ...about, isNew: false, before: { status: 'DEPLOYING' }, after: { status: 'ACTIVE' } },
    ]);
    const update = { query: `update contracts set status = 'FAILED'`, params: [] };
    const url = new URL('https://database.example.com/sql');
    const body = JSON.stringify({ queries: [update, { query: 'select 1 / $1::int', params: ['0'] }] });
    const headers = { 'neon-array-mode': 'true' };
    expect((await model.answer({ method: 'POST', url, headers, body })).status).toBe(400);
    expect(model.takeHistory()).toEqual([]);
    model.query(update.query);
    model.clear();
    expect(model.takeHistory()).toEqual([]);
    expect(model.query('select 1 from contracts')).toEqual([]);
  });
});
