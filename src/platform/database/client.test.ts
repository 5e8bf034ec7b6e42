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

it('repeats a transaction that ended in a deadlock', async () => {
  const database = answer(() => refusal('40P01'), rows);
  await runBatch(db, [statement()]);
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
  await runBatch(db, [statement()]);
  expect(database).toHaveBeenCalledTimes(3);
  expect(wait).toHaveBeenCalledTimes(2);
});

it.each(NOT_CONNECTED)('says so if it never has one: %s %s', async (message, code, reported) => {
  vi.spyOn(scheduler, 'wait').mockResolvedValue();
  vi.spyOn(globalThis, 'fetch').mockImplementation(() =>
    Promise.resolve(Response.json({ message, code }, { status: 500 })),
  );
  await expect(runBatch(db, [statement()])).rejects.toMatchObject({ code: reported, message });
});

it('gives up after the fifth deadlock', async () => {
  const database = answer(...Array.from({ length: 5 }, () => () => refusal('40P01')));
  await expect(runBatch(db, [statement()])).rejects.toMatchObject({ code: '40P01' });
  expect(database).toHaveBeenCalledTimes(5);
});

it('does not repeat what the database refuses for another reason', async () => {
  const database = answer(() => refusal('23505'));
  await expect(runBatch(db, [statement()])).rejects.toMatchObject({ code: '23505' });
  expect(database).toHaveBeenCalledTimes(1);
});
