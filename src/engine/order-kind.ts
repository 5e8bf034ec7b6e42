import type { Address, Hex, Log } from 'viem';
import type { z } from 'zod';
import type { Parties } from './account-limits.ts';
import type { Account } from '../accounts/account.ts';
import type { Condition, Rows, Statement, SystemDb } from '../platform/database/client.ts';
import type { contracts, mintingOrders, ownershipTransfers, transferOrders } from '../platform/database/schema.ts';
import type { Settings } from '../platform/env.ts';
import type { Fee } from '../platform/rates/fee.ts';
import type { WorkQueue } from '../platform/queues/messages.ts';
import type { OrderProgress } from '../core/result-fields.ts';
import type { OrderStage } from '../core/order-status.ts';
import type { Services } from '../services.ts';
import type { EventType } from '../webhooks/event.ts';

/** An unfinished order of some kind, with what the engine needs to carry it out. */
export interface Claim<Order> {
  readonly orderId: string;
  readonly chainId: string;
  /** Whose wallet makes the call. */
  readonly account: Account;
  readonly order: Order;
}

/** A call of a contract by the account's wallet. Never with value. */
export interface Call {
  readonly to: Address;
  readonly data: Hex;
  /** The gas limit, where the kind knows it and an estimate does not show it. Absent: 1.25 times the estimate. */
  readonly gas?: bigint;
  /**
   * A call that fails for the same reason and says it, where the call itself does not: the call that a forwarder or a
   * deployment proxy makes in turn.
   */
  readonly probe?: { readonly from: Address; readonly to?: Address; readonly data: Hex };
}

/** The order can never be carried out; the message becomes its `errorMessage`. */
export class OrderRefused extends Error {
  override readonly name = 'OrderRefused';
}

/** Whether an order can be carried out cannot be known now; it is tried again, with growing pauses. */
export class NotNow extends Error {
  override readonly name = 'NotNow';
}

/** What a call would do at a block: what it returns, or that it reverts. */
export type CallResult =
  | { readonly data: Hex }
  /** `data` is what it reverts with; `reason` names the error, where it is one. */
  | { readonly reverted: true; readonly data: Hex; readonly reason: string | undefined };

/**
 * Reads of a chain at one block, which is not below what the order builds on ({@link insertTransactions}): an answer is
 * certain. Reads that are asked for together share requests. Each throws {@link NotNow} when the chain gives no answer.
 */
export interface ChainReads {
  /** The block that is read. */
  readonly blockNumber: number;
  call(call: {
    readonly from?: Address;
    /** Absent: `data` is creation code. */
    readonly to?: Address;
    readonly data: Hex;
    readonly gas?: bigint;
  }): Promise<CallResult>;
  /** `0x` where there is none. */
  code(address: Address): Promise<Hex>;
  /** Logs of mined transactions, oldest first. */
  logs(filter: {
    readonly address: Address;
    readonly topics: readonly (Hex | null)[];
    readonly fromBlock: number;
    readonly toBlock: number;
  }): Promise<readonly Log[]>;
  receipt(hash: Hex): Promise<Receipt | undefined>;
}

/** The receipt of a mined transaction, checked against the hash that was asked for. */
export interface Receipt {
  readonly transactionHash: Hex;
  readonly blockNumber: number;
  readonly blockHash: Hex;
  readonly status: 'success' | 'reverted';
  readonly gasUsed: bigint;
  /** Wei. */
  readonly effectiveGasPrice: bigint;
  readonly logs: readonly Log[];
}

/** What a kind's functions that ask the world are handed. */
export interface KindContext {
  readonly services: Services;
  readonly reads: ChainReads;
}

/** What a stranger's transaction brought about. */
export interface ForeignEffect<Effect> {
  readonly effect: Effect;
  /** Null where the chain keeps no log of it: it counts once it shows in a final block. */
  readonly place: MinedPlace | null;
}

/** A transaction and the block that has it. */
export interface MinedPlace {
  readonly txHash: Hex;
  readonly blockNumber: number;
  readonly blockHash: Hex;
}

/** How an order ended. */
export type Outcome<Order, Effect> = {
  readonly claim: Claim<Order>;
  /** When it was written down. */
  readonly at: Date;
} & (
  | {
      readonly result: 'confirmed';
      readonly effect: Effect;
      /** The transaction that had the effect; null where it is a stranger's that left no log. */
      readonly mined: MinedPlace | null;
      /** What our own transaction cost; undefined where a stranger's had the effect and none of ours was mined. */
      readonly fee: Fee | undefined;
    }
  | {
      readonly result: 'failed' | 'cancelled';
      readonly reason: string;
      /** Our mined transaction, which did not have the effect; undefined where none was mined. */
      readonly mined: { readonly txHash: Hex; readonly blockNumber: number; readonly fee: Fee } | undefined;
    }
);

/** What the end of an order writes into its row; the columns have these names in every table but for two. */
export interface OrderEnd {
  /** The table's own word; see {@link OrderTable.statuses}. */
  readonly status: string;
  readonly txHash: Hex | null;
  readonly gasUsed: string | null;
  readonly totalFeeNative: string | null;
  readonly nativePriceUsd: number | null;
  readonly totalFeeUsd: number | null;
  readonly nativePriceKrw: number | null;
  readonly totalFeeKrw: number | null;
  readonly errorMessage: string | null;
  readonly completedAt: Date;
  readonly updatedAt: Date;
}

/** Where the orders of a kind are kept. */
export interface OrderTable {
  /** What GET /status calls them. */
  readonly label: string;
  readonly table: typeof mintingOrders | typeof transferOrders | typeof ownershipTransfers | typeof contracts;
  /** What the table calls each stage of an order; the same word where it does not tell two apart. */
  readonly statuses: Readonly<Record<OrderStage, string>>;
  /** The SQL columns that have a name of their own in this table. */
  readonly columns: { readonly txHash: string; readonly gasUsed: string };
}

/** The events that tell an account how orders of a kind ended. */
export interface OrderEvents<Order, Effect, Reply> {
  readonly types: Readonly<Record<'confirmed' | 'failed' | 'cancelled', EventType>>;
  /** The form of an event's data: the resource's response form. */
  readonly data: z.ZodType<Reply>;
  /** An event's data: the resource as it is after this end. */
  reply(outcome: Outcome<Order, Effect>, end: OrderEnd & { readonly progress: OrderProgress }): Reply;
}

/** How the API shows orders of a kind. */
export interface OrderResource<Order, Reply> {
  /** Its routes begin with this; kinds that share it are shown as one. */
  readonly path: string;
  /** The heading of its routes in the API document. */
  readonly tag: string;
  /** What errors call it. */
  readonly name: string;
  /** The response form, as in the data of its events. */
  reply(claim: Claim<Order>, progress: OrderProgress): Reply;
}

/**
 * A kind of order: everything that the engine, the consumer, the cleanup job and the counts need to know of it. The engine
 * knows no feature; it is handed the kinds of `src/orders/kinds.ts`.
 * `Order` is the stored order with what is joined to it; `Effect` what a mined transaction's logs say was done; `Reply` the data of events.
 */
export interface OrderKind<Order, Effect, Reply> {
  /** Stored in `transactions.kind`. */
  readonly name: string;
  /** The queue that carries the wake-ups of its orders. */
  readonly queue: WorkQueue;
  /** Null: there is no order, only a transaction (the filler). */
  readonly orders: OrderTable | null;
  /** After how many minutes without a change the cleanup job wakes a lane for an order of this kind. */
  readonly idleMinutes: { readonly waiting: number; readonly signed: number };
  /** Null: nobody sees them. */
  readonly resource: OrderResource<Order, Reply> | null;
  /** Null: nobody is told. */
  readonly events: OrderEvents<Order, Effect, Reply> | null;

  /** What an account's limits look at: of a stored order, and of one that is about to be stored. */
  parties(order: Order): Parties;

  /** The most gas that an order may take; an estimate above it fails the order before anything is signed. */
  gasCeiling(order: Order, settings: Settings): bigint;

  /**
   * The statement that reads orders for the engine, with all that the rest of this interface needs.
   * @param condition Which: a condition on `transactions`, which the statement joins on kind and order id.
   */
  load(db: SystemDb, condition: Condition): Rows<{ readonly orderId: string; readonly order: Order }>;

  /** Null where orders of the kind do not depend on each other. */
  readonly dependency: {
    /** A condition on `transactions`, true of those whose predecessor has not ended: they are not claimed. */
    readonly blocked: Condition;
    /**
     * The last statement of a batch that ended orders: raises `notBeforeBlock` of their successors to the block of the end, makes
     * them due, and returns the lanes that these belong to.
     */
    release(
      db: SystemDb,
      batchId: string,
      now: Date,
    ): Rows<{ readonly chainId: string; readonly walletAddress: Address }>;
  } | null;

  /** The call that carries the order out; the same for the same order, however often. @throws {OrderRefused} */
  call(claim: Claim<Order>): Call;

  /**
   * What must hold beside a call that does not revert; null for nothing.
   * @throws {OrderRefused} when it is certain, from `reads`, that the order cannot be carried out.
   * @throws {NotNow}
   */
  readonly check: ((context: KindContext, claim: Claim<Order>) => Promise<void>) | null;

  /**
   * What the receipt of the order's call shows was done, or why it is not what was ordered.
   * @param calldata What was called, from the stored bytes: another version of the service may have signed them.
   */
  readReceipt(
    claim: Claim<Order>,
    receipt: Receipt,
    calldata: Hex,
  ): { readonly effect: Effect } | { readonly failure: string };

  /**
   * Says why an order fails where the chain's own reason does not tell a reader; best effort. Null where it always does.
   * @param reason The chain's.
   * @param receipt Of the mined call; undefined where nothing was signed.
   * @returns the order's `errorMessage`.
   */
  readonly explain:
    | ((context: KindContext, claim: Claim<Order>, reason: string, receipt: Receipt | undefined) => Promise<string>)
    | null;

  /**
   * Looks for the effect in a transaction that is not the order's own: a public call that someone copied. Undefined when it is
   * certain, from `reads`, that there is none. Null where nobody but the wallet can bring the effect about.
   * @param signed Calldata of the order's attempts, which strangers may have seen.
   * @throws {NotNow}
   */
  readonly findForeignEffect:
    | ((
        context: KindContext,
        claim: Claim<Order>,
        signed: readonly Hex[],
      ) => Promise<ForeignEffect<Effect> | undefined>)
    | null;

  /**
   * What an ending writes beside the order's own row, which the engine writes. Each statement must be bound to the rows that the batch
   * has ended (`ofBatch`): a batch that comes second changes nothing.
   */
  ended(db: SystemDb, batchId: string, outcomes: readonly Outcome<Order, Effect>[]): readonly Statement[];

  /** The same for orders that are SENT again, because the block of their end was taken back. */
  reopened(db: SystemDb, batchId: string, claims: readonly Claim<Order>[]): readonly Statement[];

  /** What follows the ending and may be lost: filling a cache, waking lanes. Null for nothing. */
  readonly settled: ((services: Services, outcomes: readonly Outcome<Order, Effect>[]) => Promise<void>) | null;
}

/** A kind whatever its orders are; each is handed its own orders only. */
// oxlint-disable-next-line typescript/no-explicit-any -- the registry is the one place where kinds of different orders stand together
export type AnyOrderKind = OrderKind<any, any, any>;

/** The kinds of the service, by name. */
export type OrderKinds = ReadonlyMap<string, AnyOrderKind>;
