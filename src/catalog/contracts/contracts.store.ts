import { and, desc, eq, exists, inArray, lte, sql } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';
import type { Address } from 'viem';
import { accountColumns } from '../../accounts/accounts.store.ts';
import type { Statement, SystemDb, TenantDb } from '../../platform/database/client.ts';
import { inPage } from '../../platform/database/page-scope.ts';
import { assignments, columnNames, feeColumnTypes, valuesTable } from '../../platform/database/values-table.ts';
import { contracts, corporateAccounts } from '../../platform/database/schema.ts';
import type { ErcStandard } from '../../platform/database/schema.ts';
import { bySettlement } from '../../platform/database/settlement.ts';
import type { PageRange } from '../../core/paging.ts';
import type { Claim } from '../../transactions/operation.ts';
import { tagged } from '../../platform/database/tagged.ts';

export type Contract = typeof contracts.$inferSelect;
export type NewContract = Omit<typeof contracts.$inferInsert, 'corporateAccountId'>;

/** Inserts a contract, or returns the existing one with that id unchanged. */
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

/** The account's ACTIVE contract at an address. @param contractAddress Lower case. */
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

/** What is stored about a contract of the account, in any state. @param contractAddress Lower case. */
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

/** The address of the account's newest ACTIVE forwarder on a chain, in lower case. */
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

/** The filter of a list of contracts. */
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

/** Whether a contract of any account is registered on one of these chains. @param contractAddress Lower case. */
export function isRegistered(db: SystemDb | TenantDb, contractAddress: SQL, chainIds: readonly string[]): SQL {
  return exists(
    db.sql
      .select({ id: contracts.id })
      .from(contracts)
      .where(and(inArray(contracts.chainId, [...chainIds]), eq(contracts.contractAddress, contractAddress))),
  );
}

/** An ACTIVE token contract. Nothing about its account but whether it is the requesting one: an account's id is a credential. */
export interface TokenContract {
  readonly chainId: string;
  /** Lower case. */
  readonly contractAddress: string;
  readonly ercStandard: ErcStandard;
  readonly name: string | null;
  readonly symbol: string | null;
  readonly isOwn: boolean;
}

/**
 * The ACTIVE token contracts at these addresses.
 * @param addresses In lower case.
 * @param scope `own`: only the requesting account's contracts; `all`: those of every account.
 */
export async function findTokenContracts(
  db: TenantDb,
  addresses: readonly { readonly chainId: string; readonly contractAddress: string }[],
  scope: 'own' | 'all',
): Promise<TokenContract[]> {
  if (addresses.length === 0) return [];
  const rows = addresses.map(({ chainId, contractAddress }) => ({ chainId, contractAddress }));
  const isOwn = eq(contracts.corporateAccountId, db.accountId);
  return await db.sql
    .selectDistinct({
      chainId: contracts.chainId,
      contractAddress: sql<string>`${contracts.contractAddress}`,
      ercStandard: sql<ErcStandard>`${contracts.ercStandard}`,
      name: contracts.name,
      symbol: contracts.symbol,
      isOwn: sql<boolean>`${isOwn}`,
    })
    .from(contracts)
    .innerJoin(
      valuesTable('v', { chainId: 'text', contractAddress: 'text' }, rows),
      sql`${contracts.chainId} = v."chainId" and ${contracts.contractAddress} = v."contractAddress"`,
    )
    .where(
      and(
        eq(contracts.status, 'ACTIVE'),
        inArray(contracts.ercStandard, ['721', '1155']),
        scope === 'own' ? isOwn : undefined,
      ),
    );
}

/** Claims of those contracts that are DEPLOYING. */
export async function claimDeployments(db: SystemDb, ids: readonly string[]): Promise<Claim<Contract>[]> {
  const rows = await db.sql
    .select({ order: contracts, account: accountColumns })
    .from(contracts)
    .innerJoin(corporateAccounts, eq(corporateAccounts.id, contracts.corporateAccountId))
    .where(and(inArray(contracts.id, [...ids]), eq(contracts.status, 'DEPLOYING')));
  return rows.map(({ order, account }) => ({ orderId: order.id, chainId: order.chainId, account, order }));
}

/** Ids of DEPLOYING contracts that have not changed since `before`, oldest first. */
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

/** The columns set when a deployment ends. */
export type DeploymentEnd = Pick<Contract, 'id' | keyof typeof endColumns>;

/** The settlement's statement that ends deployments. */
export function endDeployments(db: SystemDb, settlementId: string, ends: readonly DeploymentEnd[]): Statement {
  return tagged(
    'end-deployments',
    db.sql
      .update(contracts)
      .set(assignments('v', columnNames(endColumns)))
      .from(valuesTable('v', { id: 'text', ...endColumns }, ends))
      .where(and(sql`${contracts.id} = v.id`, bySettlement(settlementId, contracts.id))),
  );
}
