import { Webhook } from 'standardwebhooks';
import type { Faults } from './faults.ts';
import type { Host, WireReply, WireRequest } from './network.ts';
import type { Random } from './random.ts';

/** What a target received and could verify. */
interface Delivery {
  /** Of the target: the path of its URL. */
  readonly name: string;
  readonly eventId: string;
  readonly payload: string;
  /** Virtual milliseconds since the epoch. */
  readonly at: number;
  /** What it was answered with. */
  readonly status: number;
}

/**
 * The servers of customers: each keeps what it received, and answers well, badly or with a refusal, as its nature is.
 */
export class WebhookTargets implements Host {
  readonly service = 'webhook';
  readonly deliveries: Delivery[] = [];
  /** What was sent without a valid signature. */
  readonly forged: string[] = [];
  readonly #random: Random;
  readonly #faults: Faults;
  readonly #now: () => number;
  readonly #secretOf: (target: string) => string;

  /** @param secretOf The secret of the account whose target it is; the path of the URL names it. */
  constructor(random: Random, faults: Faults, now: () => number, secretOf: (target: string) => string) {
    this.#random = random.fork('webhook targets');
    this.#faults = faults;
    this.#now = now;
    this.#secretOf = secretOf;
  }

  label({ headers }: WireRequest): string {
    return headers['webhook-id'] ?? 'without an id';
  }

  answer({ url, headers, body }: WireRequest): WireReply {
    const eventId = headers['webhook-id'] ?? '';
    const name = url.pathname.slice(1);
    if (!this.#isGenuine(name, headers, body)) this.forged.push(`${eventId} to ${name}`);
    const status = this.#statusOf();
    this.deliveries.push({ name, eventId, payload: body, at: this.#now(), status });
    return { status, body: '' };
  }

  #statusOf(): number {
    if (this.#faults.healed || !this.#random.chance(0.1)) return this.#random.pick([200, 200, 201, 202, 204]);
    return this.#random.pick([500, 503, 400, 410, 302]);
  }

  #isGenuine(name: string, headers: WireRequest['headers'], body: string): boolean {
    const at = Number(headers['webhook-timestamp']) * 1_000;
    // The library compares with the machine's clock; the world has its own.
    if (Math.abs(at - this.#now()) > 300_000) return false;
    const expected = new Webhook(this.#secretOf(name)).sign(headers['webhook-id'] ?? '', new Date(at), body);
    return (headers['webhook-signature'] ?? '').split(' ').includes(expected);
  }
}
