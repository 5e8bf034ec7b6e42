import { fileURLToPath } from 'node:url';
import { PGlite, protocol } from '@electric-sql/pglite';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { ORDER_TABLES } from '../order-tables.ts';
import type { Host, WireReply, WireRequest } from './network.ts';

const MIGRATIONS = fileURLToPath(new URL('../../../migrations', import.meta.url));

interface Query {
  readonly query: string;
  readonly params: readonly (string | number | boolean | null)[];
}

type Body = Query | { readonly queries: readonly Query[] };

const ORDERS = ['status'] as const;
const TRANSACTIONS = ['state', 'version', 'nonce', 'bundle_id', 'is_final', 'block_number', 'block_hash'] as const;
/** The columns whose changes the invariants check, and those that say what has changed. */
const AUDITED: Readonly<Record<string, { readonly columns: readonly string[]; readonly about: readonly string[] }>> = {
  ...Object.fromEntries(ORDER_TABLES.map((table) => [table, { columns: ORDERS, about: ['id'] }] as const)),
  transactions: { columns: TRANSACTIONS, about: ['id', 'kind', 'corporate_account_id'] },
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

/** The tables whose rows a database that is set back lacks, or has as they were. */
const LACKED = ['transactions', 'attempts', 'minting_orders'] as const;

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

const { serialize } = protocol;
const DESCRIBE_PORTAL = serialize.describe({ type: 'P' });
const EXECUTE = serialize.execute({});
const SYNC = serialize.sync();

/** The message that binds parameters in text format to a statement, with all results in text format. */
function bindOf(statement: string, values: readonly (string | null)[]): Buffer {
  const lengths = values.map((value) => (value === null ? -1 : Buffer.byteLength(value)));
  const head = `\0${statement}\0`;
  const size = lengths.reduce((sum, length) => sum + 4 + Math.max(0, length), 4 + head.length + 2 + 2 + 2);
  const message = Buffer.allocUnsafe(1 + size);
  message.write('B', 0);
  message.writeInt32BE(size, 1);
  let at = 5 + message.write(head, 5);
  at = message.writeInt16BE(0, at);
  at = message.writeInt16BE(values.length, at);
  for (const [index, value] of values.entries()) {
    at = message.writeInt32BE(lengths[index] ?? -1, at);
    if (value !== null) at += message.write(value, at);
  }
  message.writeInt16BE(0, at);
  return message;
}

interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

/** A prepared statement; its fields are known once it has been described. */
interface Statement {
  readonly name: string;
  fields: readonly Field[] | undefined;
}

interface QueryResult {
  readonly command: string;
  readonly rowCount: number | null;
  readonly fields: readonly Field[];
  readonly rows: readonly (readonly (string | null)[])[];
}

/**
 * PostgreSQL in this process, behind the Neon driver's protocol. It has one connection, so requests run as transactions
 * one after another.
 */
export class Database implements Host {
  readonly service = 'database';
  readonly #pglite: PGlite;
  readonly #tables: readonly string[];
  /** Prepared statements by text. */
  readonly #statements = new Map<string, Statement>();
  readonly #labels = new Map<string, string>();
  /** The body that was parsed last. */
  #parsed: { readonly body: string; readonly value: Body } | undefined;
  #statementCount = 0;
  #changes = 0;
  #history: Change[] = [];
  #rejected: string | undefined;
  #conflicts = 0;
  #epoch = '';

  private constructor(pglite: PGlite, tables: readonly string[]) {
    this.#pglite = pglite;
    this.#tables = tables;
  }

  /** Starts a database with the project's migrations applied. It takes two seconds, so simulations share one. */
  static async start(): Promise<Database> {
    const pglite = await PGlite.create();
    // One by one: an index is built concurrently only outside of a transaction.
    const statements = readMigrationFiles({ migrationsFolder: MIGRATIONS }).flatMap((migration) => migration.sql);
    for (const statement of statements) await pglite.exec(statement);
    await pglite.exec('create schema simulation');
    // A plan must not depend on how often a statement has run. The truncation at the start of a simulation discards all
    // plans.
    await pglite.exec('set plan_cache_mode = force_generic_plan');
    // Nothing reads the log of a database that never starts again, or counts what it does.
    await pglite.exec('set synchronous_commit = off; set track_counts = off; set track_activities = off');
    const { rows } = await pglite.query<{ name: string }>(
      `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
    );
    const tables = rows.map(({ name }) => name);
    for (const table of Object.keys(AUDITED)) await pglite.exec(auditOf(table));
    for (const table of LACKED) await pglite.exec(`create table simulation.${table} (like ${table})`);
    await pglite.exec(WITHOUT_LOG);
    return new Database(pglite, tables);
  }

  /** Restores the initial state. As a replica, since the audit log rejects this otherwise. */
  clear(): void {
    this.acceptAll();
    this.#asReplica(() => {
      this.query(`truncate ${this.#tables.join(', ')} restart identity cascade`);
      for (const table of LACKED) this.query(`truncate simulation.${table}`);
    });
    this.#history = [];
    this.#epoch = '';
  }

  /** Gives the database another epoch. */
  raiseFence(epoch: string): void {
    this.#epoch = epoch;
    this.query(
      `insert into fence (epoch, raised_at) values ($1, now()) on conflict (is_only) do update set epoch = excluded.epoch`,
      [epoch],
    );
  }

  /** Sets back what the database says of a mint and its lane, to before it was first signed. */
  setBack(transactionId: string): void {
    this.#asReplica(() => {
      const id = [transactionId];
      this.query('insert into simulation.transactions select * from transactions where id = $1', id);
      this.query('insert into simulation.attempts select * from attempts where transaction_id = $1', id);
      this.query(
        `insert into simulation.minting_orders select o.* from minting_orders o join transactions t on t.order_id = o.id where t.id = $1`,
        id,
      );
      this.query(
        `update lanes l set signed_at = l.signed_at - interval '1 millisecond', floor = least(l.floor, t.nonce),
           observations = (select jsonb_agg(o) from jsonb_array_elements(l.observations) o where (o->>1)::bigint <= t.nonce)
         from transactions t where t.id = $1 and (l.chain_id, l.wallet_address) = (t.chain_id, t.wallet_address)`,
        id,
      );
      this.query('delete from attempts where transaction_id = $1', id);
      this.query(
        `update minting_orders o set status = 'PENDING', tx_hash = null, completed_at = null from transactions t
         where t.id = $1 and o.id = t.order_id`,
        id,
      );
      this.query(
        `update transactions set state = 'waiting', nonce = null, version = version + 100, tries = 0, next_try_at = created_at,
           tx_hash = null, block_number = null, block_hash = null, is_final = false, ended_at = null, batch_id = null
         where id = $1`,
        id,
      );
    });
  }

  /** Has the database say again all that {@link setBack} has taken. @param at When the two were compared. */
  bringBack(at: Date): void {
    this.#asReplica(() => {
      this.query(
        `update simulation.transactions s set version = t.version + 100, cancel_requested_at = t.cancel_requested_at
         from transactions t where t.id = s.id`,
      );
      this.query(
        `update lanes l set signed_at = $1::timestamptz from simulation.transactions t
         where (l.chain_id, l.wallet_address) = (t.chain_id, t.wallet_address)`,
        [at.toISOString()],
      );
      for (const table of ['transactions', 'minting_orders']) {
        this.query(`delete from ${table} where id in (select id from simulation.${table})`);
      }
      for (const table of LACKED) {
        this.query(`insert into ${table} select * from simulation.${table}`);
        this.query(`delete from simulation.${table}`);
      }
    });
  }

  /** Changes rows without triggers: neither those of the product nor those that report changes to the invariants. */
  #asReplica(change: () => void): void {
    this.query('set session_replication_role = replica');
    change();
    this.query('set session_replication_role = origin');
  }

  stop(): Promise<void> {
    return this.#pglite.close();
  }

  /**
   * Runs a statement for the simulation itself.
   * @returns rows by column name, with every value in PostgreSQL's text format.
   */
  query(text: string, params: readonly (string | number | boolean | null)[] = []): Record<string, string | null>[] {
    const { fields, rows } = this.#runOne({ query: text, params: [...params] });
    const names = fields.map((field) => field.name);
    return rows.map((row) => Object.fromEntries(row.map((value, index) => [names[index], value])));
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

  answer({ body, headers }: WireRequest): WireReply {
    try {
      if (this.#rejected !== undefined && this.#isWriteOf(this.#rejected, body)) throw new ServerError(REJECTED_WRITE);
      const parsed = this.#bodyOf(body);
      const queries = 'queries' in parsed ? parsed.queries : [parsed];
      const caller = /[?&]application_name=([\w-]+)/.exec(headers['neon-connection-string'] ?? '')?.[1];
      const results = this.#run(queries, caller).map((one) => ({ ...one, rowAsArray: true }));
      if (results.some((one, index) => hasChanged(one, queries[index]?.query ?? ''))) this.#changes += 1;
      const result = 'queries' in parsed ? { results } : results[0];
      if (headers['neon-array-mode'] !== 'true') throw new Error('The driver must request rows as arrays');
      return { status: 200, body: JSON.stringify(result) };
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      if (CONFLICTS.has(error.fields['constraint'] ?? '')) this.#conflicts += 1;
      return { status: 400, body: JSON.stringify(error.fields) };
    }
  }

  #runOne(query: Query): QueryResult {
    const [result] = this.#run([query]);
    if (result === undefined) throw new Error(`There is no result of ${query.query}`);
    return result;
  }

  /**
   * Runs statements with the extended protocol and one Sync at the end, which makes them one transaction; parameters
   * and results are text, like those of the hosted endpoint. Each statement is parsed and described once, because a
   * simulation repeats the same few.
   */
  #run(queries: readonly Query[], caller?: string): QueryResult[] {
    const entries = queries.map(({ query, params }) => {
      const known = this.#statements.get(query);
      if (known === undefined) this.#statementCount += 1;
      const statement: Statement = known ?? { name: `s${this.#statementCount}`, fields: undefined };
      this.#statements.set(query, statement);
      const values = params.map((value) => (value === null ? null : String(value)));
      return { query, statement, isNew: known === undefined, values };
    });
    const request = entries.flatMap(({ query, statement: { name, fields }, isNew, values }) => [
      ...(isNew ? [serialize.parse({ name, text: query })] : []),
      bindOf(name, values),
      ...(fields === undefined ? [DESCRIBE_PORTAL] : []),
      EXECUTE,
    ]);
    const results: QueryResult[] = [];
    const history: Reported[] = [];
    let rows: (string | null)[][] = [];
    try {
      for (const { type, body } of messagesOf(this.#send(Buffer.concat([...request, SYNC])))) {
        const current = entries[results.length]?.statement;
        if (type === 'D') rows.push(rowOf(body));
        else if (type === 'E') throw errorOf(body);
        else if (type === 'N') history.push(...reportOf(body));
        else if (type === 'T' && current !== undefined) current.fields = fieldsOf(body);
        else if (type === 'C') {
          const [command = '', ...counts] = body.toString('utf8', 0, body.length - 1).split(' ');
          const count = counts.at(-1);
          const fields = current?.fields ?? [];
          if (current !== undefined) current.fields = fields;
          results.push({ command, rowCount: count === undefined ? null : Number(count), fields, rows });
          rows = [];
        }
      }
    } catch (error) {
      // The failed statement and all after it may not have been parsed.
      for (const { query, isNew } of entries.slice(results.length)) if (isNew) this.#statements.delete(query);
      throw error;
    }
    this.#history.push(...history.map((change) => ({ ...change, caller, epoch: this.#epoch })));
    return results;
  }

  /**
   * Sends messages, and returns the reply. The method runs to its end at once; unlike the others it does not parse the
   * reply.
   */
  #send(messages: Uint8Array): Buffer {
    const parts: Buffer[] = [];
    const onRawData = (part: Uint8Array) => parts.push(Buffer.from(part));
    void this.#pglite.execProtocolRawStream(messages, { syncToFs: false, onRawData });
    return Buffer.concat(parts);
  }
}

/** Whether a statement writes and has affected or returned a row. */
function hasChanged({ rowCount }: QueryResult, query: string): boolean {
  return rowCount !== 0 && /\b(insert|update|delete)\b/i.test(query);
}

function* messagesOf(bytes: Buffer): Generator<{ readonly type: string; readonly body: Buffer }> {
  for (let start = 0; start < bytes.length;) {
    const end = start + 1 + bytes.readUInt32BE(start + 1);
    yield { type: String.fromCharCode(bytes[start] ?? 0), body: bytes.subarray(start + 5, end) };
    start = end;
  }
}

function rowOf(body: Buffer): (string | null)[] {
  let at = 2;
  return Array.from({ length: body.readUInt16BE(0) }, () => {
    const length = body.readInt32BE(at);
    at += 4 + Math.max(0, length);
    return length < 0 ? null : body.toString('utf8', at - length, at);
  });
}

function fieldsOf(body: Buffer): Field[] {
  let at = 2;
  return Array.from({ length: body.readUInt16BE(0) }, () => {
    const end = body.indexOf(0, at);
    const name = body.toString('utf8', at, end);
    at = end + 19;
    return { name, dataTypeID: body.readUInt32BE(end + 7) };
  });
}

/** The fields of an error as node-postgres names them. */
const ERROR_FIELDS: Readonly<Record<string, string>> = {
  S: 'severity',
  C: 'code',
  M: 'message',
  D: 'detail',
  H: 'hint',
  W: 'where',
  s: 'schema',
  t: 'table',
  c: 'column',
  d: 'dataType',
  n: 'constraint',
};

/** The server's error reply to a statement. */
class ServerError extends Error {
  readonly fields: Readonly<Record<string, string>>;

  constructor(fields: Readonly<Record<string, string>>) {
    super(fields['message']);
    this.fields = fields;
  }
}

/** The change that a notice reports, if it is from a trigger of {@link auditOf}. */
function reportOf(body: Buffer): Reported[] {
  const parts = body.toString().split('\0');
  const message = parts.find((part) => part.startsWith('M'));
  return parts.includes('SINFO') && message !== undefined ? [changeOf(message.slice(1))] : [];
}

/** The unique constraints, and the name of the abort, by which a driver notices that another one was faster. */
const CONFLICTS: ReadonlySet<string> = new Set([
  'transactions_changed',
  'transactions_nonce',
  'attempts_transaction_id_number_pk',
]);
const REJECTED_WRITE = {
  severity: 'ERROR',
  code: '23514',
  message: 'new row violates check constraint',
  constraint: 'simulation',
};

function errorOf(body: Buffer): ServerError {
  const parts = body.toString().split('\0');
  return new ServerError(
    Object.fromEntries(
      parts.flatMap((part) => {
        const name = ERROR_FIELDS[part.charAt(0)];
        return name === undefined ? [] : [[name, part.slice(1)]];
      }),
    ),
  );
}

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
