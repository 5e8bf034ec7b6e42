import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessageChannel, Worker, receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import { startPostgres, type Postgres } from '../../../stack/postgres/postgres.ts';
import type { ConnectionsData, Outcome, Task } from './connections.ts';
import { ServerError, type Query, type Ran, type Server } from './server.ts';

/** How long a request of the product takes at most, in virtual milliseconds, in which others run beside it. */
const MOST_MS = 30;

type Done = (outcome: Ran | ServerError) => void;

/**
 * A real PostgreSQL server, to which each request has a connection of its own, so that statements of several
 * transactions follow each other in any order, wait for locks, and see what was committed meanwhile. Its connections are
 * in another thread, which goes on while this one waits for a statement of the simulation.
 */
export class ManyConnections implements Server {
  readonly #postgres: Postgres;
  readonly #directory: string;
  readonly #worker: Worker;
  readonly #port: MessagePort;
  readonly #signal: Int32Array;
  readonly #waiting = new Map<number, Done>();
  #count = 0;

  private constructor(postgres: Postgres, directory: string) {
    this.#postgres = postgres;
    this.#directory = directory;
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    this.#signal = new Int32Array(new SharedArrayBuffer(4));
    const workerData: ConnectionsData = { url: postgres.url, port: port2, signal: this.#signal };
    this.#worker = new Worker(new URL('connections.ts', import.meta.url), { workerData, transferList: [port2] });
    this.#worker.on('error', (error) => {
      throw error;
    });
    this.#port.on('message', (outcome: Outcome) => this.#end(outcome));
  }

  static async start(): Promise<ManyConnections> {
    const directory = await mkdtemp(join(tmpdir(), 'simulation-'));
    return new ManyConnections(await startPostgres({ directory, password: 'secret' }), directory);
  }

  /** Ends by its own measure of chance, since the order of statements does not follow from a seed here anyway. */
  get lastsMs(): number {
    return Math.random() * MOST_MS;
  }

  async execute(statement: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#begin({ text: statement }, (outcome) => (outcome instanceof ServerError ? reject(outcome) : resolve()));
    });
  }

  run(queries: readonly Query[], isAlone = false): Ran {
    const ended: (Ran | ServerError)[] = [];
    this.#begin({ queries, isOwn: true, isAlone }, (outcome) => ended.push(outcome));
    while (ended.length === 0) {
      Atomics.wait(this.#signal, 0, 0);
      Atomics.store(this.#signal, 0, 0);
      for (let next = receiveMessageOnPort(this.#port); next !== undefined; next = receiveMessageOnPort(this.#port)) {
        this.#end(next.message as Outcome);
      }
    }
    const [outcome] = ended;
    if (outcome === undefined || outcome instanceof ServerError) throw outcome;
    return outcome;
  }

  serve(queries: readonly Query[], isolation: string | undefined, done: Done): void {
    this.#begin({ queries, isolation }, done);
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
    await this.#postgres.stop();
    await rm(this.#directory, { recursive: true, force: true });
  }

  #begin(task: Omit<Task, 'id'>, done: Done): void {
    this.#count += 1;
    this.#waiting.set(this.#count, done);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- of a window, which this is not
    this.#port.postMessage({ id: this.#count, ...task } satisfies Task);
  }

  #end({ id, ran, error }: Outcome): void {
    const done = this.#waiting.get(id);
    this.#waiting.delete(id);
    done?.(ran ?? new ServerError(error ?? {}));
  }
}
