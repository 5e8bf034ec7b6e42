import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { neon, NeonDbError, neonConfig } from '@neondatabase/serverless';
import { eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/neon-http';
import { integer, pgTable, text } from 'drizzle-orm/pg-core';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { HttpServer } from '../http-server.ts';
import { startNeonEndpoint } from './neon-endpoint.ts';
import { type Postgres, startPostgres } from '../postgres/postgres.ts';

/** How many PostgreSQL has. */
const CONNECTIONS = 50;

let directory: string;
let postgres: Postgres;
let endpoint: HttpServer;
let sql: ReturnType<typeof neon<false, false>>;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'neon-endpoint-'));
  // With characters that must be escaped in a URL.
  postgres = await startPostgres({ directory, password: 'p@ss/w:rd%?#', connections: CONNECTIONS });
  endpoint = await startNeonEndpoint({ databaseUrl: postgres.url });
  neonConfig.fetchEndpoint = endpoint.url;
  sql = neon(postgres.url);
  await sql`CREATE SEQUENCE calls`;
  await sql`CREATE TABLE items (id integer PRIMARY KEY, owner text NOT NULL, CONSTRAINT owner_named CHECK (owner <> ''))`;
});

afterAll(async () => {
  await endpoint.stop();
  await postgres.stop();
  await rm(directory, { recursive: true, force: true });
});

beforeEach(() => sql`TRUNCATE items`);

describe('a single query', () => {
  it('returns every type as the driver reads it from a real server', async () => {
    const [row] = await sql`SELECT
      12::int4 AS small, 9007199254740993::int8 AS big, 123456789012345678901234567890.5::numeric AS exact, 1.5::float8 AS float,
      true AS yes, null::text AS nothing, ${'한국어 "quoted" \\ and 😀'}::text AS words, ARRAY['a', 'b,c', null]::text[] AS list,
      ARRAY[1, 2]::int4[] AS numbers, '{"a": [1, null], "b": "ü"}'::jsonb AS document, '\\x00ff'::bytea AS bytes,
      '2026-05-06 07:08:09.123+09'::timestamptz AS instant`;
    expect(row).toEqual({
      small: 12,
      big: '9007199254740993',
      exact: '123456789012345678901234567890.5',
      float: 1.5,
      yes: true,
      nothing: null,
      words: '한국어 "quoted" \\ and 😀',
      list: ['a', 'b,c', null],
      numbers: [1, 2],
      document: { a: [1, null], b: 'ü' },
      bytes: Buffer.from([0, 255]),
      instant: new Date('2026-05-05T22:08:09.123Z'),
    });
  });

  it('accepts parameters of every type', async () => {
    const [row] = await sql.query(
      'SELECT $1::int8 + 1 AS sum, $2::bool AS flag, $3::jsonb AS document, $4::text[] AS list, $5::text AS none',
      [41, true, { deep: { text: "it's" } }, ['x', 'y"z'], null],
    );
    expect(row).toEqual({
      sum: '42',
      flag: true,
      document: { deep: { text: "it's" } },
      list: ['x', 'y"z'],
      none: null,
    });
  });

  it('returns the command, the row count and the fields', async () => {
    await sql`INSERT INTO items VALUES (1, 'a'), (2, 'a'), (3, 'b')`;
    const result = await sql.query('UPDATE items SET owner = $1 WHERE owner = $2 RETURNING id', ['c', 'a'], {
      fullResults: true,
      arrayMode: true,
    });
    expect(result).toMatchObject({
      command: 'UPDATE',
      rowCount: 2,
      rows: [[1], [2]],
      fields: [{ name: 'id', dataTypeID: 23, format: 'text' }],
    });
  });

  it('distinguishes columns of the same name in array mode', async () => {
    expect(await sql.query('SELECT 1 AS a, 2 AS a', [], { arrayMode: true })).toEqual([[1, 2]]);
  });

  it('returns a database error with all its fields', async () => {
    await sql`INSERT INTO items VALUES (1, 'a')`;
    const error = await sql`INSERT INTO items VALUES (1, 'b')`.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(NeonDbError);
    expect(error).toMatchObject({
      message: 'duplicate key value violates unique constraint "items_pkey"',
      severity: 'ERROR',
      code: '23505',
      detail: 'Key (id)=(1) already exists.',
      schema: 'public',
      table: 'items',
      constraint: 'items_pkey',
    });
    await expect(sql`INSERT INTO items VALUES (2, '')`).rejects.toMatchObject({
      code: '23514',
      constraint: 'owner_named',
    });
    await expect(sql`SELECT nonsense`).rejects.toMatchObject({ code: '42703', position: '8' });
  });

  it('must be a single statement', async () => {
    await expect(sql.query("INSERT INTO items VALUES (1, 'a'); DELETE FROM items")).rejects.toMatchObject({
      code: '42601',
    });
    expect(await sql`SELECT * FROM items`).toEqual([]);
  });

  it('runs concurrently with many others', async () => {
    const replies = await Promise.all(Array.from({ length: 40 }, (_, index) => sql`SELECT ${index}::int4 AS index`));
    expect(replies.map(([row]) => row?.['index'])).toEqual(Array.from({ length: 40 }, (_, index) => index));
  });
});

describe('a batch', () => {
  it('returns one result per query, and later queries see earlier writes', async () => {
    const results = await sql.transaction([
      sql`INSERT INTO items VALUES (1, 'a') RETURNING id`,
      sql`SELECT owner FROM items`,
      sql`SELECT pg_current_xact_id() = pg_current_xact_id() AS same`,
    ]);
    expect(results).toEqual([[{ id: 1 }], [{ owner: 'a' }], [{ same: true }]]);
  });

  it('is atomic', async () => {
    const failing = sql.transaction([
      sql`INSERT INTO items VALUES (1, 'a')`,
      sql`INSERT INTO items VALUES (1, 'b')`,
      sql`INSERT INTO items VALUES (2, 'c')`,
    ]);
    await expect(failing).rejects.toMatchObject({ code: '23505' });
    expect(await sql`SELECT * FROM items`).toEqual([]);
  });

  it('leaves no open transaction on its connection when it fails', async () => {
    const failing = Array.from({ length: 40 }, () => sql.transaction([sql`SELECT 1 / 0`]).catch(() => 'failed'));
    expect(new Set(await Promise.all(failing))).toEqual(new Set(['failed']));
    await expect.poll(() => connectionsIn('idle in transaction%')).toBe(0);
  });

  it('sends no statement before the one in front of it has ended', async () => {
    const network = await startNetwork(postgres.url);
    const watched = await startNeonEndpoint({ databaseUrl: network.url });
    const holder = new Client({ connectionString: postgres.url });
    await holder.connect();
    await holder.query('SELECT pg_advisory_lock(2)');
    neonConfig.fetchEndpoint = watched.url;
    const remote = neon(network.url);
    const batch = remote.transaction([remote`SELECT pg_advisory_xact_lock(2)`, remote`SELECT 'the second' AS text`]);
    neonConfig.fetchEndpoint = endpoint.url;
    await expect.poll(() => connectionsIn('active', '%pg_advisory_xact_lock(2)%')).toBe(1);
    expect(network.sent()).not.toContain('the second');
    await holder.end();
    expect((await batch)[1]).toEqual([{ text: 'the second' }]);
    expect(network.sent()).toContain('the second');
    await watched.stop();
    network.stop();
  });

  it('runs none after the one that fails', async () => {
    const [before] = await sql`SELECT nextval('calls')::int4 AS calls`;
    const failing = sql.transaction([sql`SELECT 1 / 0`, sql`SELECT nextval('calls')`]);
    await expect(failing).rejects.toMatchObject({ code: '22012' });
    expect(await sql`SELECT nextval('calls')::int4 AS calls`).toEqual([{ calls: before?.['calls'] + 1 }]);
  });

  it.each(['ReadUncommitted', 'ReadCommitted', 'RepeatableRead', 'Serializable'] as const)(
    'runs at the isolation level %s when asked',
    async (isolationLevel) => {
      const [rows] = await sql.transaction([sql`SHOW transaction_isolation`], { isolationLevel });
      expect(rows?.[0]?.['transaction_isolation'].replace(' ', '')).toBe(isolationLevel.toLowerCase());
    },
  );

  it('is read-only and deferrable on request', async () => {
    const options = { isolationLevel: 'Serializable', readOnly: true, deferrable: true } as const;
    const rows = await sql.transaction([sql`SHOW transaction_read_only`, sql`SHOW transaction_deferrable`], options);
    expect(rows).toEqual([[{ transaction_read_only: 'on' }], [{ transaction_deferrable: 'on' }]]);
    await expect(sql.transaction([sql`INSERT INTO items VALUES (1, 'a')`], { readOnly: true })).rejects.toMatchObject({
      code: '25006',
    });
  });

  it("is what drizzle's batch sends", async () => {
    const items = pgTable('items', { id: integer('id').primaryKey(), owner: text('owner').notNull() });
    const db = drizzle(neon(postgres.url));
    await sql`INSERT INTO items VALUES (1, 'a'), (2, 'b')`;
    const failing = db.batch([
      db.delete(items).where(eq(items.id, 1)),
      db.update(items).set({ id: 1 }).where(eq(items.id, 2)),
      db.insert(items).values({ id: 1, owner: 'c' }),
    ]);
    await expect(failing).rejects.toMatchObject({ code: '23505' });
    expect(await db.select({ id: items.id }).from(items).orderBy(items.id)).toEqual([{ id: 1 }, { id: 2 }]);
  });
});

describe('an invalid request', () => {
  it.each([
    ['a wrong password', (url: URL) => (url.password = 'wrong'), ''],
    ['another user', (url: URL) => (url.username = 'postgres'), ''],
    ['another database', (url: URL) => (url.pathname = '/postgres'), '3D000'],
  ])('is refused with %s', async (_, change, code) => {
    const url = new URL(postgres.url);
    change(url);
    await expect(neon(url.href)`SELECT 1`).rejects.toMatchObject({ code });
  });

  it('is rejected when it does not follow the protocol', async () => {
    const headers = { 'neon-connection-string': postgres.url, 'neon-raw-text-output': 'true' };
    const statusOf = async (init: RequestInit) =>
      (await fetch(endpoint.url, { method: 'POST', headers, ...init })).status;
    expect(await statusOf({ body: '{"query": 1}' })).toBe(400);
    expect(await statusOf({ body: 'SELECT 1' })).toBe(400);
    expect(await statusOf({ body: '{"query": "SELECT 1"}', headers: {} })).toBe(400);
    expect((await fetch(endpoint.url)).status).toBe(405);
  });
});

describe('the connections', () => {
  it('are opened for each request that finds none idle, and 20 of them are kept', async () => {
    await whileHeld(40, 0);
    // The twentieth asks.
    await expect.poll(() => connectionsIn('%')).toBe(19);
  });

  it('are reset before another request uses them', async () => {
    const [before] = await sql`SELECT pg_backend_pid() AS pid, set_config('application_name', 'left over', false)`;
    const [after] = await sql`SELECT pg_backend_pid() AS pid, current_setting('application_name') AS name`;
    expect(after).toEqual({ pid: before?.['pid'], name: '' });
  });

  it('are closed after a statement that failed outside a transaction', async () => {
    const pid = async () => (await sql`SELECT pg_backend_pid() AS pid`)[0]?.['pid'];
    const before = await pid();
    await expect(sql`SELECT 1 / 0`).rejects.toMatchObject({ code: '22012' });
    expect(await pid()).not.toBe(before);
  });

  it("end where PostgreSQL's do: the reply is its error in a 500, which the driver does not read", async () => {
    // One holds the others.
    const refused = await whileHeld(60, 60 - CONNECTIONS + 1);
    for (const error of refused) {
      expect(error).toBeInstanceOf(NeonDbError);
      expect(error).toMatchObject({
        code: undefined,
        message: expect.stringMatching(
          /^Server error \(HTTP status 500\): {"message":"sorry, too many clients already","code":"53300","severity":"FATAL","detail":null/,
        ),
      });
    }
    expect(await sql`SELECT 1 AS one`).toEqual([{ one: 1 }]);
  });
});

describe('what is too large', () => {
  let small: HttpServer;
  beforeAll(async () => {
    small = await startNeonEndpoint({ databaseUrl: postgres.url, maxBytes: 1_000 });
    neonConfig.fetchEndpoint = small.url;
  });
  afterAll(async () => {
    neonConfig.fetchEndpoint = endpoint.url;
    await small.stop();
  });

  it('is refused as a request with a 413', async () => {
    await expect(sql`SELECT ${'x'.repeat(1_000)}`).rejects.toThrow('Server error (HTTP status 413)');
  });

  it('is a 507 as a reply, and a batch has then changed nothing', async () => {
    const failing = sql.transaction([sql`INSERT INTO items VALUES (1, 'a')`, sql`SELECT repeat('x', 1000)`]);
    await expect(failing).rejects.toThrow('Server error (HTTP status 507)');
    expect(await sql`SELECT id FROM items`).toEqual([]);
  });
});

describe('a connection that is lost while a statement runs', () => {
  it("is a statement's error, with the code that PostgreSQL sent last, and later statements reconnect", async () => {
    const sleeping = [sql`SELECT pg_sleep(60)`, sql.transaction([sql`SELECT pg_sleep(60)`, sql`SELECT 1`])].map(
      (statement) => statement.catch((error: unknown) => error),
    );
    let terminated = 0;
    const cut = async () => {
      const rows =
        await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(60)%' AND pid <> pg_backend_pid()`;
      return (terminated += rows.length);
    };
    await expect.poll(cut).toBe(sleeping.length);
    for (const error of sleeping) expect(await error).toMatchObject({ code: '57P01', severity: 'FATAL' });
    expect(await sql`SELECT 1 AS one`).toEqual([{ one: 1 }]);
  });

  it('has no code when PostgreSQL could not say why', async () => {
    const network = await startNetwork(postgres.url);
    const cut = await startNeonEndpoint({ databaseUrl: network.url });
    const reply = fetch(cut.url, {
      method: 'POST',
      headers: { 'neon-connection-string': network.url, 'neon-raw-text-output': 'true' },
      body: '{"query": "SELECT pg_sleep(61)"}',
    });
    await expect.poll(() => connectionsIn('active', '%pg_sleep(61)%')).toBe(1);
    network.cut();
    expect([(await reply).status, await (await reply).json()]).toEqual([
      400,
      expect.objectContaining({ message: 'connection closed', code: '', severity: '', detail: null }),
    ]);
    await cut.stop();
    network.stop();
    await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(61)%' AND pid <> pg_backend_pid()`;
  });
});

/**
 * Runs statements that wait until as many as are expected are answered.
 * @returns what each rejects with, if it does.
 */
async function whileHeld(statements: number, refused: number): Promise<unknown[]> {
  const holder = new Client({ connectionString: postgres.url });
  await holder.connect();
  await holder.query('SELECT pg_advisory_lock(1)');
  const answered: unknown[] = [];
  const waiting = Array.from({ length: statements }, () =>
    sql`SELECT pg_advisory_xact_lock_shared(1)`.catch((error: unknown) => void answered.push(error)),
  );
  const isReady = async () => {
    const { rows } = await holder.query<{ count: number }>(
      "SELECT count(*)::int4 AS count FROM pg_locks WHERE locktype = 'advisory' AND NOT granted",
    );
    return (rows[0]?.count ?? 0) + answered.length;
  };
  await expect.poll(isReady).toBe(statements);
  expect(answered).toHaveLength(refused);
  await holder.end();
  await Promise.all(waiting);
  return answered;
}

/** How many connections of the endpoint are in a state, and run or ran a statement. */
async function connectionsIn(state: string, query = '%'): Promise<unknown> {
  const [row] = await sql`SELECT count(*)::int4 AS count FROM pg_stat_activity
    WHERE backend_type = 'client backend' AND state LIKE ${state} AND query LIKE ${query} AND pid <> pg_backend_pid()`;
  return row?.['count'];
}

/** A way to PostgreSQL that can be cut, and that remembers what was sent to it. */
async function startNetwork(databaseUrl: string) {
  const { hostname, port } = new URL(databaseUrl);
  const sockets: Socket[] = [];
  const sent: Buffer[] = [];
  const server = createServer((socket) => {
    const onward = connect(Number(port), hostname);
    sockets.push(socket, onward);
    socket.on('data', (chunk) => sent.push(chunk));
    socket
      .on('error', () => {})
      .pipe(onward.on('error', () => {}))
      .pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('A TCP server must have a port');
  const url = new URL(databaseUrl);
  url.port = String(address.port);
  const cut = () => sockets.forEach((socket) => socket.destroy());
  return {
    url: url.href,
    sent: () => Buffer.concat(sent).toString('latin1'),
    cut,
    // A socket that ended with an error leaves the other one open, and so a connection of PostgreSQL.
    stop: () => {
      server.close();
      cut();
    },
  };
}
