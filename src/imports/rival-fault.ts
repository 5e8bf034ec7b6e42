import type { ImportedUse, ImportFault } from '../core/import.ts';

/** The fault of a row that uses what another row uses for something else. */
export function rivalFault({ row, column }: Pick<ImportedUse, 'row' | 'column'>, first: number): ImportFault {
  return { row, column, code: 'not_allowed', message: `is used by row ${first}` };
}
