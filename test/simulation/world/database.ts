import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PGlite, messages, protocol } from '@electric-sql/pglite';
import { z } from 'zod';
import type { Host, WireReply, WireRequest } from './network.ts';

const MIGRATIONS = fileURLToPath(new URL('../../../migrations/', import.meta.url));

const querySchema = z.object({
  query: z.string(),
  params: z.array(z.union([z.string(), z.number(), z.boolean(), z.null()])).default([]),
});
const bodySchema = z.union([z.object({ queries: z.array(querySchema) }), querySchema]);
type Query = z.output<typeof querySchema>;
const journalSchema = z.object({ entries: z.array(z.object({ tag: z.string() })) });

/** The audit table that the invariants read; written by triggers, so that no change between two checks is missed. */
const AUDIT = `
  create schema simulation;
  create table simulation.history (
    step bigint generated always as identity primary key,
    source text not null, id text, before jsonb, after jsonb);
  create function simulation.record() returns trigger language plpgsql as $$ begin
    if tg_op = 'DELETE' then
      insert into simulation.history (source, id, before) values (tg_table_name, to_jsonb(old) ->> 'id', to_jsonb(old));
    elsif tg_op = 'INSERT' then
      insert into simulation.history (source, id, after) values (tg_table_name, to_jsonb(new) ->> 'id', to_jsonb(new));
    else
      insert into simulation.history (source, id, before, after)
        values (tg_table_name, to_jsonb(new) ->> 'id', to_jsonb(old), to_jsonb(new));
    end if;
    return null;
  end $$;`;
const AUDITED = ['contracts', 'minting_orders', 'transfer_orders', 'ownership_transfers', 'transactions', 'attempts'];

interface Field {
  readonly name: string;
}

interface QueryResult {
  readonly command: string;
  readonly rowCount: number | null;
  readonly fields: readonly Field[];
  readonly rows: readonly (readonly (string | null)[])[];
}

/**
 * PostgreSQL in this process, behind the Neon driver's protocol. It has one connection, so requests run as transactions one
 * after another.
 */
export class Database implements Host {
  readonly service = 'database';
  readonly #pglite: PGlite;
  readonly #tables: readonly string[];
  /** Prepared statements: text -> name. */
  readonly #statements = new Map<string, string>();
  #changes = 0;

  private constructor(pglite: PGlite, tables: readonly string[]) {
    this.#pglite = pglite;
    this.#tables = tables;
  }

  /** Starts a database with the project's migrations applied. It takes two seconds, so simulations share one. */
  static async start(): Promise<Database> {
    const pglite = await PGlite.create();
    const { entries } = journalSchema.parse(JSON.parse(readFileSync(`${MIGRATIONS}meta/_journal.json`, 'utf8')));
    for (const { tag } of entries) await pglite.exec(readFileSync(`${MIGRATIONS}${tag}.sql`, 'utf8'));
    await pglite.exec(AUDIT);
    // A plan must not depend on how often a statement has run.
    await pglite.exec('set plan_cache_mode = force_custom_plan');
    const { rows } = await pglite.query<{ name: string }>(
      `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
    );
    const tables = rows.map(({ name }) => name);
    for (const table of AUDITED.filter((name) => tables.includes(name))) {
      await pglite.exec(
        `create trigger audit after insert or update or delete on ${table} for each row execute function simulation.record()`,
      );
    }
    return new Database(pglite, tables);
  }

  /** Restores the initial state. As a replica, since the audit log rejects this otherwise. */
  clear(): void {
    this.query('set session_replication_role = replica');
    this.query(`truncate ${this.#tables.join(', ')}, simulation.history restart identity cascade`);
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
    const { fields, rows } = this.#run({ query: text, params: [...params] });
    const names = fields.map((field) => field.name);
    return rows.map((row) => Object.fromEntries(row.map((value, index) => [names[index], value])));
  }

  label({ body }: WireRequest): string {
    const parsed = bodySchema.safeParse(JSON.parse(body));
    if (!parsed.success) return 'malformed';
    const queries = 'queries' in parsed.data ? parsed.data.queries : [parsed.data];
    return queries.map(({ query }) => nameOf(query)).join('; ');
  }

  /** Incremented whenever the product may have changed something. */
  get changes(): number {
    return this.#changes;
  }

  answer({ body, headers }: WireRequest): WireReply {
    if (/\b(insert|update|delete)\b/i.test(body)) this.#changes += 1;
    try {
      const parsed = bodySchema.parse(JSON.parse(body));
      const result =
        'queries' in parsed
          ? { results: this.#runBatch(parsed.queries).map((one) => ({ ...one, rowAsArray: true })) }
          : { ...this.#run(parsed), rowAsArray: true };
      if (headers['neon-array-mode'] !== 'true') throw new Error('The driver must request rows as arrays');
      return { status: 200, body: JSON.stringify(result) };
    } catch (error) {
      if (!(error instanceof messages.DatabaseError)) throw error;
      return {
        status: 400,
        body: JSON.stringify(
          Object.fromEntries(Object.getOwnPropertyNames(error).map((key) => [key, Reflect.get(error, key)])),
        ),
      };
    }
  }

  #runBatch(queries: readonly Query[]): QueryResult[] {
    this.#run({ query: 'begin', params: [] });
    try {
      const results = queries.map((query) => this.#run(query));
      this.#run({ query: 'commit', params: [] });
      return results;
    } catch (error) {
      this.#run({ query: 'rollback', params: [] });
      throw error;
    }
  }

  /** Runs one statement with the extended protocol, with parameters and results as text, like the hosted endpoint. */
  #run({ query, params }: Query): QueryResult {
    const { serialize } = protocol;
    const values = params.map((value) => (value === null ? null : String(value)));
    // Prepared once, because a simulation repeats the same few statements.
    const known = this.#statements.get(query);
    const name = known ?? `s${this.#statements.size}`;
    const request = Buffer.concat([
      ...(known === undefined ? [serialize.parse({ name, text: query })] : []),
      serialize.bind({ statement: name, values }),
      serialize.describe({ type: 'P' }),
      serialize.execute({}),
      serialize.sync(),
    ]);
    let fields: readonly Field[] = [];
    let tag = '';
    let error: Error | undefined;
    const rows: (string | null)[][] = [];
    new protocol.Parser().parse(this.#pglite.execProtocolRawSync(request), (message) => {
      if (message.name === 'parseComplete') this.#statements.set(query, name);
      if (message instanceof messages.DatabaseError) error = message;
      else if (message instanceof messages.RowDescriptionMessage) fields = message.fields;
      else if (message instanceof messages.DataRowMessage) rows.push(message.fields);
      else if (message instanceof messages.CommandCompleteMessage) tag = message.text;
    });
    if (error !== undefined) throw error;
    const [command = '', ...counts] = tag.split(' ');
    const count = counts.at(-1);
    return { command, rowCount: count === undefined ? null : Number(count), fields, rows };
  }
}

/** Verb and table of a statement, for the trace. */
function nameOf(query: string): string {
  const [, verb = '?', , table = ''] =
    /^\s*(?:with[\s\S]*?\)\s*)?(insert|update|delete|select)\b([\s\S]*?(?:into|update|from)?\s*"(\w+)")?/i.exec(
      query,
    ) ?? [];
  return `${verb.toLowerCase()} ${table}`.trim();
}
