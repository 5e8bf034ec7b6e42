import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, DatabaseError } from 'pg';
import { type SupervisedProcess, startSupervised } from '../processes/supervised-process.ts';
import { freePort } from '../ports.ts';
import { type PostgresBinaries, postgresBinaries } from './postgres-binaries.ts';
import { type PostgresUser, postgresUser } from './postgres-user.ts';
import { processCommand } from '../../cli/local-stack/process-command.ts';

/** A local PostgreSQL server. */
export interface Postgres {
  /** The connection string of the database, over TCP, for a superuser. */
  readonly url: string;
  /** The connection string for the role of the Worker, which has no rights until it is given some. */
  readonly workerUrl: string;
  readonly workerRole: string;
  /** Resolves when the server has exited for any reason, with how. */
  readonly exited: Promise<string>;
  /** Shuts it down cleanly: open connections are closed, committed data is on disk. */
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** Where its data is stored; created if missing. */
  readonly directory: string;
  /** Must be the same at every start with this directory. */
  readonly password: string;
  /** Default: any free port. */
  readonly port?: number;
  /** How many there may be at a time; default: 200. */
  readonly connections?: number;
}

const USER = 'nft';
const WORKER = 'nft_worker';
const DATABASE = 'nft';
const STARTUP_MS = 60_000;

/**
 * Of the hash of a password, at each connection: the passwords are random, and thousands would take as long as the
 * connection.
 */
const PASSWORD_ROUNDS = '1';

/** Stops a server that a crashed stack left running, and removes a stale lock file. */
async function stopLeftover(data: string): Promise<void> {
  const lock = join(data, 'postmaster.pid');
  if (!existsSync(lock)) return;
  const pid = Number(readFileSync(lock, 'utf8').split('\n')[0]);
  const isServer = () => processCommand(pid)?.includes(data) === true;
  if (isServer()) process.kill(pid, 'SIGQUIT');
  for (let waited = 0; isServer(); waited += 50) {
    if (waited > 10_000) throw new Error(`A PostgreSQL server (process ${pid}) uses ${data} and does not stop.`);
    await delay(50);
  }
  rmSync(lock, { force: true });
}

async function initialise(
  data: string,
  password: string,
  binaries: PostgresBinaries,
  user: PostgresUser,
): Promise<void> {
  // Renamed when it is complete, so that a killed start does not leave an incomplete database.
  const unfinished = `${data}.unfinished`;
  const passwordFile = `${data}.password`;
  rmSync(unfinished, { recursive: true, force: true });
  rmSync(passwordFile, { force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  if (user.owner) {
    chownSync(unfinished, user.owner.uid, user.owner.gid);
    chownSync(passwordFile, user.owner.uid, user.owner.gid);
  }
  const initdb = await startSupervised({
    name: 'initdb',
    ...user.program(binaries.initdb, [
      `--pgdata=${unfinished}`,
      `--username=${USER}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      `--set=scram_iterations=${PASSWORD_ROUNDS}`,
      '--encoding=UTF8',
      '--no-locale',
      '--no-sync',
      '--no-instructions',
    ]),
    cwd: '/',
    stopSignals: ['SIGTERM'],
    graceMs: 2_000,
  });
  const how = await initdb.exited;
  rmSync(passwordFile, { force: true });
  if (how !== 'exit code 0') throw new Error(`initdb failed (${how}).\n${initdb.lastLines()}`);
  renameSync(unfinished, data);
}

async function waitUntilConnected(url: string, server: SupervisedProcess): Promise<void> {
  const deadline = Date.now() + STARTUP_MS;
  let exited: string | undefined;
  void server.exited.then((how) => (exited = how));
  for (;;) {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
    // The rejected promise already reports a lost connection.
    client.on('error', () => {});
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      // Class 28, such as a wrong password: retrying does not help.
      const isPermanent = error instanceof DatabaseError && error.code?.startsWith('28');
      if (exited !== undefined || isPermanent || Date.now() > deadline) {
        await server.stop();
        const why = exited ?? (error instanceof Error ? error.message : String(error));
        throw new Error(`PostgreSQL did not start (${why}).\n${server.lastLines()}`, { cause: error });
      }
      await delay(25);
    }
  }
}

async function createDatabase(serverUrl: string, password: string): Promise<void> {
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(DATABASE)}`);
    const { rows } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [WORKER]);
    if (rows.length === 0) await client.query(`CREATE ROLE ${WORKER} LOGIN PASSWORD ${client.escapeLiteral(password)}`);
  } finally {
    await client.end();
  }
}

/**
 * Starts a PostgreSQL server on 127.0.0.1 and resolves when its database accepts connections. It stops when this
 * process ends. It recovers from a crash; only one server at a time may use a directory.
 * @throws when it cannot run here or does not start, with the server's output.
 */
export async function startPostgres({
  directory,
  password,
  port,
  connections = 200,
}: PostgresOptions): Promise<Postgres> {
  const binaries = await postgresBinaries();
  mkdirSync(directory, { recursive: true });
  const user = postgresUser(binaries, directory);
  const data = join(directory, 'data');
  if (existsSync(data)) await stopLeftover(data);
  else await initialise(data, password, binaries, user);

  const chosenPort = port ?? (await freePort());
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(chosenPort),
    max_connections: String(connections),
    // TCP only: a socket file would need a world-writable directory.
    unix_socket_directories: '',
    // Committed data survives the death of any process, since the operating system has it; a crash of the machine may
    // corrupt it. Commits take half the time.
    fsync: 'off',
    full_page_writes: 'off',
    wal_level: 'minimal',
    max_wal_senders: '0',
    scram_iterations: PASSWORD_ROUNDS,
    // Errors of statements are reported to the client.
    log_min_messages: 'log',
    log_checkpoints: 'off',
  };
  const server = await startSupervised({
    name: 'PostgreSQL',
    ...user.program(binaries.postgres, [
      '-D',
      data,
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ]),
    cwd: '/',
    // Fast shutdown, then immediate shutdown. The backends have their own sessions, so only the server can stop all of
    // them.
    stopSignals: ['SIGINT', 'SIGQUIT'],
    graceMs: 10_000,
  });
  const urlOf = (role: string, database: string) =>
    `postgres://${role}:${encodeURIComponent(password)}@127.0.0.1:${chosenPort}/${database}`;
  await waitUntilConnected(urlOf(USER, 'postgres'), server);
  await createDatabase(urlOf(USER, 'postgres'), password);
  return {
    url: urlOf(USER, DATABASE),
    workerUrl: urlOf(WORKER, DATABASE),
    workerRole: WORKER,
    exited: server.exited,
    stop: () => server.stop(),
  };
}
