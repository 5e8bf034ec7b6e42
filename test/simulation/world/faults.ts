import type { Random } from './random.ts';

/** What can fail at a boundary. */
const SERVICES = ['database', 'chain', 'secrets', 'rates', 'webhook', 'queue', 'object', 'client'] as const;
export type Service = (typeof SERVICES)[number];

/**
 * How a call across the boundary ends:
 * - `answered`: normally
 * - `broken`: the connection breaks, which the caller notices at once
 * - `silent`: there is never a response
 * - `refused`: the service responds that it is unavailable
 * - `nonsense`: the response is invalid
 * - `killed`: the caller dies
 */
type Ending = 'answered' | 'broken' | 'silent' | 'refused' | 'nonsense' | 'killed';

export interface Fate {
  /** Milliseconds from the call to its effect. */
  readonly there: number;
  /** Milliseconds from the effect to the reply. */
  readonly back: number;
  readonly ending: Ending;
  /** Whether the call takes effect; an answered one always does. */
  readonly hasEffect: boolean;
}

const FAILURES: readonly [Ending, ...Ending[]] = ['broken', 'silent', 'refused', 'nonsense', 'killed'];

/** The usual latency one way: minimum and maximum, in milliseconds. */
const PACE: Readonly<Record<Service, readonly [number, number]>> = {
  database: [0.5, 5],
  chain: [1, 20],
  secrets: [2, 30],
  rates: [10, 200],
  webhook: [5, 300],
  queue: [1, 20],
  object: [0.5, 10],
  client: [1, 30],
};

/** Spontaneous events. */
const EVENTS = [
  'isolate-dies',
  'isolate-pauses',
  'deployment',
  'object-evicted',
  'object-moved',
  'fence',
  'alarm-late',
  'message-lost',
  'message-twice',
  'message-late',
  'cleanup-twice',
  'outage',
  'reorganization',
  'node-stalls',
  'node-left-behind',
  'node-forgets',
  'node-lies',
  'receipts-late',
  'replaced-attempt-mined',
  'fee-jump',
  'chain-halts',
  'nonce-used-elsewhere',
  'call-copied',
  'signer-submits',
  'wallet-drained',
  'key-replaced',
  'relayer-replaced',
  'account-deactivated',
  'limit-raised',
  'writes-rejected',
  'pause',
  'gossip-lost',
  'receipts-partly',
  'receipts-old',
  'bodies-falsified',
  'capital-hex',
  'absurd-height',
  'fee-cap',
  'sends-refused',
  'stale-first-look',
  'provider-absent',
  'provider-strict',
  'provider-lags',
  'nonce-signed-elsewhere',
  'heads-raised',
  'counts-raised',
  'fees-falsified',
  'hashes-falsified',
  'receipts-falsified',
  'blocks-leap',
] as const;
export type FaultEvent = (typeof EVENTS)[number];

/** How a service misbehaves: the probabilities that a call fails and that it is slow, and how it fails. */
interface Weakness {
  readonly rate: number;
  readonly slow: number;
  /** The extra latency of a slow call: minimum and maximum, in milliseconds. */
  readonly delay: readonly [number, number];
  readonly kinds: readonly Ending[];
}

/** Faults that only matter in combination and when frequent: events and misbehaving services. */
interface Theme {
  readonly events: readonly FaultEvent[];
  readonly services?: Readonly<Partial<Record<Service, Weakness>>>;
  /** Whether most tokens go to contracts that accept them at some times and reject them at others. */
  readonly isMoody?: boolean;
  /** Whether most orders are mints in batches, many of them to accounts that have code at times. */
  readonly isBundling?: boolean;
  /** Whether accounts have limits. */
  readonly isLimited?: boolean;
  /** Whether most wallets have their keys in a KMS. */
  readonly isKms?: boolean;
  /** Whether most orders are signed requests, close together, and all nodes have every block at once. */
  readonly isImpatient?: boolean;
  /** Whether the chain has several providers, one of which misbehaves. */
  readonly hasSeveralProviders?: boolean;
}

const SLOW_STATEMENTS: Weakness = { rate: 0.02, slow: 0.1, delay: [5_000, 90_000], kinds: ['broken', 'silent'] };
const SLOW_NODES: Weakness = { rate: 0, slow: 0.3, delay: [50, 5_000], kinds: [] };
const SLOW_KEYS: Weakness = {
  rate: 0.15,
  slow: 0.2,
  delay: [500, 20_000],
  kinds: ['broken', 'silent', 'refused', 'nonsense'],
};
const DEADLY: Weakness = { rate: 0.08, slow: 0.01, delay: [100, 5_000], kinds: ['killed'] };

const THEMES = {
  'two drivers': { events: ['isolate-pauses', 'object-moved'], isMoody: true },
  fences: { events: ['fence', 'isolate-pauses', 'object-moved'], services: { chain: SLOW_NODES } },
  'late statements': { events: ['nonce-used-elsewhere'], services: { database: SLOW_STATEMENTS } },
  'late ends': { events: ['reorganization', 'isolate-pauses'], services: { database: SLOW_STATEMENTS } },
  'reverts on one branch': { events: ['reorganization'], isMoody: true },
  'nodes on other branches': { events: ['reorganization', 'node-stalls', 'node-left-behind'] },
  'nonces used elsewhere, then reorganized out': { events: ['nonce-used-elsewhere', 'reorganization'] },
  'nonces used elsewhere, with two drivers': { events: ['nonce-used-elsewhere', 'isolate-pauses'] },
  replacements: { events: ['fee-jump', 'replaced-attempt-mined', 'receipts-late'] },
  'receipts of other branches': { events: ['receipts-late', 'reorganization', 'node-stalls'] },
  lies: { events: ['node-lies', 'receipts-late'] },
  'copied calls': { events: ['call-copied', 'signer-submits', 'reorganization'] },
  'copied calls and old receipts': { events: ['call-copied', 'reorganization', 'receipts-old'] },
  'requests submitted by their signers': {
    events: ['signer-submits', 'message-lost', 'message-late'],
    isImpatient: true,
  },
  pauses: { events: ['pause', 'isolate-pauses'], services: { chain: SLOW_NODES } },
  limits: { events: ['limit-raised', 'isolate-pauses'], services: { chain: SLOW_NODES }, isLimited: true },
  deaths: { events: ['isolate-dies', 'deployment'], services: { database: DEADLY, chain: DEADLY } },
  messages: { events: ['message-lost', 'message-twice', 'message-late', 'alarm-late', 'object-evicted'] },
  pools: { events: ['node-forgets', 'gossip-lost', 'chain-halts', 'fee-jump'] },
  accounts: { events: ['key-replaced', 'relayer-replaced', 'account-deactivated', 'wallet-drained'], isMoody: true },
  'keys in a KMS': {
    events: ['key-replaced', 'fee-jump', 'isolate-pauses'],
    services: { secrets: SLOW_KEYS },
    isKms: true,
    isBundling: true,
  },
  outages: { events: ['outage', 'writes-rejected', 'cleanup-twice'] },
  'false bodies': { events: ['bodies-falsified', 'replaced-attempt-mined'] },
  'false bodies and nonces used elsewhere': { events: ['bodies-falsified', 'nonce-used-elsewhere'] },
  bundles: { events: ['reorganization', 'fee-jump', 'replaced-attempt-mined'], isBundling: true },
  'bundles and drivers': { events: ['isolate-pauses', 'object-moved', 'nonce-used-elsewhere'], isBundling: true },
  'bundles refused': { events: ['sends-refused', 'fee-cap', 'reorganization'], isBundling: true },
  'capital hex': { events: ['capital-hex', 'reorganization'] },
  'absurd heights': { events: ['absurd-height', 'isolate-dies'] },
  'capped fees': { events: ['fee-cap'] },
  'refused transactions': { events: ['sends-refused', 'isolate-pauses'] },
  'old first looks': { events: ['stale-first-look', 'reorganization', 'object-moved', 'isolate-pauses'] },
  'receipts for some': { events: ['receipts-partly', 'isolate-pauses', 'fee-jump'] },
  'a provider that lies': {
    events: ['node-lies', 'bodies-falsified', 'absurd-height', 'capital-hex'],
    hasSeveralProviders: true,
  },
  'a provider that lies about blocks': {
    events: ['heads-raised', 'hashes-falsified', 'fees-falsified', 'receipts-falsified'],
    hasSeveralProviders: true,
  },
  'a provider that shows what was only signed': {
    events: ['bodies-falsified', 'nonce-signed-elsewhere', 'counts-raised'],
    hasSeveralProviders: true,
  },
  'a provider that fails': {
    events: ['provider-absent', 'provider-strict', 'provider-lags', 'fee-cap', 'sends-refused'],
    hasSeveralProviders: true,
  },
} as const satisfies Readonly<Record<string, Theme>>;
export type ThemeName = keyof typeof THEMES;
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys are the names
export const THEME_NAMES = Object.keys(THEMES) as ThemeName[];

/**
 * The faults of a run, drawn from the seed. Three seeds of four concentrate on one or two themes, with few other
 * faults; the rest have a subset of all faults, each with its own frequency, because faults that always occur together
 * hide what one of them alone would cause.
 */
export class Faults {
  readonly #random: Random;
  readonly #weaknesses = new Map<Service, Weakness>();
  readonly #events = new Map<FaultEvent, number>();
  readonly #outages = new Map<Service, number>();
  /** The names of the seed's themes; empty if it has a mixture of all faults. */
  readonly themes: readonly ThemeName[];
  /** See {@link Theme}. */
  readonly isMoody: boolean;
  /** See {@link Theme}. */
  readonly isBundling: boolean;
  /** See {@link Theme}. */
  readonly isLimited: boolean;
  /** See {@link Theme}. */
  readonly isKms: boolean;
  /** See {@link Theme}. */
  readonly isImpatient: boolean;
  /** See {@link Theme}; also in some seeds without such a theme. */
  readonly hasSeveralProviders: boolean;
  #healed = false;

  /**
   * @param calm Whether to inject no faults at all.
   * @param others Further events that happen in this seed.
   */
  constructor(random: Random, calm: boolean, others: readonly FaultEvent[] = []) {
    this.#random = random.fork('faults');
    const choice = random.fork('choice of faults');
    this.themes = calm || choice.chance(0.25) ? [] : choice.shuffled(THEME_NAMES).slice(0, choice.whole(1, 2));
    const themes = this.themes.map((name): Theme => THEMES[name]);
    this.isMoody = themes.some(({ isMoody = false }) => isMoody);
    this.isBundling = themes.some(({ isBundling = false }) => isBundling);
    this.isLimited = themes.some(({ isLimited = false }) => isLimited);
    this.isKms = themes.some(({ isKms = false }) => isKms);
    this.isImpatient = themes.some(({ isImpatient = false }) => isImpatient);
    const areSeveral = choice.chance(0.2);
    this.hasSeveralProviders =
      !calm && (areSeveral || themes.some(({ hasSeveralProviders = false }) => hasSeveralProviders));
    const share = calm ? 0 : themes.length > 0 ? 0.1 : 0.5;
    for (const service of SERVICES) {
      if (!choice.chance(share)) continue;
      const kinds = FAILURES.filter(() => choice.chance(0.6));
      const [rate, slow] = [choice.span(0.002, 0.2), choice.span(0.001, 0.1)];
      this.#weaknesses.set(service, { rate, slow, delay: [100, 90_000], kinds });
    }
    for (const event of EVENTS) if (choice.chance(share)) this.#events.set(event, choice.span(0.02, 1));
    for (const { events, services = {} } of themes) {
      for (const event of events) this.#events.set(event, choice.span(1, 5));
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys are services
      for (const [service, weakness] of Object.entries(services)) this.#weaknesses.set(service as Service, weakness);
    }
    if (calm) return;
    const frequency = random.fork('other faults');
    for (const event of others) this.#events.set(event, this.#events.get(event) ?? frequency.span(0.2, 2));
  }

  get healed(): boolean {
    return this.#healed;
  }

  /** Whether an event may happen in this seed, before the faults end. */
  has(event: FaultEvent): boolean {
    return this.#events.has(event);
  }

  /** Stops all faults. */
  heal(): void {
    this.#healed = true;
  }

  /** How often an event happens in this seed: 0 for never, up to 1; up to 5 if it belongs to a theme of the seed. */
  frequency(event: FaultEvent): number {
    return this.#healed ? 0 : (this.#events.get(event) ?? 0);
  }

  /** Whether an event happens at a frequent opportunity. */
  happens(event: FaultEvent, share = 0.2): boolean {
    const frequency = this.frequency(event);
    return frequency > 0 && this.#random.chance(frequency * share);
  }

  /** Makes a service fail completely until the given time. */
  breakUntil(service: Service, time: number): void {
    this.#outages.set(service, time);
  }

  fate(service: Service, now: number): Fate {
    const random = this.#random;
    const [least, most] = PACE[service];
    const there = random.span(least, most);
    const back = random.span(least, most);
    const weakness = this.#weaknesses.get(service);
    const answered: Fate = { there, back, ending: 'answered', hasEffect: true };
    if (this.#healed) return answered;
    if ((this.#outages.get(service) ?? 0) > now) {
      return { there, back, ending: random.pick(['broken', 'silent', 'refused']), hasEffect: false };
    }
    if (weakness === undefined) return answered;
    const ending = random.chance(weakness.rate) ? random.pickAny(weakness.kinds) : undefined;
    if (ending !== undefined) return { there, back, ending, hasEffect: random.chance(0.5) };
    if (!random.chance(weakness.slow)) return answered;
    const delay = random.span(...weakness.delay);
    return random.chance(0.5) ? { ...answered, there: there + delay } : { ...answered, back: back + delay };
  }
}
