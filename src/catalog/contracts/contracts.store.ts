import { and, desc, eq, inArray, lte, sql } from 'drizzle-orm';
import type { Address } from 'viem';
import { accountColumns } from '../../accounts/accounts.store.ts';
import type { Statement, SystemDb, TenantDb } from '../../platform/database/client.ts';
import { inPage } from '../../platform/database/page-scope.ts';
import { assignments, columnNames, feeColumnTypes, recordset } from '../../platform/database/values-table.ts';
import { contracts, corporateAccounts } from '../../platform/database/schema.ts';
import { bySettlement } from '../../platform/database/settlement.ts';
import type { PageRange } from '../../core/paging.ts';
import type { Claim } from '../../transactions/operation.ts';

export type Contract = typeof contracts.$inferSelect;
export type NewContract = Omit<typeof contracts.$inferInsert, 'corporateAccountId'>;

/** Stores a contract; one of that id which is there already is left as it is. */
export async function insertContract(db: TenantDb, values: NewContract): Promise<Contract> {
  const [, [row]] = await db.sql.batch([
    db.sql
      .insert(contracts)
      .values({ ...values, corporateAccountId: db.accountId })
      .onConflictDoNothing({ target: contracts.id }),
    db.sql
      .select()
      .from(contracts)
      .where(and(eq(contracts.id, values.id), eq(contracts.corporateAccountId, db.accountId))),
  ]);
  if (row === undefined) throw new Error('The insert of a contract returned no row');
  return row;
}

export async function findContract(db: TenantDb, id: string): Promise<Contract | undefined> {
  const [row] = await db.sql
    .select()
    .from(contracts)
    .where(and(eq(contracts.id, id), eq(contracts.corporateAccountId, db.accountId)));
  return row;
}

/** The account's ACTIVE contract at an address, in lower case. */
export async function findContractByAddress(
  db: TenantDb,
  chainId: string,
  contractAddress: Address,
): Promise<Contract | undefined> {
  const [row] = await db.sql
    .select()
    .from(contracts)
    .where(
      and(
        eq(contracts.corporateAccountId, db.accountId),
        eq(contracts.chainId, chainId),
        eq(contracts.contractAddress, contractAddress),
        eq(contracts.status, 'ACTIVE'),
      ),
    );
  return row;
}

/** What the account knows of a contract, ACTIVE or not. */
export async function findTokenContract(db: TenantDb, chainId: string, contractAddress: Address) {
  const [row] = await db.sql
    .select({
      ercStandard: contracts.ercStandard,
      contractType: contracts.contractType,
      trustedForwarder: contracts.trustedForwarder,
    })
    .from(contracts)
    .where(
      and(
        eq(contracts.corporateAccountId, db.accountId),
        eq(contracts.chainId, chainId),
        eq(contracts.contractAddress, contractAddress),
      ),
    );
  return row;
}

/** The address of the account's newest ACTIVE forwarder on a chain; lower case. */
export async function newestForwarder(db: TenantDb, chainId: string): Promise<Address | undefined> {
  const [row] = await db.sql
    .select({ contractAddress: contracts.contractAddress })
    .from(contracts)
    .where(
      and(
        eq(contracts.corporateAccountId, db.accountId),
        eq(contracts.chainId, chainId),
        eq(contracts.ercStandard, 'Forwarder'),
        eq(contracts.status, 'ACTIVE'),
      ),
    )
    .orderBy(desc(contracts.id))
    .limit(1);
  return row?.contractAddress ?? undefined;
}

/** What a list of contracts is narrowed to. */
export interface ContractFilter {
  readonly status?: Contract['status'] | undefined;
  readonly ercStandard?: Contract['ercStandard'] | undefined;
  readonly chainId?: string | undefined;
}

/** A page of the account's contracts, newest first. */
export function listContracts(db: TenantDb, { status, ercStandard, chainId }: ContractFilter, page: PageRange) {
  return db.sql
    .select()
    .from(contracts)
    .where(
      and(
        inPage(contracts, db, page),
        status === undefined ? undefined : eq(contracts.status, status),
        ercStandard === undefined ? undefined : eq(contracts.ercStandard, ercStandard),
        chainId === undefined ? undefined : eq(contracts.chainId, chainId),
      ),
    )
    .orderBy(desc(contracts.id))
    .limit(page.take);
}

/** The claims of those contracts that are still to be deployed. */
export async function claimDeployments(db: SystemDb, ids: readonly string[]): Promise<Claim<Contract>[]> {
  const rows = await db.sql
    .select({ order: contracts, account: accountColumns })
    .from(contracts)
    .innerJoin(corporateAccounts, eq(corporateAccounts.id, contracts.corporateAccountId))
    .where(and(inArray(contracts.id, [...ids]), eq(contracts.status, 'DEPLOYING')));
  return rows.map(({ order, account }) => ({ orderId: order.id, chainId: order.chainId, account, order }));
}

/** Deployments that nothing has touched since `before`, longest first. */
export async function idleDeployments(db: SystemDb, before: Date, limit: number): Promise<string[]> {
  const rows = await db.sql
    .select({ id: contracts.id })
    .from(contracts)
    .where(and(eq(contracts.status, 'DEPLOYING'), lte(contracts.updatedAt, before)))
    .orderBy(contracts.updatedAt)
    .limit(limit);
  return rows.map(({ id }) => id);
}

const endColumns = {
  status: 'text',
  contractAddress: 'text',
  deployTxHash: 'text',
  deployGasUsed: 'text',
  ...feeColumnTypes,
  errorMessage: 'text',
  completedAt: 'timestamptz',
  updatedAt: 'timestamptz',
} as const;

/** What the end of a deployment writes. */
export type DeploymentEnd = Pick<Contract, 'id' | keyof typeof endColumns>;

/** The statement of a settle that ends deployments. */
export function endDeployments(db: SystemDb, settlementId: string, ends: readonly DeploymentEnd[]): Statement {
  return db.sql
    .update(contracts)
    .set(assignments('v', columnNames(endColumns)))
    .from(recordset('v', { id: 'text', ...endColumns }, ends))
    .where(and(sql`${contracts.id} = v.id`, bySettlement(settlementId, contracts.id)));
}
