import { sql } from 'drizzle-orm';
import { version } from '../../package.json';
import type { Services } from '../services.ts';
import { singleFlight } from '../core/single-flight.ts';
import { tagged } from '../platform/database/tagged.ts';

export interface Health {
  readonly status: 'ok' | 'unavailable';
  readonly version: string;
}

/** The service's version. */
export const VERSION = version;

/** A data store that takes longer is as good as down. */
const TIMEOUT_MS = 5_000;

/** How long a look at the data store answers for, in milliseconds. */
const SHARED_MS = 1_000;

let last: { readonly found: Health; readonly at: number } | undefined;

const lookOnce = singleFlight(async (_, services: Services) => {
  const found = await lookAtDataStore(services);
  last = { found, at: services.clock.now() };
  return found;
});

/** How the data store is: one look a second, whose result all requests of this Worker instance share. */
export async function health(services: Services): Promise<Health> {
  if (last !== undefined && services.clock.now() - last.at < SHARED_MS) return last.found;
  return await lookOnce('data store', services);
}

async function lookAtDataStore({ db, log }: Services): Promise<Health> {
  const answered = new AbortController();
  const late = scheduler.wait(TIMEOUT_MS, { signal: answered.signal }).then(
    () => `No answer within ${TIMEOUT_MS} ms`,
    () => undefined,
  );
  const fault = await Promise.race([
    db.sql.execute(tagged('health-check', sql`select 1`)).then(
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
