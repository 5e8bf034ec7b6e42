import type { EpochMs } from '../core/epoch-ms.ts';
import type { HoldReason } from '../platform/database/vocabulary/order-status.ts';
import { isHoldExpired, nextTryAt, pauseHold } from './holds.ts';
import type { Job } from './job.ts';
import type { LaneContext } from './lane-context.ts';
import { OrderRefused, type NotNow } from './order-kind.ts';
import type { ReachedLimit } from './standing.ts';
import type { Hold } from './store/waiting.ts';

/** Why a job without a nonce ends. */
export interface Refusal {
  readonly job: Job;
  readonly result: 'failed' | 'cancelled';
  readonly reason: string;
}

type DriverHold = Exclude<HoldReason, 'earlier-request'>;

/** Which jobs of a chunk are not signed now: those that end, and those that are held. */
export class Decisions {
  readonly refused: Refusal[] = [];
  readonly held: Hold[] = [];
  readonly now: EpochMs;
  readonly #settings: LaneContext['services']['settings'];

  constructor({ services: { clock, settings } }: Pick<LaneContext, 'services'>) {
    this.now = clock.now();
    this.#settings = settings;
  }

  refuse(job: Job, result: Refusal['result'], reason: string): undefined {
    this.refused.push({ job, result, reason });
  }

  hold(job: Job, reason: DriverHold, detail: string, reached?: ReachedLimit): undefined {
    const next = nextTryAt(reason, job.transaction.tries, this.now);
    this.held.push({ job, reason, detail, nextTryAt: next, ...(reached === undefined ? {} : { reached }) });
  }

  /** Holds a job for what somebody must do by a time. */
  holdUntil(job: Job, until: Date, detail: string): undefined {
    this.held.push({ job, reason: 'not-now', detail, nextTryAt: until });
  }

  /** Holds a job, or ends one that has been held for that reason for too long. */
  holdOrRefuse(job: Job, reason: DriverHold, detail: string): undefined {
    if (isHoldExpired(job.transaction, reason, this.#settings, this.now)) this.refuse(job, 'failed', detail);
    else this.hold(job, reason, detail);
  }

  holdPaused(job: Job, paused: NonNullable<Job['paused']>): undefined {
    this.held.push({
      job,
      ...pauseHold(job.transaction, paused),
      nextTryAt: nextTryAt('paused', job.transaction.tries, this.now),
    });
  }

  /** @param error Why it is not signed. */
  notNow(job: Job, error: OrderRefused | NotNow): undefined {
    if (error instanceof OrderRefused) this.refuse(job, 'failed', error.message);
    else this.holdOrRefuse(job, 'not-now', error.message);
  }
}
