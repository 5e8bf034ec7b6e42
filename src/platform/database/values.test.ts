import { sql } from 'drizzle-orm';
import { bigint, integer, PgDialect, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import { describe, expect, it } from 'vitest';
import { rowsFor } from './values.ts';

const things = pgTable('things', {
  id: text('id').notNull(),
  tokenUri: text('token_uri'),
  size: integer('size'),
  amount: bigint('amount', { mode: 'number' }),
  createdAt: timestamp('created_at', { withTimezone: true, precision: 3 }),
});

function rowsIn(rows: readonly (typeof things.$inferInsert)[]) {
  const { params } = new PgDialect().sqlToQuery(rowsFor(things, rows, sql`true`));
  return JSON.parse(String(params[0])) as unknown;
}

describe('rows inserted with one parameter', () => {
  it('have what each of them sets', () => {
    expect(
      rowsIn([
        { id: 'a', size: undefined },
        { id: 'b', tokenUri: 'x' },
      ]),
    ).toEqual([{ id: 'a' }, { id: 'b', token_uri: 'x' }]);
  });

  it('keep what is zero, empty or an instant', () => {
    const createdAt = new Date('2026-01-02T03:04:05.678Z');
    expect(rowsIn([{ id: '', tokenUri: null, size: 0, amount: 0, createdAt }])).toEqual([
      { id: '', size: 0, amount: 0, created_at: '2026-01-02T03:04:05.678Z' },
    ]);
  });
});
