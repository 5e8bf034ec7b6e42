import { sql, type SQL } from 'drizzle-orm';
import type { SystemDb } from '../platform/database/client.ts';
import { importChunks, imports } from '../platform/database/schema.ts';
import { tagged } from '../platform/database/tagged.ts';
import { literals } from '../platform/database/values.ts';
import { ACTIVE_IMPORT_STATUSES, type ImportStatus } from '../core/import.ts';

const ACTIVE = literals(ACTIVE_IMPORT_STATUSES);
/** Those in which an import can never go on. */
const ENDED = literals(['COMPLETED', 'CANCELLED'] satisfies ImportStatus[]);

interface Before {
  /** What has ended, or was not started or resumed, since then. */
  readonly ended: Date;
  /** A file of which nothing has arrived since then. */
  readonly brokenOff: Date;
}

/** The condition that nobody has changed an import `i` for so long. The first half is that of an index. */
function isOld({ ended, brokenOff }: Before): SQL {
  const isBrokenOff = sql`i.status = 'UPLOADING' or i.status = 'CANCELLED' and i.ended_at is null`;
  return sql`i.status not in ${ACTIVE} and ${isUntouchedSince(brokenOff)} and (${isBrokenOff} or ${isUntouchedSince(ended)})`;
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
        select i.id from ${imports} i where ${isOld(before)} and i.status not in ${ENDED}
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
        where ${isOld(before)} and i.status in ${ENDED} order by i.updated_at limit ${limit}))`,
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
        where ${isOld(before)} and i.status in ${ENDED} and (select c.place from ${importChunks} c where c.import_id = i.id limit 1) is null
        order by i.updated_at limit ${limit}))`,
    ),
  );
  return rowCount;
}
