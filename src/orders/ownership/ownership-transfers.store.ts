import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Address } from 'viem';
import { accountColumns } from '../../accounts/accounts.store.ts';
import type { Statement, SystemDb, TenantDb } from '../../platform/database/client.ts';
import { isUnderWay, startOrders } from '../../platform/database/order-table.ts';
import { assignments, columnNames, recordset } from '../../platform/database/values-table.ts';
import { contracts, corporateAccounts, ownershipTransfers } from '../../platform/database/schema.ts';
import type { Claim } from '../../transactions/operation.ts';
import { orderEndColumns } from '../../transactions/order-end.ts';
import { bySettlement } from '../../platform/database/settlement.ts';

export type OwnershipTransfer = typeof ownershipTransfers.$inferSelect;

/** Stores a hand-over; one of that id which is there already is left as it is. */
export async function insertOwnershipTransfer(
  db: TenantDb,
  values: Omit<typeof ownershipTransfers.$inferInsert, 'corporateAccountId'>,
): Promise<OwnershipTransfer> {
  const [, [row]] = await db.sql.batch([
    db.sql
      .insert(ownershipTransfers)
      .values({ ...values, corporateAccountId: db.accountId })
      .onConflictDoNothing({ target: ownershipTransfers.id }),
    db.sql
      .select()
      .from(ownershipTransfers)
      .where(and(eq(ownershipTransfers.id, values.id), eq(ownershipTransfers.corporateAccountId, db.accountId))),
  ]);
  if (row === undefined) throw new Error('The insert of an ownership transfer returned no row');
  return row;
}

export async function findOwnershipTransfer(db: TenantDb, id: string): Promise<OwnershipTransfer | undefined> {
  const [row] = await db.sql
    .select()
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
  readonly contractAddress: Address;
  readonly newOwnerAddress: Address;
  readonly at: Date;
}

/** The statement of a deployment's settle that queues the hand-overs which follow deployments. */
export function queueFollowingTransfers(
  db: SystemDb,
  settlementId: string,
  transfers: readonly FollowingTransfer[],
): Statement {
  const shape = {
    id: 'text',
    accountId: 'text',
    chainId: 'text',
    contractAddress: 'text',
    newOwnerAddress: 'text',
    at: 'timestamptz',
  } as const;
  return db.sql.execute(sql`
    insert into ${ownershipTransfers}
      (id, corporate_account_id, contract_id, chain_id, contract_address, new_owner_address, status, created_at, updated_at)
    select v.id, v."accountId", v.id, v."chainId", v."contractAddress", v."newOwnerAddress", 'PENDING', v.at, v.at
    from ${recordset('v', shape, transfers)}
    where ${bySettlement(settlementId, sql`v.id`)}`);
}

/** Moves PENDING hand-overs to PROCESSING; returns the claims of all that are not finished. */
export async function claimOwnershipTransfers(
  db: SystemDb,
  ids: readonly string[],
  now: Date,
): Promise<Claim<OwnershipTransfer>[]> {
  const [, rows] = await db.sql.batch([
    startOrders(db, ownershipTransfers, ids, now),
    db.sql
      .select({ order: ownershipTransfers, account: accountColumns })
      .from(ownershipTransfers)
      .innerJoin(corporateAccounts, eq(corporateAccounts.id, ownershipTransfers.corporateAccountId))
      .where(and(inArray(ownershipTransfers.id, [...ids]), isUnderWay(ownershipTransfers))),
  ]);
  return rows.map(({ order, account }) => ({ orderId: order.id, chainId: order.chainId, account, order }));
}

const endColumns = { ...orderEndColumns, transferGasUsed: 'text' } as const;

/** What the end of a hand-over writes. */
export type OwnershipTransferEnd = Pick<OwnershipTransfer, 'id' | keyof typeof endColumns>;

/** The statements of a settle that end hand-overs: the jobs, and the owner that the contracts' records name. */
export function endOwnershipTransfers(
  db: SystemDb,
  settlementId: string,
  ends: readonly OwnershipTransferEnd[],
): Statement[] {
  const rows = recordset('v', { id: 'text', ...endColumns }, ends);
  return [
    db.sql
      .update(ownershipTransfers)
      .set(assignments('v', columnNames(endColumns)))
      .from(rows)
      .where(and(sql`${ownershipTransfers.id} = v.id`, bySettlement(settlementId, ownershipTransfers.id))),
    db.sql
      .update(contracts)
      .set({ currentOwnerAddress: sql`${ownershipTransfers.newOwnerAddress}`, updatedAt: sql`v."updatedAt"` })
      .from(ownershipTransfers)
      .innerJoin(rows, sql`${ownershipTransfers.id} = v.id and v.status = 'CONFIRMED'`)
      .where(and(eq(contracts.id, ownershipTransfers.contractId), bySettlement(settlementId, ownershipTransfers.id))),
  ];
}
