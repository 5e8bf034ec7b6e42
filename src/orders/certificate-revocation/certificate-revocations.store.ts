import { and, eq, exists, getTableColumns, ne, sql } from 'drizzle-orm';
import { acceptTransactions } from '../../engine/limits.store.ts';
import type { AcceptedKind } from '../../engine/limits.store.ts';
import { progressOf } from '../../engine/transactions.store.ts';
import type { NewTransaction } from '../../engine/transactions.store.ts';
import type { TenantDb } from '../../platform/database/client.ts';
import { abortTransaction } from '../../platform/database/errors.ts';
import { runChange } from '../../platform/database/record-change.ts';
import { certificateRevocations, contracts, underWay } from '../../platform/database/schema.ts';
import type { OrderOf } from '../orders.store.ts';

export type CertificateRevocation = OrderOf<typeof certificateRevocations>;

const orderColumns = {
  ...getTableColumns(certificateRevocations),
  progress: progressOf(certificateRevocations, 'certificate-revocation'),
};

/**
 * Stores a revocation with its transaction; one whose id already exists is left unchanged. The contract's row is locked first, so that of equal ones
 * at the same time the second sees the first.
 * @throws {LimitExceeded}; `revocation_under_way` if an equal one is under way.
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
      db.sql
        .select({ id: contracts.id })
        .from(contracts)
        .where(eq(contracts.id, order.contractId))
        .for('no key update'),
      db.sql.execute(sql`select ${abortTransaction('revocation_under_way')} where ${exists(equalUnderWay(db, order))}`),
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

/** What a revocation takes back. */
type Revoked = Pick<CertificateRevocation, 'id' | 'chainId' | 'contractAddress' | 'tokenId' | 'from' | 'amount'>;

/** Another revocation of the same units of the same holder that has not ended. */
function equalUnderWay(db: TenantDb, { id, chainId, contractAddress, tokenId, from, amount }: Revoked) {
  return db.sql
    .select({ id: certificateRevocations.id })
    .from(certificateRevocations)
    .where(
      and(
        ne(certificateRevocations.id, id),
        eq(certificateRevocations.corporateAccountId, db.accountId),
        eq(certificateRevocations.chainId, chainId),
        eq(certificateRevocations.contractAddress, contractAddress),
        eq(certificateRevocations.tokenId, tokenId),
        eq(sql`lower(${certificateRevocations.from})`, from.toLowerCase()),
        eq(certificateRevocations.amount, amount),
        sql`${certificateRevocations.status} in ${underWay}`,
      ),
    )
    .limit(1);
}

/** The id of the revocation that made {@link insertCertificateRevocation} fail; undefined if it has ended since. */
export async function findEqualUnderWay(db: TenantDb, order: Revoked): Promise<string | undefined> {
  const [row] = await equalUnderWay(db, order);
  return row?.id;
}

function ownOrder(db: TenantDb, id: string) {
  return and(eq(certificateRevocations.id, id), eq(certificateRevocations.corporateAccountId, db.accountId));
}
