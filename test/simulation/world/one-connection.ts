import { PGlite, protocol } from '@electric-sql/pglite';
import { ServerError, type Query, type QueryResult, type Ran, type Server } from './server.ts';

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

/** A prepared statement; its fields are known once it has been described. */
interface Statement {
  readonly name: string;
  fields: QueryResult['fields'] | undefined;
}

/** PostgreSQL in this process. It has one connection, so requests run as transactions one after another. */
export class OneConnection implements Server {
  readonly lastsMs = undefined;
  readonly #pglite: PGlite;
  /** Prepared statements by text. */
  readonly #statements = new Map<string, Statement>();
  #statementCount = 0;

  private constructor(pglite: PGlite) {
    this.#pglite = pglite;
  }

  static async start(): Promise<OneConnection> {
    const pglite = await PGlite.create();
    // A plan must not depend on how often a statement has run. The truncation at the start of a simulation discards all
    // plans.
    await pglite.exec('set plan_cache_mode = force_generic_plan');
    // Nothing reads the log of a database that never starts again, or counts what it does.
    await pglite.exec('set synchronous_commit = off; set track_counts = off; set track_activities = off');
    return new OneConnection(pglite);
  }

  async execute(statement: string): Promise<void> {
    await this.#pglite.exec(statement);
  }

  serve(queries: readonly Query[], _isolation: string | undefined, done: (outcome: Ran | ServerError) => void): void {
    let outcome: Ran | ServerError;
    try {
      outcome = this.run(queries);
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      outcome = error;
    }
    done(outcome);
  }

  stop(): Promise<void> {
    return this.#pglite.close();
  }

  /**
   * Runs statements with the extended protocol and one Sync at the end, which makes them one transaction; parameters
   * and results are text, like those of the hosted endpoint. Each statement is parsed and described once, because a
   * simulation repeats the same few.
   */
  run(queries: readonly Query[]): Ran {
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
    const reports: string[] = [];
    let rows: (string | null)[][] = [];
    try {
      for (const { type, body } of messagesOf(this.#send(Buffer.concat([...request, SYNC])))) {
        const current = entries[results.length]?.statement;
        if (type === 'D') rows.push(rowOf(body));
        else if (type === 'E') throw errorOf(body);
        else if (type === 'N') reports.push(...reportOf(body));
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
    return { results, reports };
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

function fieldsOf(body: Buffer): { name: string; dataTypeID: number }[] {
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

/** The message of a trigger that reports a change. */
function reportOf(body: Buffer): string[] {
  const parts = body.toString().split('\0');
  const message = parts.find((part) => part.startsWith('M'));
  return parts.includes('SINFO') && message !== undefined ? [message.slice(1)] : [];
}

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
