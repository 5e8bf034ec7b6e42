import { waitUntil } from 'cloudflare:workers';
import { sql } from 'drizzle-orm';
import type { Clock } from '../../core/clock.ts';
import type { EpochMs } from '../../core/epoch-ms.ts';
import type { Log } from '../../core/log.ts';
import { returnTallies, takeTallies, type Tally } from '../../core/tally.ts';
import type { Rows, SystemDb } from './client.ts';
import { isReplyLost } from './errors.ts';
import { tallies } from './schema.ts';
import { tagged } from './tagged.ts';
import { valuesTable } from './values.ts';

/** How long counts of requests are gathered, in milliseconds: one statement then stores those of many. */
const GATHER_MS = 10_000;
/** The platform ends what waits longer than half a minute: then the next request begins anew. */
const GIVEN_UP_MS = 60_000;

/** What storing the counts of this instance takes. */
interface Store {
  readonly db: SystemDb;
  readonly clock: Clock;
  readonly log: Log;
}

/** Since when counts are gathered; undefined while none are. */
let gatheringSince: EpochMs | undefined;

/** Has the counts of this instance stored within ten seconds, with those that are added until then. */
export function storeTalliesLater(store: Store): void {
  const now = store.clock.now();
  if (gatheringSince !== undefined && now - gatheringSince < GIVEN_UP_MS) return;
  gatheringSince = now;
  waitUntil(gather(store));
}

async function gather(store: Store): Promise<void> {
  await scheduler.wait(GATHER_MS);
  gatheringSince = undefined;
  await storeTallies(store);
}

/**
 * Adds the counts of this instance to those of all. What cannot be stored now is stored with the next ones; where it
 * may have been, it is left out: rather too few than twice. Never rejects.
 */
export async function storeTallies({ db, log }: Store): Promise<void> {
  const taken = takeTallies();
  if (taken.length === 0) return;
  try {
    await db.sql.execute(tagged('store-tallies', addition(taken)));
  } catch (error) {
    if (!isReplyLost(error)) returnTallies(taken);
    log.warn('metrics.not_stored', { error });
  }
}

/** In the order of their keys, so that no two instances wait for each other. */
function addition(taken: readonly Tally[]) {
  const shape = {
    name: 'text',
    subject: 'text',
    bound: 'integer',
    count: 'bigint',
    milliseconds: 'bigint',
  } as const;
  const values = taken.map((tally) => ({ ...tally, milliseconds: Math.round(tally.milliseconds) }));
  return sql`
    insert into ${tallies} as t (name, subject, bound, count, milliseconds)
    select v.* from ${valuesTable('v', shape, values)} order by v.name, v.subject, v.bound
    on conflict (name, subject, bound) do update set count = t.count + excluded.count, milliseconds = t.milliseconds + excluded.milliseconds`;
}

/**
 * The statement that reads the counts of all instances since the database was created: a row for each route, each
 * method of a chain.
 */
export function selectTallies(db: SystemDb): Rows<Tally> {
  return db.sql.select().from(tallies).orderBy(tallies.name, tallies.subject, tallies.bound);
}
