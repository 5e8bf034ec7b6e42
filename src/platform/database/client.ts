import { neon, neonConfig, type NeonQueryFunction } from '@neondatabase/serverless';
import { sql, type SQL } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { drizzle, type NeonHttpDatabase } from 'drizzle-orm/neon-http';
import type { RunnableQuery } from 'drizzle-orm/runnable-query';
import { z } from 'zod';
import { sendRequest } from '../../core/send-request.ts';
import type { Trace } from '../../core/trace.ts';
import type { auditLog } from './schema.ts';

/** Drizzle over Neon's HTTP driver: a statement, or a batch ({@link runBatch}), is one round trip. */
export type Database = NeonHttpDatabase & { readonly $client: NeonQueryFunction<false, false> };

/** One statement of a batch. */
export type Statement<Result = unknown> = RunnableQuery<Result, 'pg'>;

/** One statement, of a batch or alone, that returns rows of this type. */
export type Rows<Row> = Statement<Row[]> & PromiseLike<Row[]>;

/** The statements of a batch by name, in the order in which they run. What is undefined is left out. */
export type Statements = { readonly [name: string]: BatchPart };

/** What has one name in a batch: a statement, or several. */
type BatchPart = Statement | Statements | readonly BatchPart[] | undefined;

/** The results of statements, in the same shape. */
export type ResultsOf<All> = { readonly [Name in keyof All]: ResultOf<All[Name]> };

type ResultOf<Part> = BatchPart extends Part
  ? unknown
  : Part extends Statement<infer Result>
    ? Result
    : Part extends undefined
      ? undefined
      : ResultsOf<Part>;

/** A column of a table. */
export type Column = PgColumn;

/** A part of a statement. */
export type Fragment = SQL;

/** A boolean SQL expression. */
export type Condition = SQL;

/**
 * The database across all accounts, for consumers and cron only. Requests get a {@link TenantDb}; the parameter type of
 * a store function decides which of the two it accepts.
 */
export interface SystemDb {
  readonly scope: 'system';
  /** In a request of an admin that changes something. */
  readonly asked?: AskedChange | undefined;
  /** Of a driver: the epoch that the database must still have when one of its transactions commits. */
  readonly epoch?: string | undefined;
  readonly sql: Database;
}

/** The database scoped to one account: every statement that takes it filters by `accountId`. */
export interface TenantDb {
  readonly scope: 'tenant';
  readonly accountId: string;
  /** The chains whose records the caller may see; undefined: all. */
  readonly chainIds: readonly string[] | undefined;
  /** In a request that changes something. */
  readonly asked?: AskedChange | undefined;
  readonly sql: Database;
}

export function connectDatabase(settings: {
  readonly DATABASE_URL: string;
  readonly NEON_FETCH_ENDPOINT?: string | undefined;
}): SystemDb {
  const { NEON_FETCH_ENDPOINT: endpoint } = settings;
  if (endpoint !== undefined) neonConfig.fetchEndpoint = endpoint;
  neonConfig.fetchFunction = fetchWithTimeout;
  // Whatever the database's default: what waits for a lock in a transaction, as for the fence, reads what was committed
  // meanwhile. A statement by itself takes no lock before it reads.
  return { scope: 'system', sql: drizzle(neon(settings.DATABASE_URL, { isolationLevel: 'ReadCommitted' })) };
}

/** Longer than any statement takes. Without a timeout a lost connection would block its caller forever. */
const TIMEOUT_MS = 20_000;

/**
 * The database across all accounts, for the engine's work on one order of this account: the statements of its kind name
 * the order, not the account.
 */
export function systemOf(db: TenantDb): SystemDb {
  return { scope: 'system', sql: db.sql };
}

/**
 * The reasons for which PostgreSQL refuses a request that pass, by SQLSTATE: nothing of it was carried out. Each with
 * how often it is made at most, and the milliseconds before the second time, about which double for each further one,
 * so that those that wait do not come back together.
 */
const PASSING = new Map([
  // A deadlock: the other transaction goes on.
  ['40P01', { tries: 5, wait: 0 }],
  // Too many connections, and a server that is starting, as Neon's does after an idle time: up to some ten seconds.
  ['53300', { tries: 8, wait: 100 }],
  ['57P03', { tries: 8, wait: 100 }],
]);
/**
 * What Neon's proxy says, without a code, while it has no connection to the server, with the code of the same from
 * PostgreSQL (`HttpConnError` of neondatabase/neon). No statement has run.
 */
const NOT_REACHED: Readonly<Record<string, string>> = {
  "Couldn't connect to compute node": '57P03',
  'Control plane request failed': '57P03',
  'Failed to acquire permit to connect to the database. Too many database connection attempts are currently ongoing.':
    '53300',
};

async function fetchWithTimeout(url: string, init: RequestInit): Promise<Response> {
  for (let tried = 1; ; tried += 1) {
    const response = await sendRequest(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (response.ok) return response;
    const text = await response.text();
    const refused = parseDatabaseError(text);
    const passing = PASSING.get(refused.code);
    if (passing === undefined) return new Response(text, response);
    // The driver reads the code of a reply with this status only.
    if (tried >= passing.tries) return Response.json(refused, { status: 400 });
    if (passing.wait > 0) await scheduler.wait(passing.wait * 2 ** (tried - 1) * (0.5 + Math.random()));
  }
}

const refusal = z.looseObject({ code: z.string().nullish(), message: z.string() });

/**
 * The fields of an error, the SQLSTATE among them; an empty one if it has none.
 * @param reply The body of a response that is not 200.
 */
function parseDatabaseError(reply: string): { readonly code: string; readonly message: string } {
  try {
    const fields = refusal.parse(JSON.parse(reply));
    return { ...fields, code: NOT_REACHED[fields.message] ?? fields.code ?? '' };
  } catch {
    return { code: '', message: '' };
  }
}

/** Scopes the database to one account, and to the chains that its caller may see. */
export function tenantOf(
  { sql: database }: Pick<SystemDb, 'sql'>,
  accountId: string,
  { chainIds, asked }: Partial<Pick<TenantDb, 'chainIds' | 'asked'>> = {},
): TenantDb {
  return { scope: 'tenant', accountId, chainIds, asked, sql: database };
}

/**
 * Runs statements as one transaction, in one round trip; no statements are a no-op.
 * @throws an error for which `isAborted(error, 'fenced_off')` holds if the database no longer has the epoch of `db`.
 */
export async function runBatch<All extends Statements>(
  db: SystemDb | TenantDb,
  statements: All,
): Promise<ResultsOf<All>> {
  const requirement = requireEpoch(db);
  const own = statementsOf(statements);
  const [first, ...rest] =
    requirement === undefined || own.length === 0 ? own : [db.sql.execute(sql`select ${requirement}`), ...own];
  // oxlint-disable-next-line eslint/no-restricted-properties -- all others run through this one
  const results: unknown[] = first === undefined ? [] : await db.sql.batch([first, ...rest]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each is the result of the statement in its place
  return shapeAs(statements, results.slice(-own.length).values()) as ResultsOf<All>;
}

function isStatement(part: BatchPart): part is Statement {
  return part !== undefined && 'getSQL' in part;
}

function statementsOf(part: BatchPart): readonly Statement[] {
  if (part === undefined) return [];
  return isStatement(part) ? [part] : Object.values(part).flatMap(statementsOf);
}

/** Gives results the names of their statements. */
function shapeAs(part: BatchPart, results: Iterator<unknown>): unknown {
  if (part === undefined) return undefined;
  if (isStatement(part)) return results.next().value;
  if (Array.isArray(part)) return part.map((one) => shapeAs(one, results));
  return Object.fromEntries(Object.entries(part).map(([name, one]) => [name, shapeAs(one, results)]));
}

/** Runs a statement as a transaction, as {@link runBatch} does. @param statementWith Given what it must select. */
export async function runStatement(db: SystemDb, statementWith: (requirement: SQL) => SQL): Promise<unknown> {
  const statement = db.sql.execute(statementWith(requireEpoch(db) ?? sql`true`));
  const { result } = await runBatch({ ...db, epoch: undefined }, { result: statement });
  return result;
}

/**
 * An expression that aborts the transaction if the database has another epoch than `db`, and keeps it from getting one
 * before the transaction ends; undefined if `db` has none.
 */
function requireEpoch(db: SystemDb | TenantDb): SQL | undefined {
  return db.scope === 'tenant' || db.epoch === undefined ? undefined : sql`require_epoch(${db.epoch})`;
}

/** A table that has these columns, whatever else it has. */
export type TableWith<Name extends string> = PgTable & Readonly<Record<Name, Column>>;

/** A change that was asked for over HTTP, which gets one row in the audit log. */
export interface AskedChange {
  /** What is known of it so far. */
  readonly row: () => AskedRow;
  /** The trace of the request: that of what it orders. */
  readonly trace: Trace;
  /** The status of the reply when the change is made. */
  readonly successStatus: number;
  /** Whether its row is stored. */
  isRecorded: boolean;
  /** How a change claims the Idempotency-Key; undefined without one, and once a change has claimed it. */
  claim?: KeyClaim | undefined;
}

/** The claim of an Idempotency-Key by a change. */
export interface KeyClaim {
  readonly statement: Statement;
  /** Gives it back, as a part of a statement. @param condition When. */
  readonly release: (condition: SQL) => SQL;
}

/** Its row, without the result. */
type AskedRow = Omit<typeof auditLog.$inferSelect, 'resourceIds' | 'statusCode' | 'isChange'> & {
  /** The account, by its corporateId, unless `corporateAccountId` has its id. */
  readonly corporateId: string | null;
  /** The record or the chain in the path. */
  readonly resourceId: string | null;
};
