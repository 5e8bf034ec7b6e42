import type { Address } from 'viem';
import { CHAINS } from '../../../src/chains/list.ts';
import { Boundary, type Caller } from './boundary.ts';
import type { Bundle } from './bundle.ts';
import { Peers } from './chain/peers.ts';
import { Provider } from './chain/provider.ts';
import type { ChainRules } from './chain/chain.ts';
import { drawConditions, eventsOf, type Condition } from './conditions.ts';
import type { Database, Lost } from './database.ts';
import { DurableObjects } from './durable-objects.ts';
import { ExchangeRates } from './exchange-rates.ts';
import { Faults, type Service } from './faults.ts';
import { Isolate } from './isolate.ts';
import { Network } from './network.ts';
import { Queues } from './queues.ts';
import { Random } from './random.ts';
import { Scheduler } from './scheduler.ts';
import { SecretsStore } from './secrets-store.ts';
import { Trace } from './trace.ts';
import { WebhookTargets } from './webhook-targets.ts';
import { readWranglerConfig } from './wrangler-config.ts';

/** The start time of every simulation. */
const START = Date.parse('2026-03-01T00:00:00Z');
const GWEI = 1_000_000_000n;
const HOOKS = 'hooks.example.com';
const DATABASE_ENDPOINT = 'https://database.example.com/sql';
export const CHAIN_ID = '43114';
/** The URL under which the Worker serves documents. */
export const METADATA_BASE = 'https://service.example.com/metadata';
/** The Worker encrypts stored secrets with it. */
export const ENCRYPTION_KEY = Buffer.alloc(32, 'k');
const API_KEY = 'simulation-key-of-32-characters-x';
const ADMIN_KEY = 'simulation-admin-of-32-characters';

/** The Worker's bindings and settings. */
const CONFIG = readWranglerConfig();

interface WorldOptions {
  readonly seed: string;
  readonly bundle: Bundle;
  /** Reset first. */
  readonly database: Database;
  /** Whether to inject no faults. */
  readonly isCalm?: boolean;
  /** The operator's command that compares the database with the chain. Given: the world is rich. */
  readonly comparison?: Bundle | undefined;
  /** Called with all bytes sent to the chain, before a node sees them. */
  readonly onSend?: (raw: unknown) => void;
  /** Called with every call that crosses the boundary. */
  readonly onCall?: (from: Caller, service: Service, label: string) => void;
}

/** cli/compare/compare-database.ts */
type CompareDatabase = (options: object) => Promise<{
  readonly adopted: boolean;
  readonly comparisons: readonly {
    readonly matching: { readonly matches: readonly unknown[] };
    readonly unsettled: readonly NonceRange[];
    readonly unexplained: readonly unknown[];
  }[];
}>;

/** Nonces of a wallet, both ends included. */
export interface NonceRange {
  readonly wallet: Address;
  readonly from: number;
  readonly to: number;
}

/** The response to a request. */
export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

type Method = 'GET' | 'POST' | 'DELETE';

interface RequestOptions {
  readonly body?: object | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly apiKey?: string | undefined;
}

/** The simulated world around the product: everything outside `src/`, driven by one seed. */
export class World {
  readonly random: Random;
  readonly scheduler: Scheduler;
  readonly faults: Faults;
  readonly trace: Trace;
  readonly boundary: Boundary;
  readonly network: Network;
  readonly database: Database;
  readonly peers: Peers;
  /** In the order in which the product tries them. */
  readonly providers: readonly [Provider, ...Provider[]];
  /** The only provider that misbehaves, of several. */
  readonly weakProvider: Provider;
  readonly queues: Queues;
  readonly objects: DurableObjects;
  readonly secrets: SecretsStore;
  readonly targets: WebhookTargets;
  readonly webhookSecrets = new Map<string, string>();
  /** The signed requests that their signers have submitted themselves: forwarder, signer, nonce, target and data. */
  readonly publishedRequests = new Set<string>();
  readonly chainRules: ChainRules;
  /** What holds, if the world is rich. */
  readonly conditions: ReadonlySet<Condition>;
  readonly #bundle: Bundle;
  readonly #comparison: Bundle | undefined;
  #lost: readonly Lost[] = [];
  readonly #confirmations: number;
  #front: readonly (Isolate | undefined)[] = [undefined, undefined];
  #hosts: readonly (Isolate | undefined)[] = [undefined, undefined];
  #isolates = 0;

  constructor({
    seed,
    bundle,
    database,
    isCalm = false,
    comparison,
    onSend = () => {},
    onCall = () => {},
  }: WorldOptions) {
    this.random = new Random(seed);
    this.scheduler = new Scheduler(this.random.fork('scheduler'), START);
    this.#comparison = comparison;
    this.conditions = comparison === undefined ? new Set() : drawConditions(this.random);
    this.faults = new Faults(this.random, isCalm, eventsOf(this.conditions));
    this.trace = new Trace(() => this.scheduler.now());
    this.boundary = new Boundary(this.scheduler, this.faults, this.trace);
    this.network = new Network(this.boundary);
    this.database = database;
    this.#bundle = bundle;
    const mayReorganize = this.faults.frequency('reorganization') > 0;
    this.#confirmations = mayReorganize ? this.random.whole(1, 3) : 1;
    this.chainRules = {
      id: CHAIN_ID,
      blockTimeMs: 2_000,
      blockGasLimit: 16_000_000n,
      leastPaidPercent: 50n,
      finality: this.conditions.has('late finality')
        ? this.random.fork('finality').whole(100, 600)
        : mayReorganize
          ? 12
          : 1,
      clockMs: this.#clockOf('chain'),
      baseFee: 25n * GWEI,
      ...(this.conditions.has('scarce') ? { mostLogBlocks: this.random.fork('logs').pick([10, 100, 500]) } : {}),
    };
    this.secrets = new SecretsStore(this.random);
    const chainRandom = this.random.fork(`provider ${CHAIN_ID}`);
    this.peers = new Peers(this.boundary, chainRandom, this.chainRules);
    const areTwo = this.conditions.has('two providers');
    const indexes = areTwo
      ? ([0, 1] as const)
      : this.faults.hasSeveralProviders
        ? ([0, 1, 2] as const)
        : ([0] as const);
    const weak = chainRandom.pick<number>(indexes);
    const provider = (index: number) =>
      new Provider(
        ...([this.boundary, chainRandom.fork(`url ${index}`), this.peers] as const),
        ...([areTwo ? this.peers.nodesOf(index) : this.peers.nodes, onSend, index === weak] as const),
      );
    const [first, ...others] = indexes;
    this.providers = [provider(first), ...others.map(provider)];
    this.weakProvider = this.providers[weak] ?? this.providers[0];
    this.queues = new Queues(this.boundary, this.random, () => this.#frontIsolate());
    this.objects = new DurableObjects(this.boundary, this.random, () => this.#hostIsolate(), envOfObject);
    this.objects.onBegin = ({ name }) => {
      for (const one of this.providers) one.beginAnew(name);
    };
    this.targets = new WebhookTargets(
      ...([
        this.random,
        this.faults,
        () => this.scheduler.now(),
        (name: string) => this.webhookSecrets.get(name) ?? '',
      ] as const),
    );
    this.boundary.onCall = (from, service, label) => {
      onCall(from, service, label);
      this.#mayPause(from, service);
    };
    database.clear();
    this.#addHosts();
  }

  /** The depth at which the service confirms an order. */
  get confirmations(): number {
    return this.#confirmations;
  }

  get chain() {
    return this.peers.chain;
  }

  /** The webhook URL of an account. */
  webhookUrlOf(name: string): string {
    return `https://${HOOKS}/${name}`;
  }

  /**
   * Sends a customer's request to an isolate; undefined if there is no response.
   * @param options.apiKey The account's own key; without it, the operator asks.
   */
  request(corporateId: string, method: Method, path: string, options: RequestOptions = {}) {
    const { scheduler, faults, trace } = this;
    const fate = faults.fate('client', scheduler.now());
    return new Promise<Answer | undefined>((resolve) => {
      const patience = scheduler.after(90_000, () => resolve(undefined));
      scheduler.after(fate.there, () => {
        if (!fate.hasEffect) return;
        const isolate = this.#frontIsolate();
        trace.add(`customer ${method} ${path} to ${isolate.name}`);
        void this.#handle(isolate, corporateId, method, path, options).then((answer) => {
          if (fate.ending !== 'answered' || !isolate.isAlive) return undefined;
          return scheduler.after(fate.back, () => {
            patience();
            trace.add(`customer ${method} ${path}: ${answer.status}`);
            resolve(answer);
          });
        });
      });
    });
  }

  async #handle(
    isolate: Isolate,
    corporateId: string,
    method: Method,
    path: string,
    { body, idempotencyKey, apiKey }: RequestOptions,
  ): Promise<Answer> {
    const credentials =
      apiKey === undefined ? { 'x-api-key': API_KEY, 'x-admin-secret-key': ADMIN_KEY } : { 'x-api-key': apiKey };
    const headers = new Headers({ ...credentials, 'x-corporate-id': corporateId, 'x-request-id': 'simulation' });
    if (body !== undefined) headers.set('content-type', 'application/json');
    if (idempotencyKey !== undefined) headers.set('idempotency-key', idempotencyKey);
    const request = new Request(`https://service.example.com${path}`, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
    });
    const context = { waitUntil: () => {}, passThroughOnException: () => {}, props: {} };
    const reply = await isolate.entry.fetch(request, isolate.env, context);
    const text = await reply.text();
    return { status: reply.status, body: text.startsWith('{') ? (JSON.parse(text) as Answer['body']) : { text } };
  }

  /** Runs the cleanup job once. */
  cleanUp(): void {
    const isolate = this.#frontIsolate();
    this.trace.add(`cleanup in ${isolate.name}`);
    const controller = { scheduledTime: Math.floor(this.scheduler.now()), cron: '*/10 * * * *', noRetry: () => {} };
    isolate.entry.scheduled(controller, isolate.env, { waitUntil: () => {} }).catch((error: unknown) => {
      this.trace.add(`${isolate.name} cleanup throws ${String(error)}`);
    });
  }

  /** What the database lacks since it was set back, each time. */
  get lost(): readonly Lost[] {
    return this.#lost;
  }

  /**
   * Sets the database back to its last backup.
   * @param losesStorage Whether the storage of objects is lost with it, if what was signed since can be noticed: every node
   *   shows it, and the database has seen the chain for its lane.
   */
  setBack(losesStorage: boolean): void {
    const lost = this.database.setBack();
    this.#lost = [...this.#lost, lost];
    this.trace.add(`the database is set back: it lacks ${lost.orders.size} orders, ${lost.attempts.length} attempts`);
    this.chain.advance(this.scheduler.now());
    const isNoticed = lost.attempts.every(
      ({ hash, isOfObserved }) => isOfObserved && this.providers.every((provider) => provider.shows(hash)),
    );
    if (!losesStorage || this.chainRules.finality > 1 || !isNoticed) return;
    this.trace.add('the storage of objects is lost');
    this.objects.forget('signedAt');
  }

  /**
   * Runs the operator's command that compares the database with the chain, and adopts what it finds.
   * @param since From when on blocks are read, in milliseconds since the epoch.
   * @returns whether it did.
   */
  async adopt(since: number): Promise<{ readonly adopted: boolean; readonly unsettled: readonly NonceRange[] }> {
    const definition = CHAINS.find(({ id }) => id === CHAIN_ID);
    if (this.#comparison === undefined || definition === undefined) throw new Error('There is nothing to compare');
    const operator = new Isolate('operator', this.#comparison, this.#isolateWorld());
    const run = operator.exports['compareDatabase'] as CompareDatabase;
    const rpcUrls = this.providers.map((_, index) => `https://${rpcHostOf(index)}`);
    try {
      const { adopted, comparisons } = await run({
        DATABASE_URL: databaseUrlOf(operator.name),
        NEON_FETCH_ENDPOINT: DATABASE_ENDPOINT,
        rpcUrls: new Map([[{ ...definition, finality: this.chainRules.finality }, rpcUrls]]),
        since: new Date(since),
        adopt: true,
      });
      for (const { matching, unsettled, unexplained } of comparisons) {
        const open = JSON.stringify({ unsettled, unexplained });
        this.trace.add(`the operator compares: ${matching.matches.length} matches, adopted: ${adopted}, ${open}`);
      }
      return { adopted, unsettled: comparisons.flatMap(({ unsettled }) => unsettled) };
    } catch (error) {
      this.trace.add(`the operator compares: ${String(error)}`);
      return { adopted: false, unsettled: [] };
    }
  }

  /** Kills an isolate between two steps. */
  killOne(): void {
    const isolate = this.random.pickAny([...this.#front, ...this.#hosts].filter((one) => one?.isAlive));
    if (isolate === undefined) return;
    this.trace.add(`${isolate.name} dies`);
    isolate.die();
  }

  /** Deploys a new version: new work goes to new isolates; the old ones finish what they have started. */
  deploy(): void {
    this.trace.add('deployment');
    this.#front = this.#front.map(() => undefined);
    this.#hosts = this.#hosts.map(() => undefined);
    this.objects.replaceAll();
  }

  /**
   * Sometimes suspends an isolate while it waits for a response and moves its objects: the old instances resume later
   * with stale memory, beside the new ones.
   */
  #mayPause(from: Caller, service: Service): void {
    if (!(from instanceof Isolate) || !this.#hosts.includes(from)) return;
    if ((service !== 'database' && service !== 'chain') || !this.faults.happens('isolate-pauses', 0.03)) return;
    const milliseconds = this.random.span(500, 120_000);
    this.trace.add(`${from.name} stands still for ${milliseconds.toFixed(0)} ms`);
    from.pause(this.scheduler.now() + milliseconds);
    this.#hosts = this.#hosts.map((isolate) => (isolate === from ? undefined : isolate));
    for (const name of this.objects.names()) this.objects.move(name, from);
  }

  #frontIsolate(): Isolate {
    const place = this.random.whole(0, this.#front.length - 1);
    const isolate = this.#aliveAt(this.#front[place], 'front');
    this.#front = this.#front.with(place, isolate);
    return isolate;
  }

  #hostIsolate(): Isolate {
    const place = this.random.whole(0, this.#hosts.length - 1);
    const isolate = this.#aliveAt(this.#hosts[place], 'host');
    this.#hosts = this.#hosts.with(place, isolate);
    return isolate;
  }

  /** @returns the isolate, or a new one if it is dead or does not exist yet. */
  #aliveAt(isolate: Isolate | undefined, kind: string): Isolate {
    if (isolate?.isAlive === true) return isolate;
    this.#isolates += 1;
    return new Isolate(`${kind}-${this.#isolates}`, this.#bundle, this.#isolateWorld());
  }

  #isolateWorld() {
    return {
      boundary: this.boundary,
      network: this.network,
      random: this.random,
      clockOf: (name: string) => this.#clockOf(name),
      envOf: (owner: Isolate) => this.#envOf(owner),
    };
  }

  /** By how many milliseconds a clock is fast: by no more than the product allows for, where the database is set back. */
  #clockOf(name: string): number {
    if (!this.conditions.has('clocks apart')) return 0;
    return this.random.fork(`clock of ${name}`).span(1, this.conditions.has('set back') ? 50_000 : 240_000);
  }

  #envOf(owner: Isolate): object {
    const bindings = {
      ...Object.fromEntries(
        Object.entries(CONFIG.queues).map(([name, queue]) => [name, this.queues.producer(queue, owner)]),
      ),
      ...Object.fromEntries(
        Object.entries(CONFIG.objects).map(([name, kind]) => [name, this.objects.namespace(kind, owner)]),
      ),
      ...Object.fromEntries(CONFIG.limiters.map((name) => [name, { limit: async () => ({ success: true }) }])),
    };
    return {
      ...bindings,
      GLOBAL_SECRET_KEY: API_KEY,
      ADMIN_SECRET_KEY: ADMIN_KEY,
      ENCRYPTION_KEYS: `simulation.${ENCRYPTION_KEY.toString('base64')}`,
      ENVIRONMENT: 'local',
      ALLOWED_CHAIN_IDS: CHAIN_ID,
      DATABASE_URL: databaseUrlOf(owner.name),
      NEON_FETCH_ENDPOINT: DATABASE_ENDPOINT,
      [`RPC_URL_${CHAIN_ID}`]: this.providers.map((_, index) => `https://${rpcHostOf(index)}`).join(','),
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'id',
      AWS_SECRET_ACCESS_KEY: 'simulation-aws-key',
      SECRETS_ENDPOINT: 'https://secrets.example.com/',
      KMS_ENDPOINT: 'https://secrets.example.com/',
      EXCHANGE_RATE_URL: 'https://rates.example.com/price',
      METADATA_BASE_URI: METADATA_BASE,
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
      [`FINALITY_${CHAIN_ID}`]: String(this.chainRules.finality),
      [`CONFIRMATIONS_${CHAIN_ID}`]: String(this.#confirmations),
      WEBHOOK_RETRY_BASE_SECONDS: '1',
      ...(this.conditions.has('narrow windows') && {
        IN_FLIGHT_WINDOW: String(this.random.fork('window').whole(1, 4)),
      }),
    };
  }

  #addHosts(): void {
    this.network.add('database.example.com', this.database);
    for (const [index, provider] of this.providers.entries()) this.network.add(rpcHostOf(index), provider);
    this.network.add('secrets.example.com', this.secrets);
    this.network.add('rates.example.com', new ExchangeRates());
    this.network.add(HOOKS, this.targets);
  }
}

/** @param caller Whose statements the database is to tell from those of others. */
function databaseUrlOf(caller: string): string {
  return `postgres://user:password@database.example.com/main?application_name=${caller}`;
}

function envOfObject({ env }: Isolate, instance: number): object {
  return { ...env, DATABASE_URL: databaseUrlOf(`object-${instance}`) };
}

function rpcHostOf(index: number): string {
  return `rpc-${index}.example.com`;
}
