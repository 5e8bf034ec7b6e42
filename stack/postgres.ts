import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, DatabaseError } from 'pg';
import { type KeptProcess, startKept } from './kept-process.ts';
import { freePort } from './ports.ts';
import { type PostgresBinaries, postgresBinaries } from './postgres-binaries.ts';
import { type PostgresUser, postgresUser } from './postgres-user.ts';
import { processCommand } from './process-command.ts';

/** A PostgreSQL server of our own. */
export interface Postgres {
  /** The connection string of the database, for TCP; its user may do everything. */
  readonly url: string;
  /** Resolves when the server has ended, asked or unasked, with how. */
  readonly exited: Promise<string>;
  /** Ends it cleanly: open connections are cut, what was committed is on disk. */
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** Its data and its log are kept here; made when it is missing. */
  readonly directory: string;
  /** Must be the same at every start on this directory. */
  readonly password: string;
  /** A free one is chosen when it is absent. */
  readonly port?: number;
}

const USER = 'nft';
const DATABASE = 'nft';
const STARTUP_MS = 60_000;

/** Ends the server that a crash of the whole stack left behind, and removes its lock file when another process has its id now. */
async function clearLeftovers(data: string): Promise<void> {
  const lock = join(data, 'postmaster.pid');
  if (!existsSync(lock)) return;
  const pid = Number(readFileSync(lock, 'utf8').split('\n')[0]);
  const isServer = () => processCommand(pid)?.includes(data) === true;
  if (isServer()) process.kill(pid, 'SIGQUIT');
  for (let waited = 0; isServer(); waited += 50) {
    if (waited > 10_000) throw new Error(`A PostgreSQL server (process ${pid}) uses ${data} and does not end.`);
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
  // Under another name until it is complete: a start that was killed leaves no half of a database.
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
  const initdb = await startKept({
    name: 'initdb',
    ...user.program(binaries.initdb, [
      `--pgdata=${unfinished}`,
      `--username=${USER}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
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

async function untilConnected(url: string, server: KeptProcess): Promise<void> {
  const deadline = Date.now() + STARTUP_MS;
  let ended: string | undefined;
  void server.exited.then((how) => (ended = how));
  for (;;) {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
    // A server that goes away while it is asked says so twice; once is enough.
    client.on('error', () => {});
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      // Wrong password: waiting does not help.
      const hopeless = error instanceof DatabaseError && error.code?.startsWith('28');
      if (ended !== undefined || hopeless || Date.now() > deadline) {
        await server.stop();
        const why = ended ?? (error instanceof Error ? error.message : String(error));
        throw new Error(`PostgreSQL did not start (${why}).\n${server.lastLines()}`, { cause: error });
      }
      await delay(25);
    }
  }
}

async function createDatabase(serverUrl: string): Promise<void> {
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(DATABASE)}`);
  } finally {
    await client.end();
  }
}

/**
 * Starts a real PostgreSQL server on 127.0.0.1 and resolves when its database can be used. It ends with this process.
 * A directory that a crash left behind is recovered; only one server at a time may use a directory.
 * @throws when it cannot run here or does not start, with the server's own words.
 */
export async function startPostgres({ directory, password, port }: PostgresOptions): Promise<Postgres> {
  const binaries = await postgresBinaries();
  mkdirSync(directory, { recursive: true });
  const user = postgresUser(binaries, directory);
  const data = join(directory, 'data');
  if (existsSync(data)) await clearLeftovers(data);
  else await initialise(data, password, binaries, user);

  const chosenPort = port ?? (await freePort());
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(chosenPort),
    // TCP only: a socket file would need a directory that every user may write to.
    unix_socket_directories: '',
    // What was committed survives a kill of any process, since the system has it; a crash of the whole machine may damage the
    // data. It halves the time of a commit.
    fsync: 'off',
    // A statement's error is its client's affair.
    log_min_messages: 'log',
    log_checkpoints: 'off',
  };
  const server = await startKept({
    name: 'PostgreSQL',
    ...user.program(binaries.postgres, [
      '-D',
      data,
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ]),
    cwd: '/',
    // Fast shutdown, then immediate shutdown: its backends are in sessions of their own, and only the server ends them all.
    stopSignals: ['SIGINT', 'SIGQUIT'],
    graceMs: 10_000,
  });
  const base = `postgres://${USER}:${encodeURIComponent(password)}@127.0.0.1:${chosenPort}`;
  await untilConnected(`${base}/postgres`, server);
  await createDatabase(`${base}/postgres`);
  return { url: `${base}/${DATABASE}`, exited: server.exited, stop: () => server.stop() };
}
