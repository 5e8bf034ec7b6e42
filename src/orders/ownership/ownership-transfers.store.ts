import { and, eq, getTableColumns, sql } from 'drizzle-orm';
import type { Address } from 'viem';
import type { OrderProgress } from '../../core/result-fields.ts';
import { acceptTransactions, endpointsOfAccepted } from '../../engine/limits.store.ts';
import type { AcceptedKind } from '../../engine/limits.store.ts';
import { deploymentOf } from '../../catalog/contracts/deployment-of.ts';
import { ORDER_STATUS } from '../../core/order-status.ts';
import { insertTransactions, isTransactionOf, progressOf } from '../../engine/transactions.store.ts';
import type { NewTransaction } from '../../engine/transactions.store.ts';
import type { AnyOrderKind } from '../../engine/order-kind.ts';
import type { Condition, Rows, Statement, SystemDb, TenantDb } from '../../platform/database/client.ts';
import { runChange } from '../../platform/database/record-change.ts';
import { ownershipTransfers, transactions } from '../../platform/database/schema.ts';
import { valuesTable } from '../../platform/database/values-table.ts';
import { refuseEqual } from '../../engine/equal-orders.store.ts';

export type OwnershipTransfer = typeof ownershipTransfers.$inferSelect & { readonly progress?: OrderProgress | null };

const transferColumns = {
  ...getTableColumns(ownershipTransfers),
  progress: progressOf(ownershipTransfers, 'ownership-transfer'),
};

/**
 * Stores an ownership transfer with its transaction; one whose id already exists is left unchanged.
 * @throws {LimitExceeded}; `order_under_way` if an equal one is under way.
 */
export async function insertOwnershipTransfer(
  db: TenantDb,
  kind: AcceptedKind,
  values: Omit<typeof ownershipTransfers.$inferInsert, 'corporateAccountId'> & { readonly createdAt: Date },
  transaction: Pick<NewTransaction, 'walletAddress' | 'notBeforeBlock' | 'approval'>,
): Promise<{ readonly transfer: OwnershipTransfer; readonly endpointIds: readonly string[] }> {
  const { id: orderId, chainId, createdAt } = values;
  const stored = and(eq(ownershipTransfers.id, orderId), eq(ownershipTransfers.corporateAccountId, db.accountId));
  const isEqual = sql`lower(${ownershipTransfers.newOwnerAddress}) = ${values.newOwnerAddress.toLowerCase()}`;
  const [, , , , accepted, [row]] = await runChange(
    db,
    [
      ...refuseEqual(db, ownershipTransfers, values, isEqual),
      db.sql
        .insert(ownershipTransfers)
        .values({ ...values, corporateAccountId: db.accountId })
        .onConflictDoNothing({ target: ownershipTransfers.id }),
      ...acceptTransactions(db, kind, [{ order: values, orderId, chainId, ...transaction }], createdAt),
      db.sql.select(transferColumns).from(ownershipTransfers).where(stored),
    ],
    sql`select ${ownershipTransfers.id} from ${ownershipTransfers} where ${stored}`,
  );
  if (row === undefined) throw new Error('The insert of an ownership transfer returned no row');
  return { transfer: row, endpointIds: endpointsOfAccepted(accepted) };
}

export async function findOwnershipTransfer(db: TenantDb, id: string): Promise<OwnershipTransfer | undefined> {
  const [row] = await db.sql
    .select(transferColumns)
    .from(ownershipTransfers)
    .where(and(eq(ownershipTransfers.id, id), eq(ownershipTransfers.corporateAccountId, db.accountId)));
  return row;
}

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
 * The statements, for a batch that ends deployments, that store the ownership transfers which follow, with their transactions. A
 * deployment that ends a second time after a reorganization already has its transfer.
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

/** The statement that loads the ownership transfers of transactions for the engine. */
export function loadOwnershipTransfers(
  db: SystemDb,
  kind: string,
  condition: Condition,
): Rows<{ readonly orderId: string; readonly order: OwnershipTransfer }> {
  return db.sql
    .select({ orderId: ownershipTransfers.id, order: getTableColumns(ownershipTransfers) })
    .from(transactions)
    .innerJoin(ownershipTransfers, isTransactionOf(kind, ownershipTransfers.id))
    .where(condition);
}
