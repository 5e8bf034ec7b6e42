import { getViewName } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { RECORD_TABLES } from '../../operations/export/record-tables.ts';
import { orderKinds } from './kinds.ts';

const tables = [...orderKinds.values()].flatMap(({ orders }) => orders ?? []);

describe('the tables of orders', () => {
  it('have a label each, so that GET /status counts every one of them', () => {
    const labels = new Set(tables.map(({ label }) => label));
    expect(labels.size).toBe(new Set(tables.map(({ table }) => table)).size);
  });

  it('are all among the records of an account that another deployment takes up', () => {
    const recorded = new Set(RECORD_TABLES.map(({ name, view = name }) => view));
    for (const { table } of tables) expect(recorded).toContain(getViewName(table));
  });
});
