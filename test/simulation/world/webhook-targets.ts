import { Webhook } from 'standardwebhooks';
import type { Faults } from './faults.ts';
import type { Host, WireReply, WireRequest } from './network.ts';
import type { Random } from './random.ts';

/** A delivery that a target received and verified. */
interface Delivery {
  /** Of the target: the path of its URL. */
  readonly name: string;
  readonly eventId: string;
  readonly payload: string;
  /** Virtual milliseconds since the epoch. */
  readonly at: number;
  /** The status of the response. */
  readonly status: number;
}

/**
 * The webhook servers of customers. Each records its deliveries and responds with success, errors or rejections
 * according to its kind.
 */
export class WebhookTargets implements Host {
  readonly service = 'webhook';
  readonly deliveries: Delivery[] = [];
  /** Requests without a valid signature. */
  readonly forged: string[] = [];
  readonly #random: Random;
  readonly #faults: Faults;
  readonly #now: () => number;
  readonly #secretOf: (target: string) => string;

  /** @param secretOf Returns the secret of the account named in the URL's path. */
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
    // The library uses the machine's clock, the simulation a virtual one.
    if (Math.abs(at - this.#now()) > 300_000) return false;
    const expected = new Webhook(this.#secretOf(name)).sign(headers['webhook-id'] ?? '', new Date(at), body);
    return (headers['webhook-signature'] ?? '').split(' ').includes(expected);
  }
}
