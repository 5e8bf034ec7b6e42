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

/** One statement of a `batch` that returns rows of this type. */
export type Rows<Row> = RunnableQuery<Row[], 'pg'>;

/** A boolean SQL expression. */
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
  neonConfig.fetchFunction = fetchWithTimeout;
  return { scope: 'system', sql: drizzle(neon(settings.DATABASE_URL)) };
}

/** Longer than any statement takes. Without a timeout a lost connection would block its caller for ever. */
const TIMEOUT_MS = 20_000;

function fetchWithTimeout(url: string, init: RequestInit): Promise<Response> {
  return fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
}

/** Scopes the database to one account. */
export function tenantOf(db: SystemDb, accountId: string): TenantDb {
  return { scope: 'tenant', accountId, sql: db.sql };
}

/** The most attempts at a transaction that PostgreSQL aborts because of a deadlock. */
const MAX_ATTEMPTS = 5;

/**
 * Runs statements as one transaction; no statements are a no-op. A transaction aborted by a deadlock has changed nothing and is
 * retried.
 */
export async function runBatch(db: SystemDb | TenantDb, statements: readonly Statement[]): Promise<unknown[]> {
  const [first, ...rest] = statements;
  if (first === undefined) return [];
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.sql.batch([first, ...rest]);
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !isDeadlock(error)) throw error;
    }
  }
}
