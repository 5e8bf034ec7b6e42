// The thread of many-connections.ts that has the connections.
import { workerData, type MessagePort } from 'node:worker_threads';
import { Client, DatabaseError, type QueryArrayConfig } from 'pg';
import type { ErrorFields, Query, QueryResult, Ran } from './server.ts';

export interface ConnectionsData {
  readonly url: string;
  readonly port: MessagePort;
  /** Its first number is 1 whenever something has ended. */
  readonly signal: Int32Array;
}

/** A transaction to run. */
export interface Task {
  readonly id: number;
  /** For the setup: a statement without parameters and result, which no transaction surrounds. */
  readonly text?: string;
  readonly queries?: readonly Query[];
  readonly isolation?: string | undefined;
  /** Whether it is the simulation's own, with the connection of its own. */
  readonly isOwn?: boolean;
  /** Whether it begins when all others have ended. */
  readonly isAlone?: boolean;
}

export interface Outcome {
  readonly id: number;
  readonly ran?: Ran;
  readonly error?: ErrorFields;
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as its parent gives it
const { url, port, signal } = workerData as ConnectionsData;
/**
 * A plan must not depend on how often a statement has run. Whatever the database's default, the product asks for the
 * isolation that it needs.
 */
const OPTIONS =
  '-c plan_cache_mode=force_generic_plan -c synchronous_commit=off -c default_transaction_isolation=repeatable\\ read';
/** How often a transaction waits between two statements, for others. */
const PAUSES = 0.2;
const MOST_PAUSE_MS = 3;

/** An open connection. */
interface Connection {
  readonly client: Client;
  reports: string[];
}

const idle: Connection[] = [];
const running = new Set<Promise<unknown>>();
const names = new Map<string, string>();

async function connect(isolation: string): Promise<Connection> {
  const client = new Client({ connectionString: url, options: OPTIONS });
  await client.connect();
  if (isolation !== '') await client.query(`set default_transaction_isolation = '${isolation}'`);
  const connection: Connection = { client, reports: [] };
  client.on('notice', ({ severity, message }) => {
    if (severity === 'INFO') connection.reports.push(message ?? '');
  });
  return connection;
}

/** The simulation sees what was committed last. */
const own = connect('read committed');

/** The statement's name, by which a connection keeps its plan. */
function nameOf(text: string): string {
  const name = names.get(text) ?? `s${names.size}`;
  names.set(text, name);
  return name;
}

const asText = { getTypeParser: () => (text: string) => text };

async function runOne(client: Client, { query: text, params }: Query): Promise<QueryResult> {
  const values = params.map((value) => (value === null ? null : String(value)));
  const config: QueryArrayConfig = { name: nameOf(text), text, values, rowMode: 'array', types: asText };
  const { command, rowCount, fields, rows } = await client.query<(string | null)[]>(config);
  return { command, rowCount, fields: fields.map(({ name, dataTypeID }) => ({ name, dataTypeID })), rows };
}

async function pause(): Promise<void> {
  if (Math.random() >= PAUSES) return;
  await new Promise((resolve) => {
    setTimeout(resolve, Math.random() * MOST_PAUSE_MS);
  });
}

async function run(connection: Connection, { queries = [], isolation, isOwn = false }: Task): Promise<Ran> {
  const { client } = connection;
  connection.reports = [];
  const [first] = queries;
  if (queries.length === 1 && first !== undefined && isolation === undefined) {
    const result = await runOne(client, first);
    return { results: [result], reports: connection.reports };
  }
  await client.query(`begin${isolation === undefined ? '' : ` isolation level ${isolation}`}`);
  try {
    const results: QueryResult[] = [];
    for (const query of queries) {
      if (!isOwn) await pause();
      results.push(await runOne(client, query));
    }
    await client.query('commit');
    return { results, reports: connection.reports };
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

async function perform(task: Task): Promise<Ran> {
  if (task.isAlone === true) await Promise.all(running);
  const connection = task.isOwn === true ? await own : (idle.pop() ?? (await connect('')));
  try {
    if (task.text === undefined) return await run(connection, task);
    await connection.client.query(task.text);
    return { results: [], reports: [] };
  } finally {
    if (task.isOwn !== true) idle.push(connection);
  }
}

async function answer(task: Task): Promise<void> {
  let outcome: Outcome;
  try {
    outcome = { id: task.id, ran: await perform(task) };
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const { message, ...fields } = error;
    const texts = Object.entries({ ...fields, message }).filter(([, value]) => typeof value === 'string');
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the others are left out
    outcome = { id: task.id, error: Object.fromEntries(texts) as ErrorFields };
  }
  port.postMessage(outcome);
  Atomics.store(signal, 0, 1);
  Atomics.notify(signal, 0);
}

port.on('message', (task: Task) => {
  const work = answer(task).finally(() => running.delete(work));
  // What waits for all others does not wait for itself.
  if (task.isAlone !== true) running.add(work);
});
