import { z } from 'zod';
import { requireChainOf } from '../accounts/chains-of-actor.ts';
import { notFound } from '../core/domain-error.ts';
import { addressField, contractAddressField, txHashField } from '../core/fields.ts';
import { ORDER_STATUSES } from '../platform/database/vocabulary/order-status.ts';
import { pageFields, pageOf, pageRange, type Page } from '../core/paging.ts';
import type { AnyOrderKind } from '../engine/order-kind.ts';
import type { Progressing, StoredOrder } from '../engine/order-row.store.ts';
import type { TenantServices } from '../services.ts';
import { findOrder, listOrders as selectOrders, type OrderKey } from './orders.store.ts';

/** Kinds whose orders share a path. */
export type KindsOfPath = readonly [AnyOrderKind, ...AnyOrderKind[]];

/** The filters of a list: the columns of addresses, besides the contract's, with their descriptions. */
export type Parties = Readonly<Record<string, string>>;

/** How the API shows the orders of these kinds, and the schema of its replies. */
export function resourceOf([{ name, resource, events }]: KindsOfPath) {
  if (resource === null || events === null) throw new Error(`Orders of the kind ${name} are not shown`);
  return { ...resource, schema: events.data };
}

/** How the orders of these kinds are made of their rows. */
function requireForm(kinds: KindsOfPath) {
  const { form, name } = resourceOf(kinds);
  if (form === null) throw new Error(`${name}: more than a row of an order`);
  return form;
}

/** Makes the reply of a stored order. */
function replyOf({ account }: TenantServices, kinds: KindsOfPath) {
  const resource = resourceOf(kinds);
  return (order: Progressing<StoredOrder>): unknown =>
    resource.reply({ orderId: order.id, chainId: order.chainId, account, order }, order.progress);
}

/**
 * An order, or the one that a mined transaction executed, successfully or not: the first of several.
 * @throws {DomainError} `not-found` if the account has no such order; `forbidden` when the key is not for its chain.
 */
export async function getOrder(services: TenantServices, kinds: KindsOfPath, key: OrderKey): Promise<unknown> {
  const order = await findOrder(services.db, requireForm(kinds), kinds, key);
  if (order === undefined) throw notFound(resourceOf(kinds).name);
  requireChainOf(services.actor, order.chainId);
  return replyOf(services, kinds)(order);
}

function partyFields(parties: Parties) {
  return Object.fromEntries(
    Object.entries(parties).map(([name, description]) => [name, addressField.optional().meta({ description })]),
  );
}

export function orderListQuery(parties: Parties) {
  return z.object({
    ...pageFields,
    status: z.enum(ORDER_STATUSES).optional().meta({ description: 'Only in this state' }),
    contractAddress: contractAddressField.optional().meta({ description: 'Only of this contract' }),
    txHash: txHashField.optional().meta({ description: 'Only what this transaction executed' }),
    ...partyFields(parties),
  });
}

/** A page of the account's orders, newest first. */
export async function listOrders(
  services: TenantServices,
  kinds: KindsOfPath,
  parties: Parties,
  query: z.output<ReturnType<typeof orderListQuery>>,
): Promise<Page<unknown>> {
  const range = pageRange(query);
  const { status, contractAddress, txHash } = query;
  const filter = { status, contractAddress, txHash, parties: z.object(partyFields(parties)).parse(query) };
  const { rows, searchedTo } = await selectOrders(services.db, requireForm(kinds), kinds, filter, range);
  return pageOf(rows, range, replyOf(services, kinds), searchedTo);
}
