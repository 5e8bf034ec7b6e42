import { asc, eq, sql } from 'drizzle-orm';
import { walletColumns } from '../../accounts/accounts.store.ts';
import type { Condition, ResultsOf, Rows, SystemDb } from '../../platform/database/client.ts';
import { attempts, corporateAccounts, transactions } from '../../platform/database/schema.ts';
import type { AttemptRow, Job, TransactionRow } from '../job.ts';
import type { AnyOrderKind } from '../order-kind.ts';
import { pausedOn } from './pauses.ts';

interface Row {
  readonly transaction: TransactionRow;
  readonly account: Job['claim']['account'];
  readonly accountStatus: Job['accountStatus'];
  readonly paused: Job['paused'];
}

/**
 * The statements that read transactions with their accounts, attempts and orders, for {@link readJobs}.
 * @param condition On `transactions`.
 */
export function selectJobs(db: SystemDb, kinds: readonly AnyOrderKind[], condition: Condition) {
  const rows: Rows<Row> = db.sql
    .select({
      transaction: transactions,
      account: walletColumns(transactions.walletAddress),
      accountStatus: corporateAccounts.status,
      paused: pausedOn(transactions.chainId),
    })
    .from(transactions)
    .innerJoin(corporateAccounts, eq(corporateAccounts.id, transactions.corporateAccountId))
    .where(condition)
    .orderBy(asc(transactions.id));
  return { rows, attempts: selectAttempts(db, condition), orders: kinds.map((kind) => kind.load(db, condition)) };
}

/**
 * The statement that reads the attempts of transactions and of their bundles, earliest first.
 * @param condition On `transactions`.
 */
export function selectAttempts(db: SystemDb, condition: Condition): Rows<{ readonly attempt: AttemptRow }> {
  const owners = sql`(
    select unnest(array[${transactions.id}, ${transactions.bundleId}, ${transactions.earlierBundleId}])
    from ${transactions} where ${condition})`;
  return db.sql
    .select({ attempt: attempts })
    .from(attempts)
    .where(sql`${attempts.transactionId} in ${owners}`)
    .orderBy(asc(attempts.number));
}

/**
 * What the statements of {@link selectJobs} have read: the jobs, and the transactions of kinds that are not among
 * `kinds`.
 */
export function readJobs(
  kinds: readonly AnyOrderKind[],
  { rows, attempts: stored, orders: loaded }: ResultsOf<ReturnType<typeof selectJobs>>,
): { readonly jobs: readonly Job[]; readonly unknown: readonly TransactionRow[] } {
  const attemptsOf = Map.groupBy(
    stored.map(({ attempt }) => attempt),
    ({ transactionId }) => transactionId,
  );
  const orders = new Map(
    kinds.flatMap((kind, index) =>
      (loaded[index] ?? []).map(({ orderId, order }) => [`${kind.name}:${orderId}`, { kind, order }] as const),
    ),
  );
  const ofOwner = (owner: string | null) => (owner === null ? [] : (attemptsOf.get(owner) ?? []));
  const unknown: TransactionRow[] = [];
  const jobs = rows.flatMap(({ transaction, account, accountStatus, paused }): Job[] => {
    const { id, bundleId, earlierBundleId, orderId, chainId, kind } = transaction;
    const found = orders.get(`${kind}:${orderId}`);
    if (found === undefined) {
      unknown.push(transaction);
      return [];
    }
    const claim = { orderId, chainId, account, order: found.order };
    const own = { attempts: [id, bundleId].flatMap(ofOwner), earlier: ofOwner(earlierBundleId) };
    return [{ transaction, kind: found.kind, claim, accountStatus, paused, standing: null, ...own }];
  });
  return { jobs, unknown };
}
