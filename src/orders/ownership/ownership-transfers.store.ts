import { sql } from 'drizzle-orm';
import type { Address } from 'viem';
import { deploymentOf } from '../../catalog/contracts/contracts.store.ts';
import { ORDER_STATUS } from '../../core/order-status.ts';
import type { AnyOrderKind } from '../../engine/order-kind.ts';
import { insertTransactions } from '../../engine/transactions.store.ts';
import type { Condition, Statement, SystemDb } from '../../platform/database/client.ts';
import { ownershipTransfers } from '../../platform/database/schema.ts';
import { valuesTable } from '../../platform/database/values.ts';

/** An ownership transfer that follows a deployment. */
export interface FollowingTransfer {
  /** The deployment's id: a deployment is followed by at most one transfer. */
  readonly id: string;
  readonly accountId: string;
  readonly chainId: string;
  readonly walletAddress: Address;
  readonly contractAddress: Address;
  readonly newOwnerAddress: Address;
  readonly at: Date;
}

/**
 * The statements, for a batch that ends deployments, that store the ownership transfers which follow, with their
 * transactions. A deployment that ends a second time after a reorganization already has its transfer.
 * @param kind The kind of the ownership transfers.
 */
export function insertFollowingTransfers(
  db: SystemDb,
  kind: Pick<AnyOrderKind, 'name' | 'orders'>,
  hasEnded: (deploymentId: Condition) => Condition,
  transfers: readonly FollowingTransfer[],
): Statement[] {
  const [first] = transfers;
  if (first === undefined) return [];
  const shape = {
    id: 'text',
    accountId: 'text',
    chainId: 'text',
    contractAddress: 'text',
    newOwnerAddress: 'text',
    at: 'timestamptz',
  } as const;
  const rows = transfers.map(({ id, accountId, chainId, contractAddress, newOwnerAddress, at }) => ({
    id,
    accountId,
    chainId,
    contractAddress,
    newOwnerAddress,
    at,
  }));
  return [
    db.sql.execute(sql`
      insert into ${ownershipTransfers}
        (id, corporate_account_id, contract_id, chain_id, contract_address, new_owner_address, status, created_at, updated_at)
      select v.id, v."accountId", v.id, v."chainId", v."contractAddress", v."newOwnerAddress", ${ORDER_STATUS.waiting}, v.at, v.at
      from ${valuesTable('v', shape, rows)}
      where ${hasEnded(sql`v.id`)}
      on conflict (id) do nothing`),
    // If this batch did not end the deployment, there is no ownership transfer and therefore no transaction.
    insertTransactions(
      db,
      kind,
      transfers.map(({ id, chainId, walletAddress }) => ({
        orderId: id,
        chainId,
        walletAddress,
        after: deploymentOf(id),
      })),
      first.at,
    ),
  ];
}
