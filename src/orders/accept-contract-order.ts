import type { Address } from 'viem';
import { requireOwner } from '../catalog/contracts/require-owner.ts';
import { ownerView } from '../catalog/contracts/views.ts';
import type { Chain } from '../chains/client.ts';
import { readContract } from '../chains/contract-reads.ts';
import { credibleHeight } from '../chains/credible-height.ts';
import { newRecord } from '../core/record-id.ts';
import type { AnyOrderKind } from '../engine/order-kind.ts';
import type { Progressing, StoredOrder } from '../engine/order-row.store.ts';
import { wakeLanes } from '../engine/wake-lanes.ts';
import { laneOf } from '../engine/wallet-lane.ts';
import { withinLimits } from '../limits/within-limits.ts';
import type { TenantServices } from '../services.ts';
import { wakeEndpoints } from '../webhooks/wake-endpoints.ts';
import { unlessUnderWay, type NewSingularOrder } from './equal-orders.store.ts';
import { findEarlier } from './find-earlier.ts';
import { insertOrder, type Carrier } from './orders.store.ts';
import type { StoredOrders } from './stored-orders.ts';

/** Orders by which the owner of a contract changes it, of which no equal ones may be under way. */
interface ContractOrders<Order, New> {
  readonly stored: StoredOrders<Order, New>;
  readonly kind: AnyOrderKind;
  /** What such an order does, for the message that another one is under way. */
  readonly does: string;
}

/** An order to store; the account's wallet makes its call. */
interface ContractDraft<New> extends Omit<Carrier, 'walletAddress'> {
  readonly order: New;
  /** What an equal order has in common with it. */
  readonly same: NewSingularOrder['same'];
}

/**
 * Accepts an order of the account's wallet about one of its contracts, once however often its request is repeated.
 * @param draft Makes the order, or throws why there is none.
 * @throws {DomainError} `conflict` if an equal one is under way; what the account's limits refuse; what `draft` throws.
 */
export async function acceptContractOrder<Order extends StoredOrder, New extends NewSingularOrder['order']>(
  services: TenantServices,
  { stored, kind, does }: ContractOrders<Order, New>,
  draft: (record: { readonly id: string; readonly createdAt: Date }) => Promise<ContractDraft<New>>,
): Promise<Progressing<Order>> {
  const { walletAddress } = services.account;
  const { id, now } = newRecord(services);
  const earlier = await findEarlier(services, stored, [kind], id);
  if (earlier !== undefined) return earlier;
  const { order, same, ...carrier } = await draft({ id, createdAt: now });
  const accepted = await unlessUnderWay(does, () =>
    withinLimits(services, (db) => insertOrder(db, stored, kind, order, { walletAddress, ...carrier }, same)),
  );
  wakeLanes(services, kind, [laneOf(order.chainId, walletAddress)]);
  wakeEndpoints(services, accepted.endpointIds);
  return accepted.order;
}

/**
 * Reads a contract that the account's wallet owns on chain.
 * @param reading What is read of it besides, in the same batch.
 * @returns that, and the block that was read or a later one.
 * @throws {DomainError} `conflict` if the wallet is not its owner; `upstream` if the chain does not answer.
 */
export async function readOwned<Reading>(
  { account }: TenantServices,
  chain: Chain,
  contractAddress: Address,
  reading: Promise<Reading>,
): Promise<{ readonly reading: Reading; readonly blockNumber: number }> {
  const [read, owner, blockNumber] = await Promise.all([
    reading,
    readContract(chain.client, ownerView(contractAddress)),
    // Last in the batch, so that nothing read before it is from a newer block.
    credibleHeight(chain),
  ]);
  requireOwner(owner, account.walletAddress);
  return { reading: read, blockNumber };
}
