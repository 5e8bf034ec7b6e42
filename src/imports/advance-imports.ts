import { z } from 'zod';
import { DomainError } from '../core/domain-error.ts';
import { isAborted } from '../platform/database/errors.ts';
import type { Services } from '../services.ts';
import { checkRows, type IdentifiedRow } from './check-rows.ts';
import { columnsOf } from './columns.ts';
import { idsOfRows } from './row-ids.ts';
import { csvInput, lineInput } from './row-input.ts';
import { KEPT_REFUSALS, runChunk } from './run-chunk.ts';
import { servicesOf } from './serve-caller.ts';
import { underWayDelay } from './under-way-delay.ts';
import {
  endCheck,
  findRivals,
  storeFindings,
  storePause,
  storeRun,
  storeWait,
  takeWork,
  type Work,
} from './work.store.ts';

/** A call begins with no chunk later: others wait for their turn. */
const TURN_MS = 5_000;
/** Longer than a chunk takes; an import whose Worker has died goes on after that. */
const LEASE_MS = 60_000;
/** How long a wait is at most, in seconds: what it is for may pass earlier than it seems. */
const MAX_WAIT_SECONDS = 600;
/** An import waits while its account has so many unfinished orders on the chain, so that other orders need not. */
const MAX_UNDER_WAY = 1_000;
/** After how many seconds an import is tried again for which the chain did not answer. */
const RETRY_SECONDS = 30;
/** How long one waits where the database did not answer, or the service has a defect. */
const FAILED_SECONDS = 10;

/**
 * Works on imports, a chunk of each in turn, for a few seconds. Safe to call concurrently for the same import: one
 * caller works on it, and what a crash leaves undone is done again with the same ids.
 * @returns the seconds after which each is to be worked on again; without those for which there is nothing to do.
 */
export async function advanceImports(services: Services, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const { clock, log } = services;
  const until = clock.now() + TURN_MS;
  const delays = new Map(ids.map((id) => [id, 0]));
  for (;;) {
    const ready = Array.from(delays).filter(([, delay]) => delay === 0);
    if (ready.length === 0) return delays;
    for (const [id] of ready) {
      if (clock.now() >= until) return delays;
      try {
        const delay = await advance(services, id);
        if (delay === undefined) delays.delete(id);
        else delays.set(id, delay);
      } catch (error) {
        log.error('import.not_advanced', { importId: id, error });
        delays.set(id, FAILED_SECONDS);
      }
    }
  }
}

/** Works on the next chunk of an import. @returns seconds until the one after it; undefined: there is nothing to do. */
async function advance(services: Services, id: string): Promise<number | undefined> {
  const { db, clock, log } = services;
  const now = clock.now();
  const lease = { now: new Date(now), leaseUntil: new Date(now + LEASE_MS), maxUnderWay: MAX_UNDER_WAY };
  const work = await takeWork(db, id, lease);
  if (work === undefined) return undefined;
  if ('nextTryAt' in work) return Math.max(1, Math.ceil((work.nextTryAt.getTime() - now) / 1_000));
  try {
    return work.import.status === 'RUNNING' ? await run(services, work) : await check(services, work);
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'upstream') return await wait(services, work, error);
    const refusal = callerRefusal(error);
    if (refusal === undefined) {
      log.error('import.failed', { importId: id, error });
      return await wait(services, work, { message: 'The service failed', retryAfterSeconds: FAILED_SECONDS });
    }
    await storePause(db, work.import, refusal, new Date(clock.now()));
    return undefined;
  }
}

async function wait(
  { db, clock }: Services,
  work: Work,
  { message, retryAfterSeconds = RETRY_SECONDS }: Pick<DomainError, 'message' | 'retryAfterSeconds'>,
): Promise<number> {
  const seconds = Math.min(retryAfterSeconds, MAX_WAIT_SECONDS);
  await storeWait(db, work.import, message, new Date(clock.now() + seconds * 1_000));
  return seconds;
}

async function check(services: Services, work: Work): Promise<number | undefined> {
  const { import: one, chunk } = work;
  const { db, clock } = services;
  if (chunk === undefined) {
    await endCheck(db, one, await findRivals(db, one.id), new Date(clock.now()));
    return undefined;
  }
  const rows = await checkRows(servicesOf(services, work), one, rowsOf(work, chunk, new Date(clock.now())));
  const faults = rows.flatMap((row) => row.faults);
  const findings = {
    rows: rows.length,
    faultyRows: rows.filter((row) => row.faults.length > 0).length,
    faultCount: faults.length,
    faults,
    uses: rows.flatMap((row) => row.uses),
    refusals: rows.flatMap((row) => row.faults.slice(0, KEPT_REFUSALS)),
  };
  await storeFindings(db, one, findings, new Date(clock.now()));
  return 0;
}

async function run(services: Services, work: Work): Promise<number | undefined> {
  const { import: one, isActive, key, chunk, ordersUnderWay } = work;
  const { db, clock } = services;
  if (chunk?.runAt === undefined || chunk.runAt === null) throw new Error('A running import has no chunk to run');
  const refusal = isActive ? keyRefusal(one, key, clock.now()) : INACTIVE;
  if (refusal !== undefined) {
    await storePause(db, one, refusal, new Date(clock.now()));
    return undefined;
  }
  if (one.kind !== 'metadata' && ordersUnderWay >= MAX_UNDER_WAY) {
    const message = `The account has ${MAX_UNDER_WAY} unfinished orders on the chain`;
    return await wait(services, work, {
      message,
      retryAfterSeconds: underWayDelay(clock.now() - one.updatedAt.getTime()),
    });
  }
  const rows = { rows: rowsOf(work, chunk, chunk.runAt), faulty: chunk.refusals };
  const result = await runChunk(() => servicesOf(services, work), one, rows);
  if (result.notNow !== undefined) return await wait(services, work, result.notNow);
  await storeRun(db, one, result, new Date(clock.now()));
  return one.cursor + 1 === one.chunks ? undefined : 0;
}

const INACTIVE = 'The account is inactive';
const INVALID_KEY = 'The key that it was started with is revoked or has expired: resume it with another one';

/** Why an import must not go on in the name of its caller. */
function keyRefusal({ caller }: Work['import'], key: Work['key'], now: number): string | undefined {
  if (caller.keyId === null) return undefined;
  const isExpired = key?.expiresAt !== null && key !== undefined && key.expiresAt.getTime() <= now;
  return key === undefined || key.revokedAt !== null || isExpired ? INVALID_KEY : undefined;
}

function callerRefusal(error: unknown): string | undefined {
  if (isAborted(error, 'key_revoked')) return INVALID_KEY;
  return isAborted(error, 'account_inactive') ? INACTIVE : undefined;
}

const cellsSchema = z.array(z.array(z.string()));

/** The rows of a chunk. @param runAt What the ids of what they make derive from. */
function rowsOf(
  { import: one }: Work,
  { place, numbers, cells }: NonNullable<Work['chunk']>,
  runAt: Date,
): IdentifiedRow[] {
  const columns = one.columns === null ? undefined : columnsOf(one.kind, one.columns);
  const ids = idsOfRows(one.id, place, runAt, numbers.length);
  return cellsSchema.parse(JSON.parse(cells ?? '[]')).flatMap((row, index) => {
    const number = numbers[index];
    const rowIds = ids[index];
    if (number === undefined || rowIds === undefined) return [];
    const imported = { row: number, cells: row };
    return [{ ...(columns === undefined ? lineInput(imported) : csvInput(columns, imported)), ids: rowIds }];
  });
}
