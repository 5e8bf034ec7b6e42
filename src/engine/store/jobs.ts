import { asc, eq, sql } from 'drizzle-orm';
import { walletColumns } from '../../accounts/accounts.store.ts';
import type { Condition, Rows, Statement, SystemDb } from '../../platform/database/client.ts';
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
export function selectJobs(db: SystemDb, kinds: readonly AnyOrderKind[], condition: Condition): Statement[] {
  return [
    db.sql
      .select({
        transaction: transactions,
        account: walletColumns(transactions.walletAddress),
        accountStatus: corporateAccounts.status,
        paused: pausedOn(transactions.chainId),
      })
      .from(transactions)
      .innerJoin(corporateAccounts, eq(corporateAccounts.id, transactions.corporateAccountId))
      .where(condition)
      .orderBy(asc(transactions.id)),
    selectAttempts(db, condition),
    ...kinds.map((kind) => kind.load(db, condition)),
  ];
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
  results: readonly unknown[],
): { readonly jobs: readonly Job[]; readonly unknown: readonly TransactionRow[] } {
  /* oxlint-disable typescript/no-unsafe-type-assertion -- a batch loses the types of its statements; each result is that of the statement at its index */
  const rows = results[0] as Row[];
  const attemptsOf = Map.groupBy(
    (results[1] as { attempt: AttemptRow }[]).map(({ attempt }) => attempt),
    ({ transactionId }) => transactionId,
  );
  const orders = new Map(
    kinds.flatMap((kind, index) =>
      (results[2 + index] as { orderId: string; order: unknown }[]).map(
        ({ orderId, order }) => [`${kind.name}:${orderId}`, { kind, order }] as const,
      ),
    ),
  );
  /* oxlint-enable typescript/no-unsafe-type-assertion */
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
