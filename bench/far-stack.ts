import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { getAddress } from 'viem';
import { z } from 'zod';
import { confirmIssuer } from '../cli/corporate/confirm-issuer.ts';
import { upsertAccount } from '../cli/corporate/upsert-account.ts';
import { secretsSettingsSchema } from '../cli/corporate/wallet-secret.ts';
import { connectApi, type Api } from '../scripts/demo/api.ts';
import { startBackingServices } from '../stack/backing-services.ts';
import { ComponentGroup } from '../stack/component-group.ts';
import type { RoundTrip } from '../stack/distance.ts';
import { fundWallet } from '../cli/local-stack/fund-wallet.ts';
import { startHttpServer } from '../stack/http-server.ts';
import { freePort } from '../stack/ports.ts';
import { startWorker } from '../stack/worker.ts';
import { DEFAULT_CHAIN } from '../src/chains/list.ts';
import { createAccountKey } from './account-key.ts';

/** A request that a partner makes with a key of its account. */
export interface PartnerRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** That of its reply; default: any of success. */
  readonly status?: number;
  /** Whether the account may lack what it is about. */
  readonly mayBeAbsent?: boolean;
}

/** What a request took. */
export interface Measurement {
  readonly milliseconds: number;
  /** Requests to the database until the reply, and the statements in them. */
  readonly database: number;
  readonly statements: number;
  /** As many of them as were made one after the other. */
  readonly inARow: number;
  /** HTTP requests to nodes until the reply. */
  readonly nodes: number;
  /** The calls in them. */
  readonly nodeCalls: number;
  /** All of them, in the order of their replies. */
  readonly trips: readonly RoundTrip[];
}

/** What some work took, with everything that followed from it. */
export interface Work {
  /** Calls to nodes, by method. */
  readonly nodeCalls: ReadonlyMap<string, number>;
  /** Requests to the database. */
  readonly database: number;
  /** The statements in them. */
  readonly statements: number;
  /** The database's replies, in bytes. */
  readonly databaseBytes: number;
}

/** The service, far from its database and nodes, with one account. */
export interface FarStack {
  readonly baseUrl: string;
  /** Of the owner. */
  readonly databaseUrl: string;
  /** By chain id; at no distance. */
  readonly rpcUrls: Readonly<Record<string, string>>;
  readonly accountId: string;
  /** For what is not measured. */
  readonly api: Api;
  /** Creates another account, which has a wallet of its own. */
  addAccount(): Promise<Api>;
  /** Uploads a file of one document. */
  createImport(): Promise<void>;
  /** Makes a request once the service is idle and must read the key again. @throws if its reply has another status. */
  measure(request: PartnerRequest): Promise<Measurement>;
  /** Counts from the beginning of some work until the service has done everything that follows from it. */
  count(work: () => Promise<unknown>): Promise<Work>;
  stop(): Promise<void>;
}

interface FarOptions {
  /** How many nodes the Worker believes to have; default: 1. One answers for all. */
  readonly providers?: number;
  /** Starts the Worker on this port of 127.0.0.1; default: `wrangler dev`. */
  readonly start?: (port: number, settings: Readonly<Record<string, string>>) => Promise<{ stop(): Promise<void> }>;
  /** Deletes the data directory of the stack once it has stopped; default: `rm`. */
  readonly remove?: (directory: string) => Promise<void>;
}

/** Who the account is to the public. */
const ISSUER = { name: 'Far', logoUrl: 'https://far.example/logo.svg', domain: 'far.example' };

/** The Worker keeps what it knows of a key for a second. */
const IDLE_MS = 1_200;
/** An idle service must become idle. */
const PATIENCE_MS = 60_000;

/**
 * Statements that no request waits for: those of a wallet's lane and of webhooks, the note of a key's last use, and the
 * counts of the instance.
 */
const IN_BACKGROUND =
  /claim-transactions|require_epoch|note-key-use|store-tallies|due-deliveries|insert into \\"webhook_logs/;

/** Starts the service at a distance, in milliseconds, from its database and its nodes. */
export async function startFarStack(
  milliseconds: number,
  { providers = 1, start, remove = (directory) => rm(directory, { recursive: true, force: true }) }: FarOptions = {},
): Promise<FarStack> {
  const dataDir = await mkdtemp(join(tmpdir(), 'nft-far-'));
  const components = new ComponentGroup();
  await components.add(Promise.resolve({ stop: () => remove(dataDir) }));
  try {
    let trips: RoundTrip[] = [];
    const distance = { milliseconds, observe: (trip: RoundTrip) => void trips.push(trip) };
    const port = await freePort();
    const baseUrl = `http://127.0.0.1:${port}`;
    const services = await components.add(startBackingServices({ dataDir, baseUrl, distance }));
    const { databaseUrl, rpcUrls, workerSettings, credentials } = services;
    const settings = Object.fromEntries(
      Object.entries(workerSettings).map(([name, value]) => [
        name,
        name.startsWith('RPC_URL_') ? asProviders(value, providers) : value,
      ]),
    );
    const receiver = await components.add(startHttpServer('Webhooks', (_, response) => void response.end()));
    const createAccount = async (corporateId: string) => {
      const created = await upsertAccount(
        { name: 'Far', corporateId, webhookUrl: receiver.url },
        { databaseUrl, secrets: secretsSettingsSchema.parse(settings), environment: 'local' },
      );
      await fundWallet(getAddress(created.walletAddress), Object.values(rpcUrls));
      return created;
    };
    const account = await createAccount('far');
    await confirmIssuer(account.corporateId, ISSUER, databaseUrl);
    await components.add(
      start?.(port, settings) ?? startWorker({ dataDir, port, settings, logFile: join(dataDir, 'worker.log') }),
    );
    const keyOf = (corporateId: string) => createAccountKey(baseUrl, credentials.adminSecret, corporateId);
    const apiKey = await keyOf(account.corporateId);
    let others = 0;

    const untilIdle = async () => {
      const deadline = performance.now() + PATIENCE_MS;
      for (let before = -1; before !== trips.length; await delay(IDLE_MS)) {
        if (performance.now() > deadline) throw new Error('The service does not become idle');
        before = trips.length;
      }
    };
    return {
      baseUrl,
      databaseUrl,
      rpcUrls,
      accountId: account._id,
      api: connectApi({ baseUrl, apiKey, corporateId: account.corporateId }),
      async addAccount() {
        others += 1;
        const { corporateId } = await createAccount(`far-${others}`);
        return connectApi({ baseUrl, apiKey: await keyOf(corporateId), corporateId });
      },
      async createImport() {
        const reply = await fetch(`${baseUrl}/imports?kind=metadata&chainId=${DEFAULT_CHAIN.id}`, {
          method: 'POST',
          headers: { 'x-api-key': apiKey, 'content-type': 'text/csv' },
          body: 'name,imageUrl,utility.type,utility.data.status\nFar,https://far.example/picture.png,Flexible,New\n',
        });
        if (!reply.ok) throw new Error(`POST /imports returned ${reply.status}: ${await reply.text()}`);
      },
      async measure({ method, path, headers, body, status, mayBeAbsent = false }) {
        await untilIdle();
        trips = [];
        const sentAt = performance.now();
        const reply = await fetch(`${baseUrl}${path}`, {
          method,
          headers: { 'x-api-key': apiKey, 'content-type': 'application/json', ...headers },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        const text = await reply.text();
        const repliedAt = performance.now();
        const isAbsent = mayBeAbsent && reply.status === 404;
        if (status === undefined ? !reply.ok && !isAbsent : reply.status !== status)
          throw new Error(`${method} ${path} returned ${reply.status}: ${text}`);
        // What is begun at the end of a request, such as the work of a lane, ends a round trip later.
        const own = trips.filter((trip) => trip.endedAt <= repliedAt && !IN_BACKGROUND.test(trip.body));
        const toDatabase = own.filter(({ to }) => to === 'database');
        const toNodes = own.filter(({ to }) => to === 'node');
        return {
          milliseconds: repliedAt - sentAt,
          database: toDatabase.length,
          statements: toDatabase.reduce((sum, trip) => sum + statementsIn(trip), 0),
          inARow: inARow(toDatabase),
          nodes: toNodes.length,
          nodeCalls: toNodes.reduce((sum, trip) => sum + methodsIn(trip).length, 0),
          trips: own,
        };
      },
      async count(work) {
        await untilIdle();
        trips = [];
        await work();
        await untilIdle();
        const methods = trips.filter(({ to }) => to === 'node').flatMap(methodsIn);
        const toDatabase = trips.filter(({ to }) => to === 'database');
        return {
          nodeCalls: new Map(Array.from(Map.groupBy(methods, String), ([method, calls]) => [method, calls.length])),
          database: toDatabase.length,
          statements: toDatabase.reduce((sum, trip) => sum + statementsIn(trip), 0),
          databaseBytes: toDatabase.reduce((sum, { replyBytes }) => sum + replyBytes, 0),
        };
      },
      stop: () => components.stop(),
    };
  } catch (error) {
    // The first error is the cause; it is the one to report.
    await components.stop().catch((stopError: unknown) => console.error(stopError));
    throw error;
  }
}

/** A node's URL as those of so many. */
function asProviders(url: string, count: number): string {
  return count === 1 ? url : Array.from({ length: count }, (_, index) => `${url}/?provider=${index}`).join();
}

/** The most round trips of which each began after the end of the one before. */
function inARow(trips: readonly RoundTrip[]): number {
  let count = 0;
  let endedAt = 0;
  for (const trip of trips.toSorted((one, other) => one.endedAt - other.endedAt)) {
    if (trip.startedAt < endedAt) continue;
    count += 1;
    endedAt = trip.endedAt;
  }
  return count;
}

const callsSchema = z
  .union([z.array(z.object({ method: z.string() })), z.object({ method: z.string() })])
  .transform((calls) => [calls].flat());

function methodsIn({ body }: RoundTrip): string[] {
  return callsSchema.parse(JSON.parse(body)).map(({ method }) => method);
}

const queriesSchema = z.object({ queries: z.array(z.unknown()).optional() });

/** A batch has `queries`, a statement alone has none. */
function statementsIn({ body }: RoundTrip): number {
  return queriesSchema.parse(JSON.parse(body)).queries?.length ?? 1;
}
