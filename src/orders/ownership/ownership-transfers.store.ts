import { sql } from 'drizzle-orm';
import type { Address } from 'viem';
import { deploymentOf } from '../../catalog/contracts/deployment.ts';
import { newId } from '../../core/record-id.ts';
import type { AnyOrderKind } from '../../engine/order-kind.ts';
import { insertionOf } from '../../engine/transactions.store.ts';
import type { Condition, Statement, SystemDb } from '../../platform/database/client.ts';

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
 * The statement, for a batch that ends deployments, that stores the ownership transfers which follow. A deployment that
 * ends a second time after a reorganization already has its transfer.
 * @param kind The kind of the ownership transfers.
 * @param hasEnded Whether a deployment was ended by this batch.
 */
export function insertFollowingTransfers(
  db: SystemDb,
  kind: Pick<AnyOrderKind, 'name' | 'resource' | 'columns'>,
  hasEnded: (deploymentId: Condition) => Condition,
  transfers: readonly FollowingTransfer[],
): Statement | undefined {
  const [first] = transfers;
  if (first === undefined) return undefined;
  const orders = transfers.map(({ id, accountId, chainId, walletAddress, contractAddress, newOwnerAddress }) => ({
    orderId: id,
    accountId,
    chainId,
    walletAddress,
    columns: kind.columns({ contractId: id, contractAddress, newOwnerAddress }),
    after: deploymentOf(id),
  }));
  return db.sql.execute(
    insertionOf(db.asked, kind, orders, first.at, {
      batchId: newId(first.at.getTime()),
      where: hasEnded(sql`o.id`),
      onConflict: sql`on conflict (id) do nothing`,
    }),
  );
}
