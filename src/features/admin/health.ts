import { sql } from 'drizzle-orm';
import type { Services } from '../../services.ts';

export interface Health {
  readonly status: 'ok' | 'unavailable';
  readonly version: string;
}

/** The service's version, as package.json has it. */
export const VERSION = '0.1.0';

/** Touches the data store once. */
export async function health({ db, log }: Services): Promise<Health> {
  try {
    await db.sql.execute(sql`select 1`);
    return { status: 'ok', version: VERSION };
  } catch (error) {
    log.error('health.data_store_unavailable', { error });
    return { status: 'unavailable', version: VERSION };
  }
}
