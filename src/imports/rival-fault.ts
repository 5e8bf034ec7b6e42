import type { ImportedUse, ImportFault } from '../core/import.ts';

/** Before the number of the row. */
export const USED_BY_ROW = 'is used by row ';

/** The fault of a row that uses what another row uses for something else. */
export function rivalFault({ row, column }: Pick<ImportedUse, 'row' | 'column'>, first: number): ImportFault {
  return { row, column, code: 'not_allowed', message: `${USED_BY_ROW}${first}` };
}
