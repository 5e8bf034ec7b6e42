import { derivedIds } from '../core/record-id.ts';

export interface RowIds {
  readonly metadataId: string;
  readonly orderId: string;
}

/**
 * The ids of what the rows of a chunk make: the same however often it is run.
 * @param runAt When it was first run.
 */
export function idsOfRows(importId: string, place: number, runAt: Date, count: number): RowIds[] {
  const next = derivedIds(`${importId}:${place}`, runAt.getTime());
  return Array.from({ length: count }, () => ({ metadataId: next(), orderId: next() }));
}
