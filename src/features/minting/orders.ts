import { and, eq, inArray, lte, sql } from 'drizzle-orm';
import { accountColumns } from '../../accounts/find-account.ts';
import type { Statement, SystemDb, TenantDb } from '../../db/client.ts';
import { assignments, columnNames, feeColumnTypes, recordset } from '../../db/recordset.ts';
import { contracts, corporateAccounts, metadata, mintingOrders } from '../../db/schema.ts';
import type { ContractType, OrderStatus } from '../../db/schema.ts';
import type { Claim } from '../../transactions/operation.ts';
import { bySettlement } from '../../transactions/transactions.ts';

export type MintingOrder = typeof mintingOrders.$inferSelect;
export type NewMintingOrder = Omit<typeof mintingOrders.$inferInsert, 'corporateAccountId'>;

/** An order with what its mint needs to know of its contract. */
export interface MintOrder extends MintingOrder {
  readonly contractType: ContractType | null;
}

/** What an order can be made of: the contract and the metadata it names, where the account has them. */
export async function findMintingSubjects(
  db: TenantDb,
  subject: { readonly chainId: string; readonly contractAddress: string; readonly metadataId: string },
) {
  const [[contract], [document]] = await db.sql.batch([
    db.sql
      .select()
      .from(contracts)
      .where(
        and(
          eq(contracts.corporateAccountId, db.accountId),
          eq(contracts.chainId, subject.chainId),
          sql`${contracts.contractAddress} = ${subject.contractAddress}`,
        ),
      ),
    db.sql
      .select()
      .from(metadata)
      .where(and(eq(metadata.corporateAccountId, db.accountId), eq(metadata.id, subject.metadataId))),
  ]);
  return { contract, document };
}

export async function insertOrder(db: TenantDb, values: NewMintingOrder): Promise<MintingOrder> {
  const [row] = await db.sql
    .insert(mintingOrders)
    .values({ ...values, corporateAccountId: db.accountId })
    .returning();
  if (row === undefined) throw new Error('The insert of a minting order returned no row');
  return row;
}

export async function findOrder(db: TenantDb, id: string): Promise<MintingOrder | undefined> {
  const [row] = await db.sql
    .select()
    .from(mintingOrders)
    .where(and(eq(mintingOrders.id, id), eq(mintingOrders.corporateAccountId, db.accountId)));
  return row;
}

/** Moves PENDING orders to PROCESSING; returns the claims of all that are not finished. */
export async function claimOrders(
  db: SystemDb,
  ids: readonly string[],
  mode: MintingOrder['mode'],
  now: Date,
): Promise<Claim<MintOrder>[]> {
  const [, rows] = await db.sql.batch([
    db.sql
      .update(mintingOrders)
      .set({ status: 'PROCESSING', updatedAt: now })
      .where(
        and(inArray(mintingOrders.id, [...ids]), eq(mintingOrders.mode, mode), eq(mintingOrders.status, 'PENDING')),
      ),
    db.sql
      .select({ order: mintingOrders, contractType: contracts.contractType, account: accountColumns })
      .from(mintingOrders)
      .innerJoin(contracts, eq(contracts.id, mintingOrders.contractId))
      .innerJoin(corporateAccounts, eq(corporateAccounts.id, mintingOrders.corporateAccountId))
      .where(
        and(
          inArray(mintingOrders.id, [...ids]),
          eq(mintingOrders.mode, mode),
          inArray(mintingOrders.status, ['PROCESSING', 'SENT']),
        ),
      )
      .orderBy(mintingOrders.id),
  ]);
  return rows.map(({ order, contractType, account }) => ({
    orderId: order.id,
    chainId: order.chainId,
    account,
    order: { ...order, contractType },
  }));
}

export function markOrdersSent(db: SystemDb, ids: readonly string[], now: Date): Statement {
  return db.sql
    .update(mintingOrders)
    .set({ status: 'SENT', updatedAt: now })
    .where(and(inArray(mintingOrders.id, [...ids]), eq(mintingOrders.status, 'PROCESSING')));
}

/** Orders of these states that nothing has touched since `before`, longest first. */
export async function idleOrders(
  db: SystemDb,
  statuses: readonly OrderStatus[],
  before: Date,
  limit: number,
): Promise<string[]> {
  const rows = await db.sql
    .select({ id: mintingOrders.id })
    .from(mintingOrders)
    .where(and(inArray(mintingOrders.status, [...statuses]), lte(mintingOrders.updatedAt, before)))
    .orderBy(mintingOrders.updatedAt)
    .limit(limit);
  return rows.map(({ id }) => id);
}

const endColumns = {
  status: 'text',
  txHash: 'text',
  mintingGasUsed: 'text',
  ...feeColumnTypes,
  errorMessage: 'text',
  completedAt: 'timestamptz',
  updatedAt: 'timestamptz',
} as const;

/** What the end of an order writes. */
export type OrderEnd = Pick<MintingOrder, 'id' | keyof typeof endColumns>;

/** The statement of a settle that ends orders. */
export function endOrders(db: SystemDb, settlementId: string, ends: readonly OrderEnd[]): Statement {
  return db.sql
    .update(mintingOrders)
    .set(assignments('v', columnNames(endColumns)))
    .from(recordset('v', { id: 'text', ...endColumns }, ends))
    .where(and(sql`${mintingOrders.id} = v.id`, bySettlement(settlementId, mintingOrders.id)));
}
