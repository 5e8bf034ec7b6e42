import type { Address, Hex } from 'viem';
import { relayerOf } from '../accounts/account.ts';
import { requireAllowedChain } from '../chains/allowed-chain.ts';
import { invalidInput, type InputIssue } from '../core/domain-error.ts';
import { endedWithoutEffect, type OrderStatus } from '../platform/database/vocabulary/order-status.ts';
import { newRecord } from '../core/record-id.ts';
import type { AnyOrderKind } from '../engine/order-kind.ts';
import { orderOf, type OrderForm, type ReplyRow } from '../engine/order-row.store.ts';
import { ID_TAKEN } from '../engine/transactions.store.ts';
import { wakeLanes } from '../engine/wake-lanes.ts';
import { laneOf } from '../engine/wallet-lane.ts';
import type { AcceptedKind, AcceptingDb } from '../limits/limits.store.ts';
import { withinLimits } from '../limits/within-limits.ts';
import { runBatch, type Rows, type TenantDb } from '../platform/database/client.ts';
import { isAborted, isUniqueViolation } from '../platform/database/errors.ts';
import type { TenantServices } from '../services.ts';
import { checkForwarding, type SignedInput, chainlessIssues } from './check-forwarding.ts';
import { checkHolding } from './check-holding.ts';
import { deadlineField, withDeadline } from './deadline.ts';
import { refuseStillEarly, rememberEarly } from './early-requests.ts';
import type { Holding } from '../chains/token-transfer.ts';
import { forwarderAddressField, forwarderNonceField, gasLimitField, signatureField } from './forward-fields.ts';
import { NONCE_TAKEN, type NewForwardRequest, type StoredRequest } from './forward-requests.store.ts';
import { isSameRequest } from './is-same-request.ts';
import { relayRecords, selectRelayRecords, type RelayRecords } from './relay-records.store.ts';
import { nonceUsed } from './signer-state.ts';

/** The fields of a request that its holder signs, besides those of its call. */
export const unsignedFields = {
  gasLimit: gasLimitField,
  forwarderAddress: forwarderAddressField.optional(),
  deadline: deadlineField,
};

/** The fields of a signed request, besides those of its call. */
export const signedFields = {
  ...unsignedFields,
  signature: signatureField,
  forwarderNonce: forwarderNonceField.optional(),
};

/** An order that a holder's request becomes. */
interface HolderOrder {
  readonly id: string;
  readonly chainId: string;
  readonly status: OrderStatus;
}

/** What is compared of an order when its request is posted again. */
interface StoredHolding extends HolderOrder {
  /** Null: the order is not of a holder's tokens. */
  readonly ercStandard: Holding['ercStandard'] | null;
  readonly amount: number | null;
}

/** A row of an order, and what its signer signed. */
export interface SignedRow {
  readonly order: ReplyRow;
  readonly request: StoredRequest;
}

/** The fields of a body that a holder signed. */
interface HolderInput extends SignedInput {
  readonly ercStandard?: Holding['ercStandard'] | undefined;
  readonly amount?: number | undefined;
}

/** What a draft adds when it is stored as an order. */
interface NewOrder {
  readonly id: string;
  readonly chainId: string;
  readonly createdAt: Date;
}

/** How a kind stores the orders of holders' requests. */
export interface HolderOrders<Draft extends Holding, Order extends StoredHolding, Input extends HolderInput> {
  readonly kind: AcceptedKind & Pick<AnyOrderKind, 'queue'>;
  readonly form: OrderForm<Order>;
  /** The call that a body's fields define, without a deadline. */
  encode(input: Input & Pick<Holding, 'ercStandard' | 'amount'>): Hex;
  /** The order that an earlier attempt of the same request has stored. @param id The same at each attempt. */
  findEarlier(services: TenantServices, id: string): Promise<Order | undefined>;
  /** The statement that reads the account's newest order with this signature. */
  find(db: TenantDb, signature: Hex): Rows<SignedRow>;
  /**
   * Stores an order with its transaction and reserves the signer's nonce for it, in one SQL transaction.
   * @throws {LimitExceeded}; a violation of {@link ID_TAKEN}, or of {@link NONCE_TAKEN} if another order uses the nonce;
   *   `nonce_used` if one has used it.
   */
  insert(db: AcceptingDb, walletAddress: Address, order: Draft & NewOrder, request: NewForwardRequest): Promise<Order>;
}

/** What a request's fields say that it does. */
export interface HolderDraft<Draft extends Holding> {
  readonly issues: readonly InputIssue[];
  /** Undefined if the fields do not define it. */
  readonly draft: Draft | undefined;
  /** Its call, without a deadline; undefined likewise. */
  readonly call: Hex | undefined;
}

/** An accepted order, and whether this request created it. */
export interface AcceptedOrder<Order> {
  readonly order: Order;
  readonly isNew: boolean;
}

/**
 * Accepts what a holder signed about its tokens: stores the order as PENDING and wakes its lane, after checking
 * everything that can be checked.
 *
 * Posting the same signed request again returns the same order in its current state, so that a caller can retry after a
 * broken connection; it costs one query. Once that order is FAILED or CANCELLED the request counts as a new one: if
 * nothing was sent its nonce is still free, otherwise the nonce is stale.
 * @param draftOf What the fields say.
 * @throws {DomainError} `invalid` with every issue; `upstream` if the chain does not answer.
 */
export async function acceptHolderRequest<
  Draft extends Holding,
  Order extends StoredHolding,
  Input extends HolderInput,
>(
  services: TenantServices,
  orders: HolderOrders<Draft, Order, Input>,
  input: Input,
  draftOf: (records: RelayRecords) => HolderDraft<Draft>,
): Promise<AcceptedOrder<Order>> {
  const { db, account, chains } = services;
  const { id, now } = newRecord(services);
  const stored = await orders.findEarlier(services, id);
  if (stored !== undefined) return { order: stored, isNew: false };

  const chain = requireAllowedChain(chains, input.chainId, () => chainlessIssues(services, input));
  await refuseStillEarly(services, chain, input);
  const { found, relayed } = await runBatch(db, {
    found: orders.find(db, input.signature),
    relayed: selectRelayRecords(db, input),
  });
  const known = earlierOf(services, orders, input, id, found);
  if (known !== undefined) return known;
  const read = relayRecords(relayed);
  const { issues: draftIssues, draft, call } = draftOf(read);
  const data = call && withDeadline(call, input.deadline);
  const [holdingIssues, { issues, request, early }] = await Promise.all([
    // First in the batch: the height, which comes with the forwarding, must not be below what is read here.
    draft === undefined ? [] : checkHolding(chain, draft),
    checkForwarding(services, chain, input, data, read),
  ]);
  if (issues.length > 0 || holdingIssues.length > 0 || draftIssues.length > 0) {
    // A concurrent request may have been faster.
    const earlier = earlierOf(services, orders, input, id, await orders.find(db, input.signature));
    if (earlier !== undefined) return earlier;
    if (early !== undefined && draftIssues.length + holdingIssues.length === 0) rememberEarly(services, input, early);
    const noContract = issues.some(({ path }) => path === 'contractAddress');
    throw invalidInput([...draftIssues, ...issues, ...(noContract ? [] : holdingIssues)]);
  }
  if (draft === undefined || request === undefined) throw new Error('A draft without issues has no request');

  const values = { ...draft, id, chainId: chain.id, createdAt: now };
  let order: Order;
  try {
    order = await withinLimits(services, (accepting) => orders.insert(accepting, relayerOf(account), values, request));
  } catch (error) {
    const isUsed = isAborted(error, 'nonce_used');
    if (!isUsed && !isUniqueViolation(error, NONCE_TAKEN) && !isUniqueViolation(error, ID_TAKEN)) throw error;
    // A concurrent request was faster: the same one, or one that uses the nonce.
    const earlier = earlierOf(services, orders, input, id, await orders.find(db, input.signature));
    if (earlier !== undefined) return earlier;
    if (isUsed) throw nonceUsed(BigInt(request.nonce));
    return await acceptHolderRequest(services, orders, input, draftOf);
  }
  wakeLanes(services, orders.kind, [laneOf(chain.id, relayerOf(account))]);
  return { order, isNew: true };
}

/** The existing order of the same request, unless it FAILED or was CANCELLED: then the request may be tried again. */
function earlierOf<Draft extends Holding, Order extends StoredHolding, Input extends HolderInput>(
  services: TenantServices,
  orders: HolderOrders<Draft, Order, Input>,
  input: Input,
  id: string,
  [found]: readonly SignedRow[],
): AcceptedOrder<Order> | undefined {
  if (found === undefined) return undefined;
  const { request } = found;
  const order = orderOf(orders.form, found.order);
  const { ercStandard } = order;
  const amount = input.amount ?? 1;
  if (ercStandard === null || (input.ercStandard ?? ercStandard) !== ercStandard || amount !== order.amount)
    return undefined;
  if (!isSameRequest(request, input, orders.encode({ ...input, ercStandard, amount }))) return undefined;
  // A crashed attempt with the same Idempotency-Key has the same id.
  if (endedWithoutEffect(order.status) && order.id !== id) return undefined;
  if (order.status === 'PENDING') {
    wakeLanes(services, orders.kind, [laneOf(order.chainId, relayerOf(services.account))]);
  }
  return { order, isNew: false };
}
