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
  'alarm-late',
  'message-lost',
  'message-twice',
  'message-late',
  'cleanup-twice',
  'outage',
  'reorganization',
  'node-stalls',
  'node-forgets',
  'node-lies',
  'fee-jump',
  'chain-halts',
  'nonce-used-elsewhere',
  'call-copied',
  'wallet-drained',
  'key-replaced',
  'account-deactivated',
  'pause',
  'gossip-lost',
] as const;
export type FaultEvent = (typeof EVENTS)[number];

/**
 * The faults of a run, drawn from the seed. Each seed has a subset of the kinds of faults, each with its own frequency, because
 * faults that always occur together hide what one of them alone would cause.
 */
export class Faults {
  readonly #random: Random;
  readonly #rates = new Map<Service, { readonly rate: number; readonly slow: number; readonly kinds: Ending[] }>();
  readonly #events = new Map<FaultEvent, number>();
  readonly #outages = new Map<Service, number>();
  #healed = false;

  /** @param calm Whether to inject no faults at all. */
  constructor(random: Random, calm: boolean) {
    this.#random = random.fork('faults');
    const choice = random.fork('choice of faults');
    for (const service of SERVICES) {
      if (calm || choice.chance(0.4)) continue;
      const kinds = FAILURES.filter(() => choice.chance(0.6));
      this.#rates.set(service, { rate: choice.span(0.002, 0.2), slow: choice.span(0.001, 0.1), kinds });
    }
    for (const event of EVENTS) {
      if (!calm && choice.chance(0.4)) this.#events.set(event, choice.span(0.02, 1));
    }
  }

  get healed(): boolean {
    return this.#healed;
  }

  /** Stops all faults. */
  heal(): void {
    this.#healed = true;
  }

  /** How often an event happens in this seed: 0 for never, up to 1. */
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
    const { rate, slow, kinds } = this.#rates.get(service) ?? { rate: 0, slow: 0, kinds: [] };
    const answered: Fate = { there, back, ending: 'answered', hasEffect: true };
    if (this.#healed) return answered;
    if ((this.#outages.get(service) ?? 0) > now) {
      return { there, back, ending: random.pick(['broken', 'silent', 'refused']), hasEffect: false };
    }
    const ending = random.chance(rate) ? random.pickAny(kinds) : undefined;
    if (ending !== undefined) return { there, back, ending, hasEffect: random.chance(0.5) };
    if (!random.chance(slow)) return answered;
    const delay = random.span(100, 90_000);
    return random.chance(0.5) ? { ...answered, there: there + delay } : { ...answered, back: back + delay };
  }
}
