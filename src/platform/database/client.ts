import { neon, neonConfig } from '@neondatabase/serverless';
import type { SQL } from 'drizzle-orm';
import { isDeadlock } from './errors.ts';
import type { BatchItem } from 'drizzle-orm/batch';
import { drizzle } from 'drizzle-orm/neon-http';
import type { NeonHttpDatabase } from 'drizzle-orm/neon-http';
import type { RunnableQuery } from 'drizzle-orm/runnable-query';

/** Drizzle over Neon's HTTP driver: a statement, or a `batch` (one transaction), is one round trip. */
export type Database = NeonHttpDatabase;

/** One statement of a `batch`. */
export type Statement = BatchItem<'pg'>;

/** One statement of a `batch` that returns such rows. */
export type Rows<Row> = RunnableQuery<Row[], 'pg'>;

/** A part of a statement that is true or false of a row. */
export type Condition = SQL;

/**
 * The database across all accounts, for consumers and cron only. Requests get a {@link TenantDb}; the parameter type of a
 * store function decides which of the two it accepts.
 */
export interface SystemDb {
  readonly scope: 'system';
  readonly sql: Database;
}

/** The database scoped to one account: every statement that takes it filters by `accountId`. */
export interface TenantDb {
  readonly scope: 'tenant';
  readonly accountId: string;
  readonly sql: Database;
}

export function connectDatabase(settings: {
  readonly DATABASE_URL: string;
  readonly NEON_FETCH_ENDPOINT?: string | undefined;
}): SystemDb {
  const { NEON_FETCH_ENDPOINT: endpoint } = settings;
  if (endpoint !== undefined) neonConfig.fetchEndpoint = endpoint;
  neonConfig.fetchFunction = fetchInTime;
  return { scope: 'system', sql: drizzle(neon(settings.DATABASE_URL)) };
}

/** Longer than any statement takes; without an end a lost connection would hold its caller for ever. */
const TIMEOUT_MS = 20_000;

function fetchInTime(url: string, init: RequestInit): Promise<Response> {
  return fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
}

/** Scopes the database to one account. */
export function tenantOf(db: SystemDb, accountId: string): TenantDb {
  return { scope: 'tenant', accountId, sql: db.sql };
}

/**
 * The database across all accounts, for the engine's work on an order of this account that a request has named: the kinds of orders
 * read and write by a condition that names the order.
 */
export function systemOf(db: TenantDb): SystemDb {
  return { scope: 'system', sql: db.sql };
}

/** How often a transaction is tried that PostgreSQL ends because two wait for each other. */
const TRIES = 5;

/**
 * Runs statements as one transaction; with none there is nothing to do. One that is ended because two wait for each other has changed
 * nothing, and is tried again.
 */
export async function runBatch(db: SystemDb | TenantDb, statements: readonly Statement[]): Promise<unknown[]> {
  const [first, ...rest] = statements;
  if (first === undefined) return [];
  for (let tried = 1; ; tried += 1) {
    try {
      return await db.sql.batch([first, ...rest]);
    } catch (error) {
      if (tried === TRIES || !isDeadlock(error)) throw error;
    }
  }
}
