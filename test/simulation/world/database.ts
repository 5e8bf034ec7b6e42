import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PGlite, protocol } from '@electric-sql/pglite';
import { z } from 'zod';
import type { Host, WireReply, WireRequest } from './network.ts';

const MIGRATIONS = fileURLToPath(new URL('../../../migrations/', import.meta.url));

interface Query {
  readonly query: string;
  readonly params: readonly (string | number | boolean | null)[];
}

/** What the driver asks; it is no stranger. */
function bodyOf(body: string): Query | { readonly queries: readonly Query[] } {
  return JSON.parse(body) as Query | { readonly queries: readonly Query[] };
}

const journalSchema = z.object({ entries: z.array(z.object({ tag: z.string() })) });

/** What the invariants read; written by triggers, so that no change between two looks is missed. */
const AUDIT = `
  create schema simulation;
  create table simulation.history (
    step bigint generated always as identity primary key, source text not null, id text, is_new boolean not null, is_gone boolean not null,
    status_before text, status_after text, state_before text, state_after text, version_before integer, version_after integer,
    nonce_before bigint, nonce_after bigint, is_final_before boolean, is_final_after boolean,
    block_number_before bigint, block_number_after bigint, block_hash_before text, block_hash_after text);`;
const ORDERS = { id: 'id', columns: ['status'] } as const;
const AUDITED = {
  contracts: ORDERS,
  minting_orders: ORDERS,
  transfer_orders: ORDERS,
  ownership_transfers: ORDERS,
  transactions: { id: 'id', columns: ['state', 'version', 'nonce', 'is_final', 'block_number', 'block_hash'] },
  attempts: { id: 'transaction_id', columns: [] },
} as const;

/** A trigger that writes changes of a table down. */
function auditOf(table: string, { id, columns }: { readonly id: string; readonly columns: readonly string[] }): string {
  const record = (old: 'old' | null, next: 'new' | null) => {
    const before = columns.map((name) => (old === null ? 'null' : `old.${name}`));
    const after = columns.map((name) => (next === null ? 'null' : `new.${name}`));
    const names = columns.flatMap((name) => [`${name}_before`, `${name}_after`]);
    const values = before.flatMap((value, index) => [value, after[index]]);
    return `insert into simulation.history (${['source', 'id', 'is_new', 'is_gone', ...names].join(', ')})
      values (${[`'${table}'`, `${next ?? old}.${id}`, old === null, next === null, ...values].join(', ')});`;
  };
  return `
    create function simulation.record_${table}() returns trigger language plpgsql as $$ begin
      if tg_op = 'DELETE' then ${record('old', null)}
      elsif tg_op = 'INSERT' then ${record(null, 'new')}
      else ${record('old', 'new')}
      end if;
      return null;
    end $$;
    create trigger audit after insert or update or delete on ${table} for each row execute function simulation.record_${table}();`;
}

const { serialize } = protocol;
const DESCRIBE_PORTAL = serialize.describe({ type: 'P' });
const EXECUTE = serialize.execute({});
const SYNC = serialize.sync();

interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

/** A statement that the server knows, and what its rows have once it was described. */
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
 * PostgreSQL in this process, behind the Neon driver's protocol. It has one connection: each request is one
 * transaction, and none begins before the one before has ended.
 */
export class Database implements Host {
  readonly service = 'database';
  readonly #pglite: PGlite;
  readonly #tables: readonly string[];
  /** By text. */
  readonly #statements = new Map<string, Statement>();
  readonly #labels = new Map<string, string>();
  #names = 0;
  #changes = 0;
  #refused: string | undefined;
  /** How often a guard of a statement has failed, or a unique constraint. */
  #conflicts = 0;

  private constructor(pglite: PGlite, tables: readonly string[]) {
    this.#pglite = pglite;
    this.#tables = tables;
  }

  /** Starts one with the project's migrations applied; takes two seconds, so that simulations share it. */
  static async start(): Promise<Database> {
    const pglite = await PGlite.create();
    const { entries } = journalSchema.parse(JSON.parse(readFileSync(`${MIGRATIONS}meta/_journal.json`, 'utf8')));
    for (const { tag } of entries) await pglite.exec(readFileSync(`${MIGRATIONS}${tag}.sql`, 'utf8'));
    await pglite.exec(AUDIT);
    // A plan must not depend on how often a statement was asked before; the truncation that a simulation begins with discards all plans.
    await pglite.exec('set plan_cache_mode = force_generic_plan');
    const { rows } = await pglite.query<{ name: string }>(
      `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
    );
    const tables = rows.map(({ name }) => name);
    for (const [table, audited] of Object.entries(AUDITED)) await pglite.exec(auditOf(table, audited));
    return new Database(pglite, tables);
  }

  /** Makes it as it was when it started. */
  clear(): void {
    this.acceptAll();
    this.query(`truncate ${this.#tables.join(', ')}, simulation.history restart identity cascade`);
  }

  stop(): Promise<void> {
    return this.#pglite.close();
  }

  /**
   * Runs a statement for the simulation itself.
   * @returns rows by column name, every value as PostgreSQL's text.
   */
  query(text: string, params: readonly (string | number | boolean | null)[] = []): Record<string, string | null>[] {
    const { fields, rows } = this.#runOne({ query: text, params: [...params] });
    const names = fields.map((field) => field.name);
    return rows.map((row) => Object.fromEntries(row.map((value, index) => [names[index], value])));
  }

  /** Refuses every request that writes and names this id. */
  refuse(id: string): void {
    this.#refused = id;
  }

  acceptAll(): void {
    this.#refused = undefined;
  }

  #isWriteOf(id: string, body: string): boolean {
    return body.includes(id) && /\b(insert|update|delete)\b/i.test(body);
  }

  label({ body }: WireRequest): string {
    const asked = bodyOf(body);
    const queries = 'queries' in asked ? asked.queries : [asked];
    return queries.map(({ query }) => this.#labelOf(query)).join('; ');
  }

  #labelOf(query: string): string {
    const label = this.#labels.get(query) ?? nameOf(query);
    this.#labels.set(query, label);
    return label;
  }

  /** Rises whenever the product may have changed something. */
  get changes(): number {
    return this.#changes;
  }

  /** Rises whenever a statement fails because another driver was faster. */
  get conflicts(): number {
    return this.#conflicts;
  }

  answer({ body, headers }: WireRequest): WireReply {
    if (/\b(insert|update|delete)\b/i.test(body)) this.#changes += 1;
    try {
      if (this.#refused !== undefined && this.#isWriteOf(this.#refused, body)) throw new ServerError(UNWRITABLE);
      const parsed = bodyOf(body);
      const result =
        'queries' in parsed
          ? { results: this.#run(parsed.queries).map((one) => ({ ...one, rowAsArray: true })) }
          : { ...this.#runOne(parsed), rowAsArray: true };
      if (headers['neon-array-mode'] !== 'true') throw new Error('The driver asks for rows as arrays');
      return { status: 200, body: JSON.stringify(result) };
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      const { code, constraint = '' } = error.fields;
      if (code === GUARD || CONSTRAINTS.has(constraint)) this.#conflicts += 1;
      return { status: 400, body: JSON.stringify(error.fields) };
    }
  }

  #runOne(query: Query): QueryResult {
    const [result] = this.#run([query]);
    if (result === undefined) throw new Error(`The server said nothing of ${query.query}`);
    return result;
  }

  /**
   * Statements of the extended protocol with one Sync at their end, which makes them one transaction; parameters and results are text, as the
   * hosted endpoint has them. A statement is parsed and described once: a simulation asks the same few over and over.
   */
  #run(queries: readonly Query[]): QueryResult[] {
    const asked = queries.map(({ query, params }) => {
      const known = this.#statements.get(query);
      if (known === undefined) this.#names += 1;
      const statement: Statement = known ?? { name: `s${this.#names}`, fields: undefined };
      this.#statements.set(query, statement);
      const values = params.map((value) => (value === null ? null : String(value)));
      return { query, statement, isNew: known === undefined, values };
    });
    const request = asked.flatMap(({ query, statement: { name, fields }, isNew, values }) => [
      ...(isNew ? [serialize.parse({ name, text: query })] : []),
      serialize.bind({ statement: name, values }),
      ...(fields === undefined ? [DESCRIBE_PORTAL] : []),
      EXECUTE,
    ]);
    const results: QueryResult[] = [];
    let rows: (string | null)[][] = [];
    try {
      for (const { type, body } of messagesOf(this.#pglite.execProtocolRawSync(Buffer.concat([...request, SYNC])))) {
        const current = asked[results.length]?.statement;
        if (type === 'D') rows.push(rowOf(body));
        else if (type === 'E') throw errorOf(body);
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
      // Those from the failed one on may not have been parsed.
      for (const { query, isNew } of asked.slice(results.length)) if (isNew) this.#statements.delete(query);
      throw error;
    }
    return results;
  }
}

function* messagesOf(reply: Uint8Array): Generator<{ readonly type: string; readonly body: Buffer }> {
  const bytes = Buffer.from(reply.buffer, reply.byteOffset, reply.byteLength);
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

/** What the server says of a statement that it refuses. */
class ServerError extends Error {
  readonly fields: Readonly<Record<string, string>>;

  constructor(fields: Readonly<Record<string, string>>) {
    super(fields['message']);
    this.fields = fields;
  }
}

/** Division by zero, as guards do it. */
const GUARD = '22012';
/** What only one driver can have. */
const CONSTRAINTS: ReadonlySet<string> = new Set(['transactions_nonce', 'attempts_transaction_id_number_pk']);
const UNWRITABLE = {
  severity: 'ERROR',
  code: '23514',
  message: 'new row violates check constraint',
  constraint: 'unwritable',
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

/** Verb and table of a statement: enough to follow a trace. */
function nameOf(query: string): string {
  const [, verb = '?', , table = ''] =
    /^\s*(?:with[\s\S]*?\)\s*)?(insert|update|delete|select)\b([\s\S]*?(?:into|update|from)?\s*"(\w+)")?/i.exec(
      query,
    ) ?? [];
  return `${verb.toLowerCase()} ${table}`.trim();
}
