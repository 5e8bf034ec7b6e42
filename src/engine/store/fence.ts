import { sql } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';
import { fence } from '../../platform/database/schema.ts';

/** The database's epoch, for a statement. */
export const epochOf: SQL = sql`coalesce((select epoch from ${fence}), '')`;

/** A condition that holds if the database still has the epoch that a driver learned. @param epoch Undefined: it has learned none yet. */
export function hasEpoch(epoch: string | undefined): SQL {
  return epoch === undefined ? sql`true` : sql`${epochOf} = ${epoch}`;
}

/**
 * The database has another epoch than the driver learned: an operator has fenced off the drivers that ran then, because they may have outdated
 * code, settings or state.
 */
export class FencedError extends Error {
  override readonly name = 'FencedError';
}
