import { Client } from 'pg';

/** PostgreSQL was not reached, or refused the connection: no statement has run. */
export class NotConnectedError extends Error {
  override readonly name = 'NotConnectedError';
}

/** A connection to PostgreSQL, in use by one request. */
export interface Connection {
  readonly client: Client;
  /** @param isSound Whether another request may use it; otherwise it is closed. */
  release(isSound: boolean): void;
}

/** The connections of Neon's proxy to one endpoint. */
export interface Connections {
  /** @throws {NotConnectedError} whose cause is PostgreSQL's error, or that of the network. */
  take(): Promise<Connection>;
  /** Closes all of them. */
  stop(): Promise<void>;
}

/** What Neon sends on a connection before another request may use it. */
const RESET = `ROLLBACK; CLOSE ALL; SET SESSION AUTHORIZATION DEFAULT; RESET ALL; DEALLOCATE ALL; UNLISTEN *;
  SELECT pg_advisory_unlock_all(); DISCARD TEMP; DISCARD SEQUENCES`;
/** How many idle connections stay open, how each is reset, and with which options of PostgreSQL it is opened. */
interface Keeping {
  readonly kept: number;
  readonly reset: string;
  readonly options?: string;
}

const AS_NEON: Keeping = { kept: 20, reset: RESET };
/** As many as the flows use at a time. A plan for the values at hand would be made anew for each of the first five. */
const WITH_PLANS: Keeping = {
  kept: 40,
  reset: RESET.replace('DEALLOCATE ALL; ', ''),
  options: '-c plan_cache_mode=force_generic_plan',
};

const ignore = () => {};

/**
 * Nothing waits for a connection, as in `conn_pool_lib.rs` of neondatabase/neon: a request that finds none idle opens
 * one. Of those that are released, a few stay open.
 * @param keepsPlans See the endpoint's option.
 */
export function createConnections(databaseUrl: string, keepsPlans: boolean): Connections {
  const { kept, reset, ...options } = keepsPlans ? WITH_PLANS : AS_NEON;
  const open = new Set<Client>();
  const idle: { readonly client: Client; readonly isReset: Promise<boolean> }[] = [];

  const close = (client: Client) => {
    open.delete(client);
    const at = idle.findIndex((entry) => entry.client === client);
    if (at !== -1) idle.splice(at, 1);
    return client.end().catch(ignore);
  };

  const resetOf = async (client: Client) => {
    try {
      await client.query(reset);
      return true;
    } catch {
      await close(client);
      return false;
    }
  };

  const takeIdle = async () => {
    for (let last = idle.pop(); last !== undefined; last = idle.pop()) {
      if (await last.isReset) return last.client;
    }
    return undefined;
  };

  const connect = async () => {
    const client = new Client({ connectionString: databaseUrl, ...options });
    // Statements report a lost connection themselves.
    client.on('error', ignore);
    client.on('end', () => void close(client));
    open.add(client);
    try {
      await client.connect();
    } catch (error) {
      await close(client);
      throw new NotConnectedError('No connection to PostgreSQL', { cause: error });
    }
    return client;
  };

  return {
    async take() {
      const client = (await takeIdle()) ?? (await connect());
      return {
        client,
        release(isSound) {
          if (!isSound || !open.has(client) || idle.length >= kept) {
            void close(client);
            return;
          }
          idle.push({ client, isReset: resetOf(client) });
        },
      };
    },
    async stop() {
      await Promise.all(Array.from(open, close));
    },
  };
}
