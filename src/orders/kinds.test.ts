import { describe, expect, it } from 'vitest';
import { ORDER_RESOURCES } from '../platform/database/schema.ts';
import { orderKinds } from './kinds.ts';

const shown = [...orderKinds.values()].flatMap(({ resource }) => resource ?? []);

describe('the resources of orders', () => {
  it('have a label each, so that GET /status counts every one of them', () => {
    const labels = new Map(shown.map(({ id, label }) => [id, label]));
    expect([...labels.keys()].toSorted()).toEqual([...ORDER_RESOURCES].toSorted());
    expect(new Set(labels.values()).size).toBe(ORDER_RESOURCES.length);
  });
});
