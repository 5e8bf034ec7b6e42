import type { Hex } from 'viem';
import type { Fragment, ResultsOf, Statement, Statements, SystemDb } from '../platform/database/client.ts';
import type { LaneNotice } from './lane-notice.ts';
import type { Job } from './job.ts';
import type { AnyOrderKind, OrderEnd, Outcome } from './order-kind.ts';
import type { WalletLane } from './wallet-lane.ts';

/** A first attempt that is stored and will be sent. */
export interface SentOrder {
  readonly job: Job;
  readonly hash: Hex;
  readonly nonce: number;
}

/** An order that a batch ends, and what it writes to its row. */
export interface EndedOrder {
  readonly job: Job;
  readonly outcome: Outcome<unknown, unknown>;
  readonly end: OrderEnd;
}

/**
 * Notifications about orders. Each is stored in the SQL transaction of the change that it reports, with a row
 * `endpoint_id` for each receiver, and delivered after the commit.
 */
export interface Hooks {
  /**
   * Common table expressions of a statement that holds orders; the last one is `added`, with the receivers. The
   * statement has a table `held`: the held rows of `orders`, each with its `reason_before`.
   */
  held(now: Date): Fragment;
  /** The same for a statement whose table `notified` has a row if a lane's account is to be notified. */
  ofLane(lane: WalletLane, notice: LaneNotice, now: Date): Fragment;
  /** A statement of the batch that stores first attempts. */
  sent(db: SystemDb, lane: WalletLane, orders: readonly SentOrder[], at: Date): Statement | undefined;
  /** A statement of a batch of endings; it leaves out those that the batch did not end, which lack its id. */
  ended(db: SystemDb, batchId: string, orders: readonly EndedOrder[]): Statement;
  /** The receivers, from the reply of a statement. */
  receiversOf(reply: unknown): readonly string[];
  /** Starts the delivery of stored notifications. */
  wake(receivers: readonly string[]): Promise<void>;
  /**
   * Best-effort work after orders of a kind have ended.
   * @param results The results of the kind's `ended` statements.
   */
  afterwards(
    kind: AnyOrderKind,
    outcomes: readonly Outcome<unknown, unknown>[],
    results: ResultsOf<Statements>,
  ): Promise<void>;
}
