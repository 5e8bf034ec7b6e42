import { sql, type SQL } from 'drizzle-orm';
import type { SystemDb } from '../platform/database/client.ts';
import { importChunks, imports } from '../platform/database/schema.ts';
import { tagged } from '../platform/database/tagged.ts';
import { literals } from '../platform/database/values.ts';
import { ENDED_IMPORT_STATUSES, IDLE_IMPORT_STATUSES } from '../platform/database/vocabulary/import.ts';

const IDLE = literals(IDLE_IMPORT_STATUSES);
const ENDED = literals(ENDED_IMPORT_STATUSES);

interface Before {
  /** What has ended, or was not started or resumed, since then. */
  readonly ended: Date;
  /** A file of which nothing has arrived since then. */
  readonly brokenOff: Date;
}

/** The condition that nobody has changed an import `i` for so long. */
function isOld({ ended, brokenOff }: Before): SQL {
  const isBrokenOff = sql`i.status = 'UPLOADING' or i.status = 'CANCELLED' and i.ended_at is null`;
  return sql`${isUntouchedSince(brokenOff)} and (${isBrokenOff} or ${isUntouchedSince(ended)})`;
}

function isUntouchedSince(at: Date): SQL {
  return sql`i.updated_at < ${at.toISOString()}::timestamptz`;
}

/**
 * Ends old imports that could still go on, so that none does with a part of its rows; without a time of their end, so
 * that they are removed at once.
 * @returns how many.
 */
export async function endOldImports(db: SystemDb, before: Before, limit: number): Promise<number> {
  const { rowCount } = await db.sql.execute(
    tagged(
      'end-old-imports',
      sql`update ${imports} set status = 'CANCELLED' where id = any(array(
        select i.id from ${imports} i where i.status in ${IDLE} and ${isOld(before)}
        order by i.updated_at limit ${limit} for update))`,
    ),
  );
  return rowCount;
}

/** Removes rows of old imports, the oldest first. @returns how many. */
export async function removeOldChunks(db: SystemDb, before: Before, limit: number): Promise<number> {
  const { rowCount } = await db.sql.execute(
    tagged(
      'remove-import-chunks',
      sql`delete from ${importChunks} where ctid = any(array(
        select c.ctid from ${imports} i join ${importChunks} c on c.import_id = i.id
        where i.status in ${ENDED} and ${isOld(before)} order by i.updated_at limit ${limit}))`,
    ),
  );
  return rowCount;
}

/** Removes old imports that have no rows left, the oldest first. @returns how many. */
export async function removeOldImports(db: SystemDb, before: Before, limit: number): Promise<number> {
  const { rowCount } = await db.sql.execute(
    tagged(
      'remove-imports',
      sql`delete from ${imports} where id = any(array(
        select i.id from ${imports} i
        where i.status in ${ENDED} and ${isOld(before)} and (select c.place from ${importChunks} c where c.import_id = i.id limit 1) is null
        order by i.updated_at limit ${limit}))`,
    ),
  );
  return rowCount;
}
