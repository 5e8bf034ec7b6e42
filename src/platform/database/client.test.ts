import { sql } from 'drizzle-orm';
import { afterEach, expect, it, vi } from 'vitest';
import { connectDatabase, runBatch } from './client.ts';

const db = connectDatabase({ DATABASE_URL: 'postgres://user:pw@db.example/main' });
const statement = () => db.sql.execute(sql`select 1`);
const refusal = (code: string) => Response.json({ message: 'refused', code }, { status: 400 });
const rows = () => Response.json({ results: [{ fields: [], rows: [], command: 'SELECT', rowCount: 0 }] });
const answer = (...replies: (() => Response)[]) => {
  const database = vi.spyOn(globalThis, 'fetch');
  for (const reply of replies) database.mockImplementationOnce(() => Promise.resolve(reply()));
  return database;
};

afterEach(() => vi.restoreAllMocks());

const numbered = (count: number) => () =>
  Response.json({
    results: Array.from({ length: count }, (_, number) => ({
      fields: [],
      rows: [],
      command: 'SELECT',
      rowCount: number,
    })),
  });

it('names results as their statements, which run in the order of their names', async () => {
  const database = answer(numbered(4));
  const select = (name: string) => db.sql.execute(sql.raw(name));
  const { one, none, many, group } = await runBatch(db, {
    one: select('one'),
    none: undefined,
    many: [select('first'), undefined, select('second')],
    group: { last: select('last') },
  });
  expect(await new Response(database.mock.calls[0]?.[1]?.body).json()).toMatchObject({
    queries: ['one', 'first', 'second', 'last'].map((query) => ({ query })),
  });
  const counts = [one, many[0], many[2], group.last].map((result) => result?.rowCount);
  expect([...counts, none, many[1]]).toEqual([0, 1, 2, 3, undefined, undefined]);
});

it('runs the statements of a driver behind the one that requires its epoch', async () => {
  const database = answer(numbered(2));
  const { found } = await runBatch({ ...db, epoch: 'now' }, { found: statement() });
  expect(await new Response(database.mock.calls[0]?.[1]?.body).json()).toMatchObject({
    queries: [{ query: 'select require_epoch($1)', params: ['now'] }, { query: 'select 1' }],
  });
  expect(found.rowCount).toBe(1);
});

it.each([{ scope: 'a driver', epoch: 'now' }, { scope: 'anybody else' }])(
  'asks for nothing without statements: $scope',
  async ({ epoch }) => {
    const database = answer();
    expect(await runBatch({ ...db, epoch }, { none: undefined, list: [] })).toEqual({ none: undefined, list: [] });
    expect(database).not.toHaveBeenCalled();
  },
);

it('repeats a transaction that ended in a deadlock', async () => {
  const database = answer(() => refusal('40P01'), rows);
  await runBatch(db, { statement: statement() });
  expect(database).toHaveBeenCalledTimes(2);
});

const NOT_CONNECTED = [
  ['refused', '53300', '53300'],
  ['refused', '57P03', '57P03'],
  ["Couldn't connect to compute node", '', '57P03'],
  ['Control plane request failed', '', '57P03'],
  [
    'Failed to acquire permit to connect to the database. Too many database connection attempts are currently ongoing.',
    '',
    '53300',
  ],
] as const;

it.each(NOT_CONNECTED)('waits for a database that has no connection yet: %s %s', async (message, code) => {
  const unavailable = () => Response.json({ message, code }, { status: 500 });
  const wait = vi.spyOn(scheduler, 'wait').mockResolvedValue();
  const database = answer(unavailable, unavailable, rows);
  await runBatch(db, { statement: statement() });
  expect(database).toHaveBeenCalledTimes(3);
  expect(wait).toHaveBeenCalledTimes(2);
});

it.each(NOT_CONNECTED)('says so if it never has one: %s %s', async (message, code, reported) => {
  vi.spyOn(scheduler, 'wait').mockResolvedValue();
  vi.spyOn(globalThis, 'fetch').mockImplementation(() =>
    Promise.resolve(Response.json({ message, code }, { status: 500 })),
  );
  await expect(runBatch(db, { statement: statement() })).rejects.toMatchObject({ code: reported, message });
});

it('gives up after the fifth deadlock', async () => {
  const database = answer(...Array.from({ length: 5 }, () => () => refusal('40P01')));
  await expect(runBatch(db, { statement: statement() })).rejects.toMatchObject({ code: '40P01' });
  expect(database).toHaveBeenCalledTimes(5);
});

it('does not repeat what the database refuses for another reason', async () => {
  const database = answer(() => refusal('23505'));
  await expect(runBatch(db, { statement: statement() })).rejects.toMatchObject({ code: '23505' });
  expect(database).toHaveBeenCalledTimes(1);
});
