import { fileURLToPath } from 'node:url';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import type { Hex } from 'viem';
import type { Host, WireReply, WireRequest } from './network.ts';
import { ServerError, isolationOf, type Query, type QueryResult, type Ran, type Server } from './server.ts';

const MIGRATIONS = fileURLToPath(new URL('../../../migrations', import.meta.url));

type Body = Query | { readonly queries: readonly Query[] };

const TRANSACTIONS = ['state', 'version', 'nonce', 'bundle_id', 'is_final', 'block_number', 'block_hash'] as const;
/** The columns whose changes the invariants check, and those that say what has changed. */
const AUDITED: Readonly<Record<string, { readonly columns: readonly string[]; readonly about: readonly string[] }>> = {
  contracts: { columns: ['status'], about: ['id'] },
  orders: { columns: TRANSACTIONS, about: ['id', 'kind', 'corporate_account_id'] },
  attempts: { columns: ['purpose', 'number'], about: ['transaction_id'] },
};

/** A change of a row of an audited table, in the text format of {@link Database.query}. */
export interface Change {
  readonly source: string;
  readonly id: string | null;
  readonly isNew: boolean;
  readonly isGone: boolean;
  /** Of a transaction. */
  readonly kind: string | null;
  /** Of a transaction. */
  readonly accountId: string | null;
  /** The isolate, or the instance of an object, that made the change; undefined: the simulation. */
  readonly caller: string | undefined;
  /** The epoch that the database then had. */
  readonly epoch: string;
  /** Columns before and after the change; without those of a row that is not there. */
  readonly before: Readonly<Record<string, string | null>>;
  readonly after: Readonly<Record<string, string | null>>;
}

/** The condition that a backup lacks a row. */
function isLost(table: string, row: string, key = 'id'): string {
  return `not exists (select from simulation.backup_${table} b where b.${key} = ${row}.${key})`;
}

/** What a database lacks that was set back. */
export interface Lost {
  /** The ids of orders that were accepted since. */
  readonly orders: ReadonlySet<string>;
  /** What those were about: contracts, and their tokens. */
  readonly contracts: ReadonlySet<string>;
  readonly tokens: ReadonlySet<string>;
  readonly attempts: readonly LostAttempt[];
}

interface LostAttempt {
  readonly hash: Hex;
  readonly raw: string;
  readonly transactionId: string;
  readonly purpose: string;
  /** Whether the database still has the order, or one of those in the bundle. */
  readonly isOfKept: boolean;
  /** Whether the database has seen the chain for the lane that signed it. */
  readonly isOfObserved: boolean;
}

function listOf(row: 'old' | 'new', columns: readonly string[]): string {
  return `json_build_array(${columns.map((name) => `${row}.${name}::text`).join(', ')})`;
}

/**
 * A trigger that reports the changes of a table with the reply to the statement, so that no change between two checks
 * is missed.
 */
function auditOf(table: string): string {
  const { columns, about } = AUDITED[table] ?? { columns: [], about: [] };
  const report = (whose: 'old' | 'new', old: 'old' | null, next: 'new' | null) => {
    const lists = [old, next].map((row) => (row === null ? 'null' : listOf(row, columns)));
    return `raise info '%', json_build_array('${table}', ${listOf(whose, about)}, ${lists.join(', ')});`;
  };
  return `
    create function simulation.report_${table}() returns trigger language plpgsql as $$ begin
      if tg_op = 'DELETE' then ${report('old', 'old', null)}
      elsif tg_op = 'INSERT' then ${report('new', null, 'new')}
      else ${report('new', 'old', 'new')}
      end if;
      return null;
    end $$;
    create trigger audit after insert or update or delete on ${table} for each row execute function simulation.report_${table}();`;
}

type Values = readonly (string | null)[];

type Reported = Omit<Change, 'caller' | 'epoch'>;

/** Parses what a trigger of {@link auditOf} reports. */
function changeOf(report: string): Reported {
  const [source, about, before, after] = JSON.parse(report) as [string, Values, Values | null, Values | null];
  const [id = null, kind = null, accountId = null] = about;
  const named = (values: Values | null) =>
    Object.fromEntries((values ?? []).map((value, index) => [AUDITED[source]?.columns[index], value]));
  return {
    source,
    id,
    isNew: before === null,
    isGone: after === null,
    kind,
    accountId,
    before: named(before),
    after: named(after),
  };
}

/**
 * Makes all tables unlogged, those that others refer to last. Once more, the log of a database that never starts again
 * is of no use, and it is copied whenever it grows.
 */
const WITHOUT_LOG = `do $$ declare name text; begin
    loop
      select c.relname into name from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = 'public' and c.relkind = 'r' and c.relpersistence = 'p' and not exists (
          select from pg_constraint f join pg_class other on other.oid = f.conrelid
            where f.contype = 'f' and f.confrelid = c.oid and other.oid <> c.oid and other.relpersistence = 'p')
        order by 1 limit 1;
      exit when name is null;
      execute format('alter table public.%I set unlogged', name);
    end loop;
  end $$`;

/** PostgreSQL behind the Neon driver's protocol. */
export class Database implements Host {
  readonly service = 'database';
  readonly #server: Server;
  readonly #tables: readonly string[];
  /** Those of each table that are not generated, as a list. */
  readonly #columns: readonly (readonly [table: string, columns: string])[];
  readonly #labels = new Map<string, string>();
  /** The body that was parsed last. */
  #parsed: { readonly body: string; readonly value: Body } | undefined;
  #changes = 0;
  #history: Change[] = [];
  #rejected: string | undefined;
  #conflicts = 0;
  /** By SQLSTATE, how many requests of the product the server has refused. */
  readonly #refusals = new Map<string, number>();
  #epoch = '';
  #epochOfBackup = '';

  private constructor(server: Server, columns: readonly (readonly [table: string, columns: string])[]) {
    this.#server = server;
    this.#columns = columns;
    this.#tables = columns.map(([table]) => table);
  }

  /** Starts a database with the project's migrations applied. It takes two seconds, so simulations share one. */
  static async start(server: Server): Promise<Database> {
    // One by one: an index is built concurrently only outside of a transaction.
    const statements = readMigrationFiles({ migrationsFolder: MIGRATIONS }).flatMap((migration) => migration.sql);
    for (const statement of statements) await server.execute(statement);
    await server.execute('create schema simulation');
    const query = `select table_name as name, string_agg(quote_ident(column_name), ', ' order by ordinal_position) as columns
       from information_schema.columns where table_schema = 'public' and is_generated = 'NEVER'
         and table_name in (select tablename from pg_tables where schemaname = 'public') group by 1 order by 1`;
    const [result] = server.run([{ query, params: [] }]).results;
    const columns = result?.rows.map(([table, names]) => [String(table), String(names)] as const);
    for (const table of Object.keys(AUDITED)) await server.execute(auditOf(table));
    await server.execute(WITHOUT_LOG);
    return new Database(server, columns ?? []);
  }

  /** Restores the initial state. */
  clear(): void {
    this.acceptAll();
    this.#replace([`truncate ${this.#tables.join(', ')} restart identity cascade`]);
    this.#history = [];
    this.#refusals.clear();
    this.#epoch = '';
  }

  /** Keeps what the tables have now. */
  backUp(): void {
    for (const [table, columns] of this.#columns) {
      const of = `simulation.backup_${table}`;
      this.query(`create unlogged table if not exists ${of} as select ${columns} from ${table} limit 0`);
    }
    const all = this.#columns.map(([table, columns]) => [`simulation.backup_${table}`, columns, table] as const);
    this.#replace([
      `truncate ${all.map(([of]) => of).join(', ')}`,
      ...all.map(([of, columns, table]) => `insert into ${of} select ${columns} from ${table}`),
    ]);
    this.#epochOfBackup = this.#epoch;
  }

  /** Sets all tables back where they are to what was kept. @returns what they lack since. */
  setBack(): Lost {
    const lost = this.#lost();
    this.#replace([
      `truncate ${this.#tables.join(', ')} cascade`,
      ...this.#columns.map(
        ([table, columns]) => `insert into ${table} (${columns}) select ${columns} from simulation.backup_${table}`,
      ),
    ]);
    this.#epoch = this.#epochOfBackup;
    this.#changes += 1;
    return lost;
  }

  #lost(): Lost {
    const orders = this.query(
      `select order_id as id, contract_address as contract, token_id as token from orders o
         where kind <> 'bundle' and ${isLost('orders', 'o')}
       union all select id, contract_address, null from contracts o where ${isLost('contracts', 'o')}`,
    );
    const attempts = this.query(
      `select a.hash, a.raw, a.transaction_id, a.purpose, exists (
         select from orders t where a.transaction_id in (t.id, t.bundle_id) and t.kind <> 'bundle' and not ${isLost('orders', 't')}
       ) as is_of_kept, exists (
         select from simulation.backup_lanes l join orders o on o.id = a.transaction_id
         where l.chain_id = o.chain_id and l.wallet_address = o.wallet_address and l.observations <> '[]'
       ) as is_of_observed from attempts a where ${isLost('attempts', 'a', 'hash')}`,
    );
    return {
      orders: new Set(orders.map(({ id }) => String(id))),
      contracts: new Set(orders.map(({ contract }) => String(contract))),
      tokens: new Set(orders.map(({ contract, token }) => `${contract} ${token}`)),
      attempts: attempts.map((row) => ({
        hash: row['hash'] as Hex,
        raw: String(row['raw']),
        transactionId: String(row['transaction_id']),
        purpose: String(row['purpose']),
        isOfKept: row['is_of_kept'] === 't',
        isOfObserved: row['is_of_observed'] === 't',
      })),
    };
  }

  /** Gives the database another epoch. */
  raiseFence(epoch: string): void {
    this.query(
      `insert into fence (epoch, raised_at) values ($1, now()) on conflict (is_only) do update set epoch = excluded.epoch`,
      [epoch],
    );
    this.#epoch = epoch;
  }

  stop(): Promise<void> {
    return this.#server.stop();
  }

  /**
   * Runs a statement for the simulation itself.
   * @returns rows by column name, with every value in PostgreSQL's text format.
   */
  query(text: string, params: readonly (string | number | boolean | null)[] = []): Record<string, string | null>[] {
    const [result] = this.#run([{ query: text, params }]).results;
    if (result === undefined) throw new Error(`There is no result of ${text}`);
    const names = result.fields.map((field) => field.name);
    return result.rows.map((row) => Object.fromEntries(row.map((value, index) => [names[index], value])));
  }

  /** Rejects every request that writes and names this id. */
  rejectWritesOf(id: string): void {
    this.#rejected = id;
  }

  acceptAll(): void {
    this.#rejected = undefined;
  }

  #isWriteOf(id: string, body: string): boolean {
    return body.includes(id) && /\b(insert|update|delete)\b/i.test(body);
  }

  label({ body }: WireRequest): string {
    const parsed = this.#bodyOf(body);
    const queries = 'queries' in parsed ? parsed.queries : [parsed];
    return queries.map(({ query }) => this.#labelOf(query)).join('; ');
  }

  /**
   * Parses the body of a request of the product's own database driver; once for its label and its answer, as most are
   * answered next.
   */
  #bodyOf(body: string): Body {
    if (this.#parsed?.body !== body) this.#parsed = { body, value: JSON.parse(body) as Body };
    return this.#parsed.value;
  }

  #labelOf(query: string): string {
    const label = this.#labels.get(query) ?? nameOf(query);
    this.#labels.set(query, label);
    return label;
  }

  /** What has changed in the audited tables since the last call, in order. */
  takeHistory(): readonly Change[] {
    const history = this.#history;
    this.#history = [];
    return history;
  }

  /** Incremented by each request of the product that has changed something, as far as its rows tell. */
  get changes(): number {
    return this.#changes;
  }

  /** How many requests have failed by a guard or a unique constraint, because another driver was faster. */
  get conflicts(): number {
    return this.#conflicts;
  }

  /** How many requests of the product have failed with an SQLSTATE. */
  refusals(code: '40001' | '40P01'): number {
    return this.#refusals.get(code) ?? 0;
  }

  get lastsMs(): number | undefined {
    return this.#server.lastsMs;
  }

  answer(request: WireRequest): Promise<WireReply> {
    const { body, headers } = request;
    if (headers['neon-array-mode'] !== 'true') throw new Error('The driver must request rows as arrays');
    const parsed = this.#bodyOf(body);
    const queries = 'queries' in parsed ? parsed.queries : [parsed];
    return new Promise((resolve) => {
      // At once, since the order in which transactions end is that of what they have changed.
      const done = (outcome: Ran | ServerError) => resolve(this.#replyTo(request, queries, outcome));
      if (this.#rejected !== undefined && this.#isWriteOf(this.#rejected, body)) done(new ServerError(REJECTED_WRITE));
      else this.#server.serve(queries, isolationOf(request), done);
    });
  }

  #replyTo({ body, headers }: WireRequest, queries: readonly Query[], outcome: Ran | ServerError): WireReply {
    if (outcome instanceof ServerError) {
      const { code = '', constraint = '' } = outcome.fields;
      this.#refusals.set(code, 1 + (this.#refusals.get(code) ?? 0));
      if (CONFLICTS.has(constraint)) this.#conflicts += 1;
      return { status: 400, body: JSON.stringify(outcome.fields) };
    }
    const caller = /[?&]application_name=([\w-]+)/.exec(headers['neon-connection-string'] ?? '')?.[1];
    this.#record(outcome, caller);
    const results = outcome.results.map((one) => ({ ...one, rowAsArray: true }));
    if (results.some((one, index) => hasChanged(one, queries[index]?.query ?? ''))) this.#changes += 1;
    return { status: 200, body: JSON.stringify('queries' in this.#bodyOf(body) ? { results } : results[0]) };
  }

  #record({ reports }: Ran, caller?: string): void {
    this.#history.push(...reports.map((report) => ({ ...changeOf(report), caller, epoch: this.#epoch })));
  }

  #run(queries: readonly Query[], isAlone = false): Ran {
    const ran = this.#server.run(queries, isAlone);
    this.#record(ran);
    return ran;
  }

  /** Runs statements as a replica, since the audit log rejects this otherwise, and nobody is to be told. */
  #replace(statements: readonly string[]): void {
    const own = ['set session_replication_role = replica', ...statements, 'set session_replication_role = origin'];
    this.#run(
      own.map((query) => ({ query, params: [] })),
      true,
    );
  }
}

/** Whether a statement writes and has affected or returned a row. */
function hasChanged({ rowCount }: QueryResult, query: string): boolean {
  return rowCount !== 0 && /\b(insert|update|delete)\b/i.test(query);
}

/** The unique constraints, and the name of the abort, by which a driver notices that another one was faster. */
const CONFLICTS: ReadonlySet<string> = new Set([
  'transactions_changed',
  'orders_nonce',
  'attempts_transaction_id_number_pk',
]);
const REJECTED_WRITE = {
  severity: 'ERROR',
  code: '23514',
  message: 'new row violates check constraint',
  constraint: 'simulation',
};

/**
 * The statement's tag, or else its verb and table: for the trace, and for the invariant that counts how often a call is
 * repeated.
 */
function nameOf(query: string): string {
  const [, tag] = /^\s*\/\* ([\w-]+) \*\//.exec(query) ?? [];
  if (tag !== undefined) return tag;
  const [, verb = '?', , table = ''] =
    /^\s*(?:with[\s\S]*?\)\s*)?(insert|update|delete|select)\b([\s\S]*?(?:into|update|from)?\s*"(\w+)")?/i.exec(
      query,
    ) ?? [];
  return `${verb.toLowerCase()} ${table}`.trim();
}
