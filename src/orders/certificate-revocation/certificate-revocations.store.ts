import { and, desc, eq, getTableColumns, sql } from 'drizzle-orm';
import type { Address, Hex } from 'viem';
import type { OrderStatus } from '../../core/order-status.ts';
import type { PageRange } from '../../core/paging.ts';
import type { OrderProgress } from '../../core/result-fields.ts';
import { acceptTransactions } from '../../engine/limits.store.ts';
import type { AcceptedKind } from '../../engine/limits.store.ts';
import { isTransactionOf, progressOf } from '../../engine/transactions.store.ts';
import type { NewTransaction } from '../../engine/transactions.store.ts';
import type { Condition, Rows, SystemDb, TenantDb } from '../../platform/database/client.ts';
import { ofAccount, ofVisibleChain, searchPage } from '../../platform/database/page-scope.ts';
import type { SearchedRows } from '../../platform/database/page-scope.ts';
import { runChange } from '../../platform/database/record-change.ts';
import { certificateRevocations, transactions } from '../../platform/database/schema.ts';
import { refuseEqual } from '../../engine/equal-orders.store.ts';

export type CertificateRevocation = typeof certificateRevocations.$inferSelect & {
  readonly progress?: OrderProgress | null;
};

const orderColumns = {
  ...getTableColumns(certificateRevocations),
  progress: progressOf(certificateRevocations, 'certificate-revocation'),
};

/**
 * Stores a revocation with its transaction; one whose id already exists is left unchanged.
 * @throws {LimitExceeded}; `order_under_way` if an equal one is under way.
 */
export async function insertCertificateRevocation(
  db: TenantDb,
  kind: AcceptedKind,
  order: Omit<typeof certificateRevocations.$inferInsert, 'corporateAccountId'> & { readonly createdAt: Date },
  transaction: Pick<NewTransaction, 'walletAddress' | 'notBeforeBlock'>,
): Promise<CertificateRevocation> {
  const { id: orderId, chainId, createdAt } = order;
  const stored = ownOrder(db, orderId);
  const [, , , , , [row]] = await runChange(
    db,
    [
      ...refuseEqual(db, certificateRevocations, order, isEqual(order)),
      db.sql
        .insert(certificateRevocations)
        .values({ ...order, corporateAccountId: db.accountId })
        .onConflictDoNothing({ target: certificateRevocations.id }),
      ...acceptTransactions(db, kind, [{ order, orderId, chainId, ...transaction }], createdAt),
      db.sql.select(orderColumns).from(certificateRevocations).where(stored),
    ],
    sql`select ${certificateRevocations.id} from ${certificateRevocations} where ${stored}`,
  );
  if (row === undefined) throw new Error('The insert of a revocation returned no row');
  return row;
}

/** A condition: the revocation takes the same units back from the same holder. */
function isEqual({ tokenId, from, amount }: Pick<CertificateRevocation, 'tokenId' | 'from' | 'amount'>) {
  return and(
    eq(certificateRevocations.tokenId, tokenId),
    eq(sql`lower(${certificateRevocations.from})`, from.toLowerCase()),
    eq(certificateRevocations.amount, amount),
  );
}

function ownOrder(db: TenantDb, id: string) {
  return and(eq(certificateRevocations.id, id), eq(certificateRevocations.corporateAccountId, db.accountId));
}

export async function findCertificateRevocation(db: TenantDb, id: string): Promise<CertificateRevocation | undefined> {
  const [row] = await db.sql.select(orderColumns).from(certificateRevocations).where(ownOrder(db, id));
  return row;
}

/** @param txHash Lower case. */
export async function findCertificateRevocationByTx(
  db: TenantDb,
  txHash: Hex,
): Promise<CertificateRevocation | undefined> {
  const [row] = await db.sql
    .select(orderColumns)
    .from(certificateRevocations)
    .where(and(eq(certificateRevocations.txHash, txHash), eq(certificateRevocations.corporateAccountId, db.accountId)));
  return row;
}

/** The filters of a list of revocations. */
export interface CertificateRevocationFilter {
  readonly status?: OrderStatus | undefined;
  /** Lower case. */
  readonly contractAddress?: Address | undefined;
  readonly from?: Address | undefined;
}

/** A page of the account's revocations, newest first; each filter has an index that ends in the id. */
export function listCertificateRevocations(
  db: TenantDb,
  { status, contractAddress, from }: CertificateRevocationFilter,
  page: PageRange,
): Promise<SearchedRows<CertificateRevocation>> {
  const records = and(
    ofAccount(certificateRevocations, db, page),
    status === undefined ? undefined : eq(certificateRevocations.status, status),
    contractAddress === undefined ? undefined : eq(certificateRevocations.contractAddress, contractAddress),
    from === undefined ? undefined : sql`lower(${certificateRevocations.from}) = ${from.toLowerCase()}`,
  );
  const filter = ofVisibleChain(certificateRevocations, db);
  return searchPage(db, certificateRevocations, { records, filter }, page, (newest) =>
    db.sql.select(orderColumns).from(newest).where(filter).orderBy(desc(certificateRevocations.id)).limit(page.take),
  );
}

/** The statement that loads the orders of transactions for the engine. */
export function loadCertificateRevocations(
  db: SystemDb,
  kind: string,
  condition: Condition,
): Rows<{ readonly orderId: string; readonly order: CertificateRevocation }> {
  return db.sql
    .select({ orderId: certificateRevocations.id, order: getTableColumns(certificateRevocations) })
    .from(transactions)
    .innerJoin(certificateRevocations, isTransactionOf(kind, certificateRevocations.id))
    .where(condition);
}
