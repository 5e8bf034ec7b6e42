import { and, desc, eq, getTableColumns, sql } from 'drizzle-orm';
import type { Address } from 'viem';
import type { AnyOrderKind } from '../../engine/order-kind.ts';
import { insertTransactions, isTransactionOf } from '../../engine/transactions.store.ts';
import type { Condition, Rows, Statement, SystemDb, TenantDb } from '../../platform/database/client.ts';
import { inPage } from '../../platform/database/page-scope.ts';
import { recordset } from '../../platform/database/values-table.ts';
import { contracts, transactions } from '../../platform/database/schema.ts';
import type { PageRange } from '../../core/paging.ts';

export type Contract = typeof contracts.$inferSelect;
export type NewContract = Omit<typeof contracts.$inferInsert, 'corporateAccountId'>;

/**
 * Stores a contract with what its deployment needs on chain; one of that id which is there already is left as it is.
 * @param kind The kind of deployments.
 * @param walletAddress Of the account.
 */
export async function insertContract(
  db: TenantDb,
  kind: Pick<AnyOrderKind, 'name' | 'orders'>,
  walletAddress: Address,
  values: NewContract & { readonly createdAt: Date },
): Promise<Contract> {
  const { id: orderId, chainId, createdAt } = values;
  const [, , [row]] = await db.sql.batch([
    db.sql
      .insert(contracts)
      .values({ ...values, corporateAccountId: db.accountId })
      .onConflictDoNothing({ target: contracts.id }),
    insertTransactions(db, kind, [{ orderId, chainId, walletAddress }], createdAt),
    db.sql
      .select()
      .from(contracts)
      .where(and(eq(contracts.id, orderId), eq(contracts.corporateAccountId, db.accountId))),
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

/** The statement that reads the contracts of deployments for the engine. */
export function loadDeployments(
  db: SystemDb,
  kind: string,
  condition: Condition,
): Rows<{ readonly orderId: string; readonly order: Contract }> {
  return db.sql
    .select({ orderId: contracts.id, order: getTableColumns(contracts) })
    .from(transactions)
    .innerJoin(contracts, isTransactionOf(kind, contracts.id))
    .where(condition);
}

/**
 * The statement of an ending that writes where contracts were created.
 * @param hasEnded Whether a deployment was ended by this very batch.
 */
export function recordAddresses(
  db: SystemDb,
  hasEnded: (contractId: Condition) => Condition,
  deployed: readonly { readonly id: string; readonly contractAddress: Address }[],
): Statement {
  return db.sql
    .update(contracts)
    .set({ contractAddress: sql`v.contract_address` })
    .from(
      recordset(
        'v',
        { id: 'text', contract_address: 'text' },
        deployed.map(({ id, contractAddress }) => ({ id, contract_address: contractAddress })),
      ),
    )
    .where(and(sql`${contracts.id} = v.id`, hasEnded(sql`v.id`)));
}

/** The statement of a reopening: a contract whose creation was taken back has no address. */
export function withdrawAddresses(db: SystemDb, wasReopened: (contractId: Condition) => Condition): Statement {
  return db.sql
    .update(contracts)
    .set({ contractAddress: null })
    .where(wasReopened(sql`${contracts.id}`));
}
