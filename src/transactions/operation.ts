import type { Address, Hex, TransactionReceipt } from 'viem';
import type { Account } from '../accounts/account.ts';
import type { Statement } from '../platform/database/client.ts';
import type { IdMessage } from '../platform/queues/messages.ts';
import type { Fee } from '../platform/rates/fee.ts';
import type { Services } from '../services.ts';
import type { EventDraft } from '../webhooks/event.ts';

/** A call of a contract, as the wallet of the account will make it. */
export interface Call {
  readonly to: Address;
  readonly data: Hex;
  /**
   * A call that fails for the same reason and says it, where the call itself does not: the call that a forwarder or a
   * deployment proxy makes in turn.
   */
  readonly probe?: { readonly from: Address; readonly to?: Address; readonly data: Hex };
  /**
   * Gas that the called contract must be able to hand on whole to a call of its own, or else reverts. A node's estimate has
   * it in full, however little of it is used: the estimate is the least gas with which the call does not revert.
   */
  readonly reservedGas?: bigint;
}

/** An unfinished order, with what the engine needs to know of it. */
export interface Claim<Order> {
  /** Id of the order; with the operation's kind it names the one transaction. */
  readonly orderId: string;
  readonly chainId: string;
  readonly account: Account;
  readonly order: Order;
}

/** How the one transaction of an operation ended. */
export type Outcome<Order, Success> = {
  readonly claim: Claim<Order>;
  /** Time of the settle. */
  readonly at: Date;
} & (
  | { readonly result: 'succeeded'; readonly success: Success; readonly txHash: Hex; readonly fee: Fee }
  /** Mined, and did not do what was asked. */
  | { readonly result: 'reverted'; readonly reason: string; readonly txHash: Hex; readonly fee: Fee }
  /** Given up before anything was signed. */
  | { readonly result: 'dropped'; readonly reason: string }
);

/** What a settle writes beside the engine's own table, in the same SQL transaction. */
export interface Settlement {
  readonly statements: readonly Statement[];
  readonly events: readonly EventDraft[];
}

/**
 * The one thing on chain that an order asks for. The engine knows no feature: it is handed operations.
 * `Order` is the stored order, `Success` what the logs of a mined transaction say was done.
 */
export interface Operation<Order, Success> {
  readonly kind: Exclude<IdMessage['kind'], 'webhook'> | 'mint';

  /**
   * Of `orderIds`, those that cannot be carried out before an earlier order has ended. They are not claimed and come again
   * in a second. Absent where orders do not depend on each other.
   */
  waiting?(services: Services, orderIds: readonly string[]): Promise<readonly string[]>;

  /** Moves PENDING orders to PROCESSING and returns all of `orderIds` that are not finished. */
  claim(services: Services, orderIds: readonly string[]): Promise<Claim<Order>[]>;

  /**
   * The call that carries the order out.
   * @throws {OperationRefused} when it is certain that the order cannot be carried out.
   * @throws {OperationDeferred} when that cannot be known yet.
   */
  buildCall(services: Services, claim: Claim<Order>): Promise<Call>;

  /** Reads out of a successful receipt's logs what was done; a text says why it is not what was asked. */
  interpret(
    services: Services,
    claim: Claim<Order>,
    receipt: TransactionReceipt,
  ): Promise<Success | { readonly failure: string }>;

  /**
   * Says why the call reverts where the contract's own error does not tell a reader; may ask the chain. Absent where it
   * always does.
   * @param reason `Reverted: ` and the contract's error.
   * @returns the order's `errorMessage`.
   */
  explainRevert?(services: Services, claim: Claim<Order>, reason: string): Promise<string>;

  /** Moves orders whose transaction was broadcast to SENT; undefined where the order has no such state. */
  markSent(services: Services, orderIds: readonly string[]): Statement | undefined;

  /**
   * The statements that end these orders. Each must be bound to `settlementId` (`bySettlement`), so that a settle that
   * another consumer was faster with changes nothing.
   */
  settle(services: Services, settlementId: string, outcomes: readonly Outcome<Order, Success>[]): Settlement;

  /** What follows the settle and may be lost: warming a cache. */
  settled?(services: Services, outcomes: readonly Outcome<Order, Success>[]): Promise<void>;
}

/** The order can never be carried out; its message becomes the order's `errorMessage`. Nothing was signed. */
export class OperationRefused extends Error {
  override readonly name = 'OperationRefused';
}

/** The order cannot be carried out at the moment, or nobody knows yet whether it can: it comes again. */
export class OperationDeferred extends Error {
  override readonly name = 'OperationDeferred';
}
