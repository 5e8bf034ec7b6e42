import { getTableName, getViewName, is, View } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { RECORD_TABLES } from '../../operations/export/record-tables.ts';
import { orderKinds } from './kinds.ts';

const tables = [...orderKinds.values()].flatMap(({ orders }) => orders ?? []);

describe('the tables of orders', () => {
  it('have a label each, so that GET /status counts every one of them', () => {
    const labels = new Set(tables.map(({ label }) => label));
    expect(labels.size).toBe(new Set(tables.map(({ table }) => table)).size);
  });

  it('have the columns that the engine writes, under the names that its statements use', () => {
    for (const { table } of tables) {
      const { status, totalFeeNative, nativePriceUsd, totalFeeUsd, nativePriceKrw, totalFeeKrw } = table;
      const { errorMessage, completedAt, updatedAt, corporateAccountId, id } = table;
      const fees = [totalFeeNative, nativePriceUsd, totalFeeUsd, nativePriceKrw, totalFeeKrw];
      const written = [id, corporateAccountId, status, ...fees, errorMessage, completedAt, updatedAt];
      expect(written.map(({ name }) => name)).toEqual([
        'id',
        'corporate_account_id',
        'status',
        'total_fee_native',
        'native_price_usd',
        'total_fee_usd',
        'native_price_krw',
        'total_fee_krw',
        'error_message',
        'completed_at',
        'updated_at',
      ]);
    }
  });

  it('are all among the records of an account that another deployment takes up', () => {
    const recorded = new Set(RECORD_TABLES.map(({ name }) => name));
    for (const { table } of tables)
      expect(recorded).toContain(is(table, View) ? getViewName(table) : getTableName(table));
  });
});
