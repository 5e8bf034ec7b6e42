import { bigint, integer, PgDialect, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import { describe, expect, it } from 'vitest';
import { insertRows } from './values.ts';

const things = pgTable('things', {
  id: text('id').notNull(),
  tokenUri: text('token_uri'),
  size: integer('size').notNull().default(7),
  amount: bigint('amount', { mode: 'number' }),
  createdAt: timestamp('created_at', { withTimezone: true, precision: 3 }),
});

function queryOf(rows: readonly (typeof things.$inferInsert)[]) {
  const { sql, params } = new PgDialect().sqlToQuery(insertRows(things, rows));
  const [, columns = ''] = /insert into "things" \((.*?)\)/.exec(sql) ?? [];
  return { columns, rows: JSON.parse(String(params[0])) as unknown };
}

describe('rows inserted with one parameter', () => {
  it('keep what only later ones set', () => {
    expect(queryOf([{ id: 'a' }, { id: 'b', tokenUri: 'x' }])).toEqual({
      columns: '"id", "token_uri"',
      rows: [
        { id: 'a', token_uri: null },
        { id: 'b', token_uri: 'x' },
      ],
    });
  });

  it('leave columns that none sets, or that are undefined, to their defaults', () => {
    expect(queryOf([{ id: 'a', size: undefined }])).toEqual({ columns: '"id"', rows: [{ id: 'a' }] });
  });

  it('keep what is zero, null or an instant', () => {
    const createdAt = new Date('2026-01-02T03:04:05.678Z');
    expect(queryOf([{ id: '', tokenUri: null, size: 0, amount: 0, createdAt }]).rows).toEqual([
      { id: '', token_uri: null, size: 0, amount: 0, created_at: '2026-01-02T03:04:05.678Z' },
    ]);
  });
});
