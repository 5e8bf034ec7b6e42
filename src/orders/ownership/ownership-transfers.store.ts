import { and, eq, getTableColumns, sql } from 'drizzle-orm';
import type { Address } from 'viem';
import type { OrderProgress } from '../../core/result-fields.ts';
import { acceptTransactions, withinLimits } from '../../engine/limits.store.ts';
import type { AcceptedKind } from '../../engine/limits.store.ts';
import { insertTransactions, isTransactionOf, ofBatch, progressOf } from '../../engine/transactions.store.ts';
import type { NewTransaction } from '../../engine/transactions.store.ts';
import type { AnyOrderKind } from '../../engine/order-kind.ts';
import type { Condition, Rows, Statement, SystemDb, TenantDb } from '../../platform/database/client.ts';
import { contracts, corporateAccounts, ownershipTransfers, transactions } from '../../platform/database/schema.ts';
import { valuesTable } from '../../platform/database/values-table.ts';

export type OwnershipTransfer = typeof ownershipTransfers.$inferSelect & { readonly progress?: OrderProgress | null };

const transferColumns = {
  ...getTableColumns(ownershipTransfers),
  progress: progressOf(ownershipTransfers, 'ownership-transfer'),
};

/** Stores a hand-over with what it needs on chain; one of that id which is there already is left as it is. @throws {LimitExceeded} */
export async function insertOwnershipTransfer(
  db: TenantDb,
  kind: AcceptedKind,
  values: Omit<typeof ownershipTransfers.$inferInsert, 'corporateAccountId'> & { readonly createdAt: Date },
  chainNeeds: Pick<NewTransaction, 'walletAddress' | 'notBeforeBlock'>,
): Promise<OwnershipTransfer> {
  const { id: orderId, chainId, createdAt } = values;
  const [, , , [row]] = await withinLimits(createdAt, () =>
    db.sql.batch([
      db.sql
        .insert(ownershipTransfers)
        .values({ ...values, corporateAccountId: db.accountId })
        .onConflictDoNothing({ target: ownershipTransfers.id }),
      ...acceptTransactions(db, kind, [{ order: values, orderId, chainId, ...chainNeeds }], createdAt),
      db.sql
        .select(transferColumns)
        .from(ownershipTransfers)
        .where(and(eq(ownershipTransfers.id, orderId), eq(ownershipTransfers.corporateAccountId, db.accountId))),
    ]),
  );
  if (row === undefined) throw new Error('The insert of an ownership transfer returned no row');
  return row;
}

export async function findOwnershipTransfer(db: TenantDb, id: string): Promise<OwnershipTransfer | undefined> {
  const [row] = await db.sql
    .select(transferColumns)
    .from(ownershipTransfers)
    .where(and(eq(ownershipTransfers.id, id), eq(ownershipTransfers.corporateAccountId, db.accountId)));
  return row;
}

/** A hand-over that follows a deployment. */
export interface FollowingTransfer {
  /** The deployment's own id: each is followed by one hand-over at most. */
  readonly id: string;
  readonly accountId: string;
  readonly chainId: string;
  readonly walletAddress: Address;
  readonly contractAddress: Address;
  readonly newOwnerAddress: Address;
  readonly at: Date;
}

/**
 * The statements of an ending of deployments that store the hand-overs which follow, with what these need on chain. A
 * deployment that ends a second time, because a block was taken back, has its hand-over already.
 * @param kind The hand-overs' kind.
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
      select v.id, v."accountId", v.id, v."chainId", v."contractAddress", v."newOwnerAddress", 'PENDING', v.at, v.at
      from ${valuesTable('v', shape, rows)}
      where ${hasEnded(sql`v.id`)}
      on conflict (id) do nothing`),
    // Where the deployment was not ended by this batch there is no hand-over, and so no transaction.
    insertTransactions(
      db,
      kind,
      transfers.map(({ id, chainId, walletAddress }) => ({
        orderId: id,
        chainId,
        walletAddress,
        after: { kind: 'deploy', orderId: id },
      })),
      first.at,
    ),
  ];
}

/** The statement that reads the hand-overs of transactions for the engine. */
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

/** The statement of an ending that writes the new owners into the contracts' records. */
export function recordNewOwners(
  db: SystemDb,
  kind: string,
  batchId: string,
  confirmed: readonly { readonly id: string; readonly at: Date }[],
): Statement {
  const rows = valuesTable('v', { id: 'text', at: 'timestamptz' }, confirmed);
  return db.sql
    .update(contracts)
    .set({ currentOwnerAddress: sql`${ownershipTransfers.newOwnerAddress}`, updatedAt: sql`v.at` })
    .from(ownershipTransfers)
    .innerJoin(rows, sql`${ownershipTransfers.id} = v.id`)
    .where(and(eq(contracts.id, ownershipTransfers.contractId), ofBatch(batchId, kind, ownershipTransfers.id)));
}

/** The statement of a reopening that gives contracts back to the wallet that handed them over. */
export function restoreOwners(db: SystemDb, kind: string, batchId: string): Statement {
  return db.sql
    .update(contracts)
    .set({ currentOwnerAddress: sql`${corporateAccounts.walletAddress}` })
    .from(ownershipTransfers)
    .innerJoin(corporateAccounts, eq(corporateAccounts.id, ownershipTransfers.corporateAccountId))
    .where(
      and(
        eq(contracts.id, ownershipTransfers.contractId),
        eq(contracts.currentOwnerAddress, ownershipTransfers.newOwnerAddress),
        ofBatch(batchId, kind, ownershipTransfers.id),
      ),
    );
}
