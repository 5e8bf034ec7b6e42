import { z } from 'zod';
import { DomainError } from '../../core/domain-error.ts';
import { wakeLanes } from '../../engine/wake-lanes.ts';
import { laneOf } from '../../engine/wallet-lane.ts';
import type { TenantServices } from '../../services.ts';
import { ordersWith } from '../orders.store.ts';
import { acceptEach, acceptOne, batchItems, storeWithinLimits } from '../accept-batch.ts';
import { conflictsAmong, countRefused } from './conflicts-among.ts';
import { draftOrders, orderInput, type NamedInput, type OrderInput } from './draft-orders.ts';
import { mintKind } from './mint-kind.ts';
import { forestalled } from './mint-rules.ts';
import { insertOrders, type MintingOrder, type NewMintingOrder } from './minting-orders.store.ts';
import { mintingOrders } from '../order-forms.ts';

/**
 * Accepts mints individually: stores the orders as PENDING and wakes their lanes. It takes one round trip for the
 * checks and one for the inserts, whatever the number of orders; and one more, or two with a notice, if the account's
 * limits refuse some of them. Of two orders for the same metadata in one call the first is stored; between two calls
 * the database decides. What an earlier attempt of the same request has
 * stored is not validated again.
 * @returns the orders, and why the others are refused, by their ids.
 */
export async function acceptMints(
  services: TenantServices,
  inputs: readonly NamedInput[],
): Promise<Map<string, MintingOrder | DomainError>> {
  const { account, clock, db, isRetry } = services;
  const ids = inputs.map(({ id }) => id);
  const earlier = new Map(
    (isRetry ? await ordersWith(db, mintingOrders, [mintKind], ids) : []).map((order) => [order.id, order]),
  );
  const left = inputs.filter(({ id }) => !earlier.has(id));
  const drafted = await draftOrders(services, left);
  const conflicts = await conflictsAmong(services, drafted);
  const drafts = drafted.map((draft, index) => conflicts[index] ?? draft);
  const created = drafts.flatMap((draft) => (draft instanceof DomainError ? [] : [draft.order]));
  const { stored, refused } = await storeWithinLimits(services, created, (accepting, allowed) =>
    insertOrders(accepting, mintKind, account.walletAddress, withoutRivals(allowed), new Date(clock.now())),
  );
  await countRefused(services, drafted, refused);
  const orders = new Map<string, MintingOrder>([...earlier, ...stored.map((order) => [order.id, order] as const)]);
  wakeLanes(
    services,
    mintKind,
    [...orders.values()].map(({ chainId }) => laneOf(chainId, account.walletAddress)),
  );
  const results = left.map(({ id }, index): [string, MintingOrder | DomainError] => {
    const draft = drafts[index];
    if (draft === undefined) throw new Error('An order had no draft');
    if (draft instanceof DomainError) return [id, draft];
    return [id, orders.get(id) ?? refused.get(id) ?? forestalled(draft.order)];
  });
  return new Map([...earlier, ...results]);
}

/**
 * Leaves out those that use the metadata of an earlier one, unless both are more of one ERC-1155 token: a statement
 * does not see what it inserts.
 */
function withoutRivals(orders: readonly NewMintingOrder[]): NewMintingOrder[] {
  const firsts = new Map<string, NewMintingOrder>();
  return orders.filter((order) => {
    const first = firsts.get(order.metadataId);
    if (first === undefined) firsts.set(order.metadataId, order);
    return first === undefined || isMoreOf(first, order);
  });
}

function isMoreOf(first: NewMintingOrder, { ercStandard, contractId, tokenId }: NewMintingOrder): boolean {
  return ercStandard === '1155' && contractId === first.contractId && tokenId === first.tokenId;
}

/** {@link acceptMints} for one order. @throws {DomainError} why it is refused. */
export async function acceptMint(services: TenantServices, input: OrderInput): Promise<MintingOrder> {
  return await acceptOne(services, input, acceptMints);
}

export const batchInput = z
  .strictObject({ orders: batchItems('order', { schema: 'CreateMintingOrder', path: 'POST /minting/order' }) })
  .meta({ id: 'CreateMintingOrders' });

/** Accepts or refuses each order individually. @returns for each, in order, the order or why it is refused. */
export async function acceptBatch(
  services: TenantServices,
  { orders }: z.output<typeof batchInput>,
): Promise<(MintingOrder | DomainError)[]> {
  return await acceptEach(services, orders, orderInput, acceptMints);
}
