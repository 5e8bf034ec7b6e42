import { sql } from 'drizzle-orm';
import { version } from '../../package.json';
import type { EpochMs } from '../core/epoch-ms.ts';
import type { Services } from '../services.ts';
import { singleFlight } from '../core/single-flight.ts';
import { within } from '../core/within.ts';
import { tagged } from '../platform/database/tagged.ts';

export interface Health {
  readonly status: 'ok' | 'unavailable';
  readonly version: string;
}

/** The service's version. */
export const VERSION = version;

/** A data store that takes longer counts as down. */
const TIMEOUT_MS = 5_000;

/** How long the result of a check is reused, in milliseconds. */
const CACHE_MS = 1_000;

let last: { readonly health: Health; readonly at: EpochMs } | undefined;

const checkShared = singleFlight(async (_, services: Services) => {
  const result = await checkDataStore(services);
  last = { health: result, at: services.clock.now() };
  return result;
});

/** The health of the data store, checked at most once a second per Worker instance. */
export async function health(services: Services): Promise<Health> {
  if (last !== undefined && services.clock.now() - last.at < CACHE_MS) return last.health;
  return await checkShared('data store', services);
}

async function checkDataStore({ db, log }: Services): Promise<Health> {
  const reply = db.sql.execute(tagged('health-check', sql`select 1`)).then(
    () => undefined,
    (error: unknown) => error,
  );
  const answer = await within(TIMEOUT_MS, reply);
  const failure = answer === undefined ? `No answer within ${TIMEOUT_MS} ms` : answer.result;
  if (failure === undefined) return { status: 'ok', version: VERSION };
  log.error('health.data_store_unavailable', { error: failure });
  return { status: 'unavailable', version: VERSION };
}
