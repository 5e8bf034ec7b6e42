import type { Address, Hex, Log } from 'viem';
import type { z } from 'zod';
import type { Receipt } from '../chains/rpc-values.ts';
import type { Clock } from '../core/clock.ts';
import type { WalletAccount } from './wallet-account.store.ts';
import type { Scope } from '../platform/database/vocabulary/scope.ts';
import type { Fragment, Rows, SystemDb, Statements } from '../platform/database/client.ts';
import type { OrderResourceName } from '../platform/database/schema.ts';
import type { Settings } from '../platform/env.ts';
import type { Fee } from '../platform/rates/fee.ts';
import type { WorkQueue } from '../platform/queues.ts';
import type { OrderProgress } from './order-result.ts';
import type { EndState } from '../platform/database/vocabulary/order-status.ts';
import type { OrderColumns, OrderForm, OrderRow, StoredOrder } from './order-row.store.ts';
import type { WalletLane } from './wallet-lane.ts';

/** An unfinished order of any kind, with what the engine needs to execute it. */
export interface Claim<Order> {
  readonly orderId: string;
  readonly chainId: string;
  /** The account, with the wallet that makes the call. */
  readonly account: WalletAccount;
  readonly order: Order;
}

/** A call to a contract from the account's wallet, always without value. */
export interface Call {
  readonly to: Address;
  readonly data: Hex;
  /** The gas limit, if the kind knows it better than an estimate. Default: the estimate and a margin. */
  readonly gas?: bigint;
  /**
   * If a stranger's code runs in the call: the same call to the same contract without it, and how much more gas than
   * that one it may need.
   */
  readonly bound?: { readonly data: Hex; readonly more: bigint };
  /**
   * A call that fails for the same reason and reports it when the call itself does not: the inner call of a forwarder
   * or a deployment proxy.
   */
  readonly probe?: { readonly from: Address; readonly to?: Address; readonly data: Hex };
}

/** The order can never succeed; the message becomes its `errorMessage`. */
export class OrderRefused extends Error {
  override readonly name = 'OrderRefused';
}

/** Whether the order can succeed cannot be determined now: it is retried with backoff. */
export class NotNow extends Error {
  override readonly name = 'NotNow';
}

/** The result of a simulated call: its return data, or its revert. */
export type CallResult =
  | { readonly data: Hex }
  /** `data` is the revert data; `reason` describes the error if it can be decoded. */
  | { readonly reverted: true; readonly data: Hex; readonly reason: string | undefined };

/**
 * Reads a chain at one block, which is never below the block that the order depends on ({@link insertTransactions}), so
 * results are definitive. Reads started together are batched. Each throws {@link NotNow} if the chain does not answer.
 */
export interface ChainReads {
  /** The block that is read. */
  readonly blockNumber: number;
  call(call: {
    readonly from?: Address;
    /** Absent if `data` is creation code. */
    readonly to?: Address;
    readonly data: Hex;
    readonly gas?: bigint;
  }): Promise<CallResult>;
  /** `0x` if there is none. */
  code(address: Address): Promise<Hex>;
  /** Logs of mined transactions, oldest first; undefined if nodes do not return those of so many blocks. */
  logs(filter: {
    readonly address: Address;
    readonly topics: readonly (Hex | null)[];
    readonly fromBlock: number;
    readonly toBlock: number;
  }): Promise<readonly Log[] | undefined>;
  receipt(hash: Hex): Promise<Receipt | undefined>;
}

/** The dependencies of a kind's functions that read the chain. */
export interface KindContext {
  readonly db: SystemDb;
  readonly clock: Clock;
  readonly reads: ChainReads;
  /** Milliseconds between blocks, on average. */
  readonly blockTimeMs: number;
}

/** The contract that an order acts on, and who receives its tokens or contract; in any letter case. */
export interface Parties {
  /** Null if the order creates a contract. */
  readonly contract: Address | null;
  readonly receivers: readonly Address[];
}

/** An order's effect that a third party's transaction had. */
export interface ForeignEffect<Effect> {
  readonly effect: Effect;
  /** Null if the effect leaves no log; it then counts once a block in which it was seen is final. */
  readonly inclusion: Inclusion | null;
  /** Whether no other order can have it: then it counts in a transaction of another order too. */
  readonly isOwn?: boolean;
}

/** A mined transaction and the block that includes it. */
export interface Inclusion {
  readonly txHash: Hex;
  readonly blockNumber: number;
  readonly blockHash: Hex;
}

/** How an order ended. */
export type Outcome<Order, Effect> = {
  readonly claim: Claim<Order>;
  /** When the end was recorded. */
  readonly at: Date;
} & (
  | {
      readonly result: 'confirmed';
      readonly effect: Effect;
      /** The transaction that had the effect; null if it is a third party's that left no log. */
      readonly mined: Inclusion | null;
      /** The cost of our own transaction; undefined if a third party's had the effect and none of ours was mined. */
      readonly fee: Fee | undefined;
    }
  | {
      readonly result: 'failed' | 'cancelled';
      readonly reason: string;
      /** Our mined transaction, which did not have the effect; undefined if none was mined. */
      readonly mined: { readonly txHash: Hex; readonly blockNumber: number; readonly fee: Fee } | undefined;
    }
);

/** The columns that the end of an order writes. */
export interface OrderEnd {
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

/** How the engine makes orders of their rows. */
export interface OrderReading<Order> {
  /**
   * An expression: what an order needs of other tables, by a row of `orders`, as a JSON object; null if it is not
   * there. Absent: the row has all.
   */
  readonly joined?: Fragment;
  /** The order of a row, with that object. */
  parse(row: OrderRow, joined: unknown): Order;
}

/** An event: its type, and when it is sent. */
interface EventType {
  readonly type: string;
  readonly when: string;
}

/** The webhook events for the ends of a kind's orders. */
export interface OrderEvents<Order, Effect, Reply> {
  readonly types: Readonly<Record<EndState, EventType>>;
  /** The schema of an event's data: the resource's response form. */
  readonly data: z.ZodType<Reply>;
  /** An event's data: the resource as of this end. */
  reply(outcome: Outcome<Order, Effect>, end: OrderEnd & { readonly progress: OrderProgress }): Reply;
}

/** The words for an order that waits until `approval_until` for someone to let it go ahead. */
export interface WaitingWords {
  /** The reason shown while the order is held. */
  readonly held: string;
  /** How the order ends if nobody has acted in time, and why; the time follows. */
  readonly result: 'failed' | 'cancelled';
  readonly overdue: string;
  /** Why the order ended if it was cancelled before. */
  readonly cancelled: string;
}

/** How the API shows orders of a kind. */
export interface OrderResource<Order, Reply> {
  /** Stored in `orders.resource`. */
  readonly id: OrderResourceName;
  /** The name in the response of GET /status. */
  readonly label: string;
  /** The prefix of its routes; kinds that share it have the same resource. */
  readonly path: string;
  /** The scope that a key of the account needs to order it, and to cancel it. */
  readonly scope: Scope;
  /** The tag of its routes in the API document. */
  readonly tag: string;
  /** The name in error messages. */
  readonly name: string;
  /** Null if orders are more than their rows: a contract is in the catalogue too. */
  readonly form: OrderForm<StoredOrder> | null;
  /** The response form, as in the data of its events. */
  reply(claim: Claim<Order>, progress: OrderProgress): Reply;
}

/** A call that a bundle made for one order. */
export interface CallPart {
  readonly data: Hex;
  /** Whether the bundle's receipt shows its effect. */
  readonly isDone: boolean;
}

/**
 * How one call carries out several orders, and no other order keeps one from its effect: it leaves out those that it
 * cannot carry out, and never fails because of one. `readReceipt` finds the effect of each in the call's receipt.
 */
export interface Bundling<Order> {
  /** The contract, if it has such a call; null otherwise. */
  contract(claim: Claim<Order>): Address | null;
  /**
   * Whether its contract would carry it out a second time. Such orders need two nodes at least: a single one that hides
   * a part of a receipt would have them executed again.
   */
  isRepeatable(claim: Claim<Order>): boolean;
  /** Two orders with the same mark have effects that a receipt cannot tell apart: they never share a call. */
  mark(claim: Claim<Order>): string;
  /** What each order needs of the call's gas limit, whatever the state of the chain, besides {@link baseGas}. */
  gas(claim: Claim<Order>): bigint;
  readonly baseGas: bigint;
  calldata(claims: readonly Claim<Order>[]): Hex;
  /**
   * The calls that would have carried out the same orders one by one; none if it is no such call.
   * @param logs Of its receipt.
   */
  split(call: { readonly to: Address; readonly data: Hex }, logs: readonly Log[]): readonly CallPart[];
  /**
   * The orders that a simulated call would carry out, by their places in it.
   * @param result The result of the simulated call. @returns undefined if it does not say.
   */
  carriedOut(result: Hex): ((place: number) => boolean) | undefined;
}

/**
 * A kind of order: everything that the engine, the consumer, the cleanup job and the counts need to know about it. The
 * engine itself knows no feature; it receives the kinds from `src/orders/kinds.ts`. `Order` is the stored order with
 * joined data, `Effect` what a mined transaction's logs show, `Reply` the data of events, `Ended` the statements of an
 * ending.
 */
export interface OrderKind<Order, Effect, Reply, Ended extends Statements = Statements> {
  /** Stored in `orders.kind`. */
  readonly name: string;
  /** The queue that carries the wake-ups of its orders. */
  readonly queue: WorkQueue;
  /** How many minutes an order of this kind may be idle before the cleanup job wakes its lane. */
  readonly idleMinutes: { readonly waiting: number; readonly signed: number };
  /** Null if there is no order, only a transaction (bundles). */
  readonly resource: OrderResource<Order, Reply> | null;
  /** Null if no events are sent. */
  readonly events: OrderEvents<Order, Effect, Reply> | null;

  /** What the ledger stores of an order; nothing of a deployment, which its contract says. */
  columns(order: Order): OrderColumns;

  /** What the account's limits check, of a stored order and of one about to be stored. */
  parties(order: Order): Parties;

  /** The most gas that an order may use; a higher estimate fails the order before anything is signed. */
  gasCeiling(order: Order, settings: Settings): bigint;

  /** Reads orders of the kind, with everything that the other members need. Null if there are none (bundles). */
  readonly reading: OrderReading<Order> | null;

  /** Null if orders of the kind do not depend on each other. */
  readonly dependency: {
    /** Whether its orders need what the others have done: a refusal counts only once that is final. Default: no. */
    readonly needsEffects?: boolean;
    /**
     * A statement that reads which orders must end before a transaction is claimed, the first one first: `detail`,
     * which says so to its owner, and `since`. None once its own deadline has passed: it ends without them.
     * @param transaction The name of its row.
     */
    predecessors(transaction: Fragment, now: Fragment): Fragment;
    /**
     * A statement of each batch that ends orders of the kind: raises `notBeforeBlock` of their successors to the block
     * of the end, makes them due, and returns their lanes. Absent: none of the kind has successors.
     * @param orderIds Of those that the batch may end.
     */
    release?(db: SystemDb, batchId: string, orderIds: readonly string[], now: Date): Rows<WalletLane>;
  } | null;

  /** The call that executes the order; deterministic. @throws {OrderRefused} */
  call(claim: Claim<Order>): Call;

  /** Absent if its orders wait for nobody but a second person who must approve them. */
  readonly waiting?: WaitingWords;

  /** Null if each order needs a transaction of its own. Otherwise `check` and `findForeignEffect` are null. */
  readonly bundling: Bundling<Order> | null;

  /**
   * Preconditions beyond a call that does not revert; null if there are none.
   * @param wasSigned Whether its call was signed before, and may be known to others.
   * @throws {OrderRefused} if `reads` prove that the order cannot succeed, and that nobody else can make it succeed
   *   with that call.
   * @throws {NotNow}
   */
  readonly check: ((context: KindContext, claim: Claim<Order>, wasSigned: boolean) => Promise<void>) | null;

  /**
   * Reads the order's effect from the receipt of its call, or why it is missing.
   * @param calldata From the stored bytes, because another version of the service may have signed them.
   */
  readReceipt(
    claim: Claim<Order>,
    receipt: Receipt,
    calldata: () => Hex,
  ): { readonly effect: Effect } | { readonly failure: string };

  /**
   * Explains a failure whose on-chain reason is not clear to a reader; best effort. Null if it always is.
   * @param reason The reason from the chain.
   * @param receipt The receipt of the mined call; undefined if nothing was signed.
   * @returns the order's `errorMessage`.
   */
  readonly explain:
    | ((context: KindContext, claim: Claim<Order>, reason: string, receipt: Receipt | undefined) => Promise<string>)
    | null;

  /**
   * Finds the effect in a third party's transaction, which may have copied a public call. Resolves to undefined if
   * `reads` prove that there is none. Null if only the wallet can have the effect.
   * @param signed The calldata of the order's attempts, which third parties may have seen.
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
   * The statements that lock what `ended` and `reopened` write, before any order is changed: an acceptance locks
   * contracts and metadata first, and then may wait for an order that uses them. Absent: they write nothing that it
   * locks.
   */
  readonly locks?: ((db: SystemDb, claims: readonly Claim<Order>[]) => Statements) | undefined;

  /**
   * The statements that an ending needs beyond the order's row, which the engine writes. Each must be restricted to the
   * rows that the batch ended (`ofBatch`), so that a repeated batch changes nothing.
   */
  ended(db: SystemDb, batchId: string, outcomes: readonly Outcome<Order, Effect>[]): Ended;

  /** As `ended`, for orders that are SENT again because the block of their end was reorganized out. */
  reopened(db: SystemDb, batchId: string, claims: readonly Claim<Order>[]): Statements;
}

/** A kind with any type of order; each only receives its own orders. */
// oxlint-disable-next-line typescript/no-explicit-any -- the registry holds kinds with different order types
export type AnyOrderKind = OrderKind<any, any, any, any>;

/** The kinds of the service, by name. */
export type OrderKinds = ReadonlyMap<string, AnyOrderKind>;
