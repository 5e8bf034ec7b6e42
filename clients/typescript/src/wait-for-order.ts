import {
  ORDERS,
  type DeployedContract,
  type MintingOrder,
  type Operations,
  type OrderReply,
  type RelayedMintingOrder,
} from './api.ts';
import { ClientError } from './errors.ts';
import type { RequestOptions } from './operation.ts';
import { FIRST_WAIT_MS, jittered, longerWait, pause } from './pause.ts';

/** Everything that is accepted at once and carried out later. */
export type Order = OrderReply | RelayedMintingOrder;

/** An order that was carried out. */
export type Done<Some extends Order> = Some extends DeployedContract
  ? DeployedContract & { readonly status: 'ACTIVE'; readonly contractAddress: string }
  : Some extends RelayedMintingOrder
    ? MintingOrder & { readonly status: 'CONFIRMED'; readonly txHash: string }
    : Some & { readonly status: 'CONFIRMED'; readonly txHash: string };

export interface WaitOptions extends RequestOptions {
  /** How long to wait at most, in milliseconds; default ten minutes. */
  readonly timeoutMs?: number;
}

export type WaitFor = <Some extends Order>(order: Some, options?: WaitOptions) => Promise<Done<Some>>;

/** The order was not carried out, and never will be: it is FAILED or CANCELLED. */
export class OrderFailedError extends ClientError {
  override readonly name = 'OrderFailedError';
  readonly order: Order;

  /** @internal */
  constructor(order: Order) {
    super(`${nameOf(order)} is ${order.status}${order.errorMessage === null ? '' : `: ${order.errorMessage}`}`);
    this.order = order;
  }
}

/** The order has not ended in time; `hold` says why it waits, if it does. It goes on by itself. */
export class WaitTimeoutError extends ClientError {
  override readonly name = 'WaitTimeoutError';
  /** As it was read last. */
  readonly order: Order;

  /** @internal */
  constructor(order: Order) {
    super(`${nameOf(order)} is still ${order.status}${order.hold === null ? '' : `: ${order.hold.detail}`}`);
    this.order = order;
  }
}

const TIMEOUT_MS = 600_000;

/** The method that waits for an order. */
export function waitForOrder(operations: Operations): WaitFor {
  return async (order, { timeoutMs = TIMEOUT_MS, signal } = {}) => {
    const read = readerOf(operations, order);
    const timeout = AbortSignal.timeout(timeoutMs);
    const either = signal === undefined ? timeout : AbortSignal.any([timeout, signal]);
    let current: Order = order;
    for (let wait = FIRST_WAIT_MS; ; wait = longerWait(wait)) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of the kind of the order, and done
      if (isDone(current)) return current as Done<typeof order>;
      if (current.status === 'FAILED' || current.status === 'CANCELLED') throw new OrderFailedError(current);
      try {
        await pause(jittered(wait), either);
        current = await read({ signal: either });
      } catch (error) {
        signal?.throwIfAborted();
        throw timeout.aborted ? new WaitTimeoutError(current) : error;
      }
    }
  };
}

const isDone = ({ status }: Order) => status === 'CONFIRMED' || status === 'ACTIVE';

const idOf = (order: Order) => ('_id' in order ? order._id : 'jobId' in order ? order.jobId : order.id);

/** The kind of an order. @throws {TypeError} if it is none. */
function kindOf(order: Order): (typeof ORDERS)[number] {
  const kind = ORDERS.find(({ mark }) => mark in order);
  if (kind === undefined) throw new TypeError('This is no order');
  return kind;
}

/** How the order is read. */
function readerOf(operations: Operations, order: Order): (options: RequestOptions) => Promise<Order> {
  const [{ read }, id] = [kindOf(order), idOf(order)];
  return (options) => operations[read]({ id }, options);
}

const nameOf = (order: Order) => `The ${kindOf(order).title} ${idOf(order)}`;
