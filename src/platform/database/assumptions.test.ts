import { sql } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import { describe, expect, it } from 'vitest';
import { Assumptions, Outdated } from './assumptions.ts';
import { connectDatabase, type Rows } from './client.ts';

const { sql: database } = connectDatabase({ DATABASE_URL: 'postgresql://none:none@127.0.0.1/none' });
const assumption = (name: string, confirm = () => {}) => ({
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is not executed
  query: database.execute(sql.raw(name)) as unknown as Rows<unknown>,
  confirm,
});
const dialect = new PgDialect();
const wrong = () => {
  throw new Outdated();
};

describe('the assumptions of a run', () => {
  it('fail every query of the run once one was wrong, and leave the next run those that are unconfirmed', async () => {
    const run = new Assumptions([assumption('caller', wrong), assumption('key')]);
    const asked: string[] = [];
    const ask = (assumptions: Assumptions) =>
      assumptions.checkWith((statements) => statements.map((statement) => asked.push(nameOf(statement))), []);
    await expect(ask(run)).rejects.toBeInstanceOf(Outdated);
    const next = run.endRun();
    await expect(ask(run)).rejects.toBeInstanceOf(Outdated);
    expect([run.areConfirmed, next.areConfirmed]).toEqual([false, false]);
    await ask(next);
    expect(next.areConfirmed).toBe(true);
    expect(asked).toEqual(['caller', 'key', 'key']);
  });

  it('fail what is asked, or is to be changed, while they are being confirmed, once one turns out to be wrong', async () => {
    const run = new Assumptions([assumption('caller', wrong)]);
    const reply = Promise.withResolvers<unknown[]>();
    const first = run.checkWith(() => reply.promise, []);
    expect(run.areConfirmed).toBe(false);
    const asked = run.checkWith(() => ['row'], [assumption('other').query]);
    const beforeChange = run.checkWith(() => [], []);
    reply.resolve([[]]);
    const ends = await Promise.allSettled([asked, beforeChange, first]);
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  });

  it('fail what a run that was given up still asks', async () => {
    const run = new Assumptions();
    expect(run.endRun().areConfirmed).toBe(true);
    await expect(run.checkWith(() => [], [])).rejects.toBeInstanceOf(Outdated);
  });
});

function nameOf(statement: unknown): string {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made above
  return dialect.sqlToQuery((statement as { getSQL: () => ReturnType<typeof sql> }).getSQL()).sql;
}
