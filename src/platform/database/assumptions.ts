import { NeonHttpDatabase, NeonHttpSession, type NeonHttpClient } from 'drizzle-orm/neon-http';
import { PgDialect, type PgPreparedQuery, type PreparedQueryConfig } from 'drizzle-orm/pg-core';
import { runBatch, type Rows, type Statement, type SystemDb } from './client.ts';

/** What a request takes for granted until the database has confirmed it. */
export interface Assumption<Row = unknown> {
  readonly query: Rows<Row>;
  /** @throws {Outdated} if the request must run again with what was read, or why it gets no other reply. */
  readonly confirm: (rows: readonly Row[]) => void;
}

/** A request took something for granted that is no longer so. It has done nothing yet, and may run again. */
export class Outdated extends Error {
  override readonly name = 'Outdated';
}

/**
 * The assumptions of one run of a request, such as that its caller still has the key that it had a minute ago. They are
 * read with its first query, whichever that is, so that they cost no round trip of their own; no query before that
 * returns anything, and nothing is changed.
 */
export class Assumptions {
  #unconfirmed: Assumption[];
  /** The query that confirms what the run assumes, while it is under way: no other query of the run returns before. */
  #confirming: Promise<unknown> | undefined;
  /** Why the run has ended: no query of it, however late, goes on. Undefined: it has not. */
  #end: unknown;

  constructor(unconfirmed: readonly Assumption[] = []) {
    this.#unconfirmed = [...unconfirmed];
  }

  get areConfirmed(): boolean {
    return this.#unconfirmed.length === 0 && this.#confirming === undefined && this.#end === undefined;
  }

  add<Row>(assumption: Assumption<Row>): void {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its rows are those of its own query
    this.#unconfirmed.push(assumption as unknown as Assumption);
  }

  /** Ends the run. @returns the assumptions of the next one: those that are still to be confirmed. */
  endRun(): Assumptions {
    this.#end ??= new Outdated();
    return new Assumptions(this.#unconfirmed);
  }

  /** Reads what is left to confirm. @throws as {@link Assumption.confirm}. */
  async check(db: SystemDb): Promise<void> {
    await this.checkWith(async (statements) => [...(await runBatch(db, { statements })).statements], []);
  }

  /**
   * Runs statements, with what is left to confirm behind them: what they have seen, it sees too.
   * @returns the results of the statements.
   */
  async checkWith(
    run: (statements: readonly Statement[]) => unknown[] | Promise<unknown[]>,
    statements: readonly Statement[],
  ): Promise<unknown[]> {
    if (this.#end !== undefined) throw this.#end;
    const assumed = this.#unconfirmed;
    this.#unconfirmed = [];
    const confirmed = Promise.all([this.#confirm(assumed, run, statements), this.#confirming]);
    if (assumed.length > 0) this.#confirming = confirmed;
    try {
      const [results] = await confirmed;
      if (this.#end !== undefined) throw this.#end;
      return results;
    } finally {
      if (this.#confirming === confirmed) this.#confirming = undefined;
    }
  }

  /** Runs statements, and the queries of assumptions behind them. @returns the results of the statements. */
  async #confirm(
    assumed: readonly Assumption[],
    run: (statements: readonly Statement[]) => unknown[] | Promise<unknown[]>,
    statements: readonly Statement[],
  ): Promise<unknown[]> {
    let results: unknown[];
    try {
      results = await run([...statements, ...assumed.map(({ query }) => query)]);
    } catch (error) {
      this.#unconfirmed = [...assumed, ...this.#unconfirmed];
      throw error;
    }
    for (const [index, { confirm }] of assumed.entries()) {
      try {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the result of a query
        confirm(results[statements.length + index] as readonly unknown[]);
      } catch (error) {
        this.#unconfirmed = [...assumed.slice(index + 1), ...this.#unconfirmed];
        this.#end = error;
        throw error;
      }
    }
    return results.slice(0, statements.length);
  }
}

/** A database whose first query confirms what a request assumes. */
export function confirming(db: SystemDb, assumptions: Assumptions): SystemDb {
  const dialect = new PgDialect();
  const { $client } = db.sql;
  const session = new ConfirmingSession($client, dialect, assumptions);
  const sql = Object.assign(new NeonHttpDatabase(dialect, session, undefined), { $client });
  return { ...db, sql, confirm: () => assumptions.check(db) };
}

class ConfirmingSession extends NeonHttpSession<Record<string, never>, Record<string, never>> {
  readonly #assumptions: Assumptions;

  constructor(client: NeonHttpClient, dialect: PgDialect, assumptions: Assumptions) {
    super(client, dialect, undefined);
    this.#assumptions = assumptions;
  }

  override prepareQuery<T extends PreparedQueryConfig = PreparedQueryConfig>(
    ...given: Parameters<NeonHttpSession<Record<string, never>, Record<string, never>>['prepareQuery']>
  ): PgPreparedQuery<T> {
    const prepared = super.prepareQuery<T>(...given);
    const alone = prepared.execute.bind(prepared);
    prepared.execute = async (values) => {
      if (this.#assumptions.areConfirmed) return await alone(values);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a batch asks a statement for no more than this
      const [result] = await this.#confirmWith([{ _prepare: () => prepared } as unknown as Statement]);
      return result;
    };
    return prepared;
  }

  override async batch(statements: readonly Statement[]): Promise<unknown> {
    return await this.#confirmWith(statements);
  }

  #confirmWith(statements: readonly Statement[]): Promise<unknown[]> {
    return this.#assumptions.checkWith(async (all) => {
      const [first, ...rest] = all;
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion, eslint/no-restricted-properties -- what runBatch calls; drizzle has any for its results
      return first === undefined ? [] : ((await super.batch([first, ...rest])) as unknown[]);
    }, statements);
  }
}
