import { sql, type SQL } from 'drizzle-orm';
import { isAborted } from '../../platform/database/errors.ts';
import { fence } from '../../platform/database/schema.ts';

/** The database's epoch, for a statement. */
export const epochOf: SQL = sql`coalesce((select epoch from ${fence}), '')`;

/**
 * Whether the database has refused a driver's transaction because it has another epoch than the driver learned: an
 * operator has fenced off the drivers that ran then, because they may have outdated code, settings or state.
 */
export function isFencedOff(error: unknown): boolean {
  return isAborted(error, 'fenced_off');
}
