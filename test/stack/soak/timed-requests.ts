import { z } from 'zod';

const resourceSchema = z.record(z.string(), z.unknown());
export type Resource = z.output<typeof resourceSchema>;

/** A request that was answered. */
export interface TimedRequest {
  /** Method and route. */
  readonly name: string;
  /** Milliseconds since the start, when it was answered. */
  readonly at: number;
  readonly milliseconds: number;
}

/** Requests with their times and their errors. */
export class TimedRequests {
  readonly answered: TimedRequest[] = [];
  /** What no client should see, with how often it was seen: every status of 400 and more but 429 and those expected. */
  readonly errors = new Map<string, number>();
  limited = 0;
  readonly #baseUrl: string;
  readonly #started = performance.now();

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
  }

  /** Milliseconds since the start. */
  now(): number {
    return performance.now() - this.#started;
  }

  /**
   * Sends a request.
   * @param name What it counts as.
   * @param expected Statuses that are no errors, besides success and 429.
   * @returns the reply; undefined if it is not a success, or not an object.
   */
  async send(
    name: string,
    path: string,
    init: RequestInit,
    expected: readonly number[] = [],
  ): Promise<Resource | undefined> {
    const started = performance.now();
    try {
      const reply = await fetch(`${this.#baseUrl}${path}`, { ...init, signal: AbortSignal.timeout(60_000) });
      const text = await reply.text();
      this.answered.push({ name, at: this.now(), milliseconds: performance.now() - started });
      if (reply.status === 429) this.limited += 1;
      else if (!reply.ok && !expected.includes(reply.status)) this.#count(`${name}: ${reply.status} ${text}`);
      if (!reply.ok || text === '') return undefined;
      const document = resourceSchema.safeParse(JSON.parse(text));
      return document.success ? document.data : undefined;
    } catch (error) {
      this.#count(
        `${name}: ${error instanceof Error ? `${error.message} ${error.cause instanceof Error ? error.cause.message : ''}` : String(error)}`,
      );
      return undefined;
    }
  }

  /** The percentile of the answers between two times, in milliseconds; 0 without any. */
  percentile(share: number, from: number, to: number): number {
    return percentileOf(
      share,
      this.answered.filter(({ at }) => at >= from && at < to).map(({ milliseconds }) => milliseconds),
    );
  }

  #count(error: string): void {
    const known = error.replaceAll(/[0-9a-f]{24}|\d{4}-\d\d-\d\dT[\d:.]+Z/g, '...').slice(0, 300);
    this.errors.set(known, (this.errors.get(known) ?? 0) + 1);
  }
}

/** @param share From 0 to 1. @returns 0 without any. */
export function percentileOf(share: number, values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}
