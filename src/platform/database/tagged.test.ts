import { eq, sql } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import { describe, expect, it } from 'vitest';
import { connectDatabase } from './client.ts';
import { corporateAccounts } from './schema.ts';
import { tagged } from './tagged.ts';

const db = connectDatabase({ DATABASE_URL: 'postgres://user:password@localhost/database' }).sql;
const byId = eq(corporateAccounts.id, 'a');

describe('a tagged statement', () => {
  it.each([
    ['select', db.select({ id: corporateAccounts.id }).from(corporateAccounts).where(byId)],
    ['update', db.update(corporateAccounts).set({ status: 'INACTIVE' }).where(byId)],
    ['delete', db.delete(corporateAccounts).where(byId).returning({ id: corporateAccounts.id })],
  ])('begins with its name and is otherwise the same: %s', (_, statement) => {
    const { sql: text, params } = statement.toSQL();
    expect(tagged('some-name', statement).toSQL()).toEqual({ sql: `/* some-name */ ${text}`, params });
  });

  it('may be text that is passed to execute', () => {
    const { sql: text, params } = new PgDialect().sqlToQuery(tagged('some-name', sql`select ${1} as one`));
    expect([text, params]).toEqual(['/* some-name */ select $1 as one', [1]]);
  });
});
