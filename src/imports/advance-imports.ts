import { z } from 'zod';
import { type DomainError, isTemporary } from '../core/domain-error.ts';
import type { EpochMs } from '../core/epoch-ms.ts';
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
  dueImports,
  endCheck,
  findRivals,
  nextTries,
  storeFindings,
  storePause,
  storeRun,
  storeWait,
  takeWork,
  type Work,
} from './work.store.ts';

/** A call begins with no chunk later. */
const TURN_MS = 5_000;
/** Of how many accounts a call works on a chunk at once: while a chain is slow for one, the others go on. */
const MAX_ACCOUNTS_AT_ONCE = 3;
/** Longer than a chunk takes; an import whose Worker has died goes on after that. */
const LEASE_MS = 60_000;
/** How long a wait is at most, in seconds: what it is for may pass earlier than it seems. */
const MAX_WAIT_SECONDS = 600;
/** An import waits while its account has so many unfinished orders on the chain, so that other orders need not. */
const MAX_UNDER_WAY = 1_000;
/** After how many seconds an import is tried again for which the chain did not answer. */
const RETRY_SECONDS = 30;
/** How long one waits for which the service has a defect. */
const FAILED_SECONDS = 10;
/** After how many seconds to look at an import that another caller has taken. */
const TAKEN_SECONDS = 2;

/**
 * Works on the imports that are due, whichever they are, for a few seconds: a message only says that there are some. A
 * chunk of each account is worked on at a time, and the account comes next that has had the least time: neither many
 * imports nor slow ones take more than an account's share. Safe to call concurrently: one caller works on an import,
 * and what a crash leaves undone is done again with the same ids.
 * @param ids The imports of the messages.
 * @returns the seconds after which each of them is to be looked at again; without those for which there is nothing to
 *   do.
 */
export async function advanceImports(services: Services, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const { db, clock } = services;
  const until = clock.now() + TURN_MS;
  const spentBy = new Map<string, number>();
  const worked = new Set<string>();
  const takeTurns = async () => {
    while (clock.now() < until) {
      const due = await dueImports(db, new Date(clock.now()));
      const spent = (accountId: string) => spentBy.get(accountId) ?? 0;
      const [next] = due
        .filter(({ accountId }) => !worked.has(accountId))
        .toSorted((one, other) => spent(one.accountId) - spent(other.accountId));
      if (next === undefined) return;
      const begun = clock.now();
      worked.add(next.accountId);
      // After a failure it has no further turn in this call.
      if (await advance(services, next.id)) worked.delete(next.accountId);
      spentBy.set(next.accountId, spent(next.accountId) + clock.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: MAX_ACCOUNTS_AT_ONCE }, takeTurns));
  const now = clock.now();
  return new Map(
    (await nextTries(db, ids)).map(({ id, at, isWaiting }) => {
      const seconds = Math.max(0, Math.ceil((at.getTime() - now) / 1_000));
      // Another caller, who has taken it, is done with it soon, or has died.
      return [id, isWaiting ? seconds : Math.min(TAKEN_SECONDS, seconds)];
    }),
  );
}

/** Works on the next chunk of an import. @returns whether it did not fail. */
async function advance(services: Services, id: string): Promise<boolean> {
  const { db, clock, log } = services;
  const now = clock.now();
  try {
    const lease = { now: new Date(now), leaseUntil: new Date(now + LEASE_MS), maxUnderWay: MAX_UNDER_WAY };
    const work = await takeWork(db, id, lease);
    if (work !== undefined) await workOn(services, work);
    return true;
  } catch (error) {
    log.error('import.not_advanced', { importId: id, error });
    return false;
  }
}

async function workOn(services: Services, work: Work): Promise<void> {
  const { db, clock, log } = services;
  try {
    await (work.import.status === 'RUNNING' ? run(services, work) : check(services, work));
  } catch (error) {
    if (isTemporary(error)) return await wait(services, work, error);
    const refusal = callerRefusal(error);
    if (refusal !== undefined) return await storePause(db, work.import, refusal, new Date(clock.now()));
    log.error('import.failed', { importId: work.import.id, error });
    await wait(services, work, { message: 'The service failed', retryAfterSeconds: FAILED_SECONDS });
  }
}

async function wait(
  { db, clock }: Services,
  work: Work,
  { message, retryAfterSeconds = RETRY_SECONDS }: Pick<DomainError, 'message' | 'retryAfterSeconds'>,
): Promise<void> {
  const seconds = Math.min(retryAfterSeconds, MAX_WAIT_SECONDS);
  await storeWait(db, work.import, message, new Date(clock.now() + seconds * 1_000));
}

async function check(services: Services, work: Work): Promise<void> {
  const { import: one, chunk } = work;
  const { db, clock } = services;
  if (chunk === undefined) {
    await endCheck(db, one, await findRivals(db, one.id), new Date(clock.now()));
    return;
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
}

async function run(services: Services, work: Work): Promise<void> {
  const { import: one, isActive, key, chunk, ordersUnderWay } = work;
  const { db, clock } = services;
  if (chunk?.runAt === undefined || chunk.runAt === null) throw new Error('A running import has no chunk to run');
  const refusal = isActive ? keyRefusal(one, key, clock.now()) : INACTIVE;
  if (refusal !== undefined) {
    await storePause(db, one, refusal, new Date(clock.now()));
    return;
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
  if (result.notNow !== undefined) await wait(services, work, result.notNow);
  else await storeRun(db, one, result, new Date(clock.now()));
}

const INACTIVE = 'The account is inactive';
const INVALID_KEY = 'The key that it was started with is revoked or has expired: resume it with another one';

/** Why an import must not go on in the name of its caller. */
function keyRefusal({ caller }: Work['import'], key: Work['key'], now: EpochMs): string | undefined {
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
