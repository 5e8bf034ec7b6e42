import { sql } from 'drizzle-orm';
import { version } from '../../../package.json';
import type { Services } from '../../services.ts';

export interface Health {
  readonly status: 'ok' | 'unavailable';
  readonly version: string;
}

/** The service's version. */
export const VERSION = version;

/** A data store that takes longer is as good as down. */
const TIMEOUT_MS = 5_000;

/** Touches the data store once. */
export async function health({ db, log }: Services): Promise<Health> {
  const answered = new AbortController();
  const late = scheduler.wait(TIMEOUT_MS, { signal: answered.signal }).then(
    () => `No answer within ${TIMEOUT_MS} ms`,
    () => undefined,
  );
  const fault = await Promise.race([
    db.sql.execute(sql`select 'alive' as health`).then(
      () => undefined,
      (error: unknown) => error,
    ),
    late,
  ]);
  answered.abort();
  if (fault === undefined) return { status: 'ok', version: VERSION };
  log.error('health.data_store_unavailable', { error: fault });
  return { status: 'unavailable', version: VERSION };
}
