import { eq, getTableColumns, sql, type SQL } from 'drizzle-orm';
import { z } from 'zod';
import type { Condition, Statement, SystemDb } from '../../platform/database/client.ts';
import { jsonRow, jsonRows, readingOf, rowAsJson, rowFromJson } from '../../platform/database/json-rows.ts';
import { attempts, corporateAccounts, orders } from '../../platform/database/schema.ts';
import type { AttemptRow, Job } from '../job.ts';
import type { AnyOrderKind } from '../order-kind.ts';
import { ENGINE_COLUMNS, ORDER_COLUMNS } from '../order-row.store.ts';
import { walletColumns } from '../wallet-account.store.ts';
import { pausedOn } from './pauses.ts';

const ATTEMPT = getTableColumns(attempts);
/** The account of transactions, for each of its wallets and chains. */
const ACCOUNT = {
  chainId: orders.chainId,
  wallet: orders.walletAddress,
  ...walletColumns(orders.walletAddress),
  status: corporateAccounts.status,
  paused: pausedOn(orders.chainId),
};

/** The jobs of transactions. A transaction whose kind this version of the service does not know has none. */
export interface Jobs {
  readonly jobs: readonly Job[];
  readonly unknown: readonly Pick<Job, 'transaction' | 'attempts'>[];
}

/**
 * The statement that reads transactions with their accounts, attempts and orders, for {@link readJobs}.
 * @param condition On `orders`.
 * @param others More pairs for the JSON object.
 */
export function selectJobs(
  db: SystemDb,
  kinds: readonly AnyOrderKind[],
  condition: Condition,
  others: SQL = sql``,
): Statement {
  return db.sql.execute(sql`
    with jobs as materialized (select * from ${orders} where ${condition})
    select json_build_object(${jobPairs(kinds)} ${others}) as reading`);
}

/**
 * The pairs of a JSON object that {@link jobsIn} reads: the rows of a table `jobs`, which are those of `orders`,
 * with what belongs to them. A kind adds a branch to an expression, not a statement.
 */
export function jobPairs(kinds: readonly AnyOrderKind[]): SQL {
  const branches = kinds.flatMap(({ name, reading }) =>
    reading?.joined === undefined ? [] : [sql`when ${name} then ${reading.joined}`],
  );
  const joined = branches.length === 0 ? sql`null` : sql`case ${orders.kind} ${sql.join(branches, sql` `)} end`;
  const owners = sql`select unnest(array[id, bundle_id, earlier_bundle_id]) from jobs`;
  return sql`
    'transactions', (
      select json_agg(json_build_object(
        'order', ${rowAsJson(ORDER_COLUMNS)}, 'engine', ${rowAsJson(ENGINE_COLUMNS)}, 'joined', ${joined}) order by ${orders.id})
      from jobs as ${orders}),
    'accounts', (
      select json_agg(${rowAsJson(ACCOUNT)})
      from (select distinct corporate_account_id, chain_id, wallet_address from jobs) as ${orders}
      join ${corporateAccounts} on ${eq(corporateAccounts.id, orders.corporateAccountId)}),
    'attempts', (
      select json_agg(${rowAsJson(ATTEMPT)} order by ${attempts.number})
      from ${attempts} where ${attempts.transactionId} in (${owners}))`;
}

/** The schema of what {@link jobPairs} has made. */
export const jobsReply = z.object({
  transactions: z
    .array(z.object({ order: jsonRow, engine: jsonRow, joined: z.unknown() }))
    .nullable()
    .transform((rows) => rows ?? []),
  accounts: jsonRows,
  attempts: jsonRows,
});

/** What a statement of {@link selectJobs} has read, in order of acceptance. */
export function readJobs(kinds: readonly AnyOrderKind[], reply: unknown): Jobs {
  return jobsIn(kinds, readingOf(jobsReply, reply));
}

export function jobsIn(kinds: readonly AnyOrderKind[], reply: z.infer<typeof jobsReply>): Jobs {
  const kindOf = new Map(kinds.map((kind) => [kind.name, kind]));
  const accountOf = new Map(
    reply.accounts.map((json) => {
      const { chainId, wallet, status: accountStatus, paused, ...account } = rowFromJson(ACCOUNT, json);
      return [[account.id, chainId, wallet].join(':'), { account, accountStatus, paused }] as const;
    }),
  );
  const attemptsOf = Map.groupBy(
    reply.attempts.map((json): AttemptRow => rowFromJson(ATTEMPT, json)),
    ({ transactionId }) => transactionId,
  );
  const ofOwner = (owner: string | null) => (owner === null ? [] : (attemptsOf.get(owner) ?? []));
  const jobs: Job[] = [];
  const unknown: Jobs['unknown'][number][] = [];
  for (const { order, engine, joined } of reply.transactions) {
    const transaction = { ...rowFromJson(ORDER_COLUMNS, order), ...rowFromJson(ENGINE_COLUMNS, engine) };
    const { id, bundleId, earlierBundleId, orderId, chainId, corporateAccountId, walletAddress } = transaction;
    const own = { transaction, attempts: [id, bundleId].flatMap(ofOwner) };
    const kind = kindOf.get(transaction.kind);
    const found = accountOf.get([corporateAccountId, chainId, walletAddress].join(':'));
    const isIncomplete = kind?.reading?.joined !== undefined && joined === null;
    if (kind === undefined || found === undefined || isIncomplete) {
      unknown.push(own);
      continue;
    }
    const { account, accountStatus, paused } = found;
    const claim = { orderId, chainId, account, order: kind.reading?.parse(transaction, joined) ?? null };
    jobs.push({ ...own, kind, claim, accountStatus, paused, standing: null, earlier: ofOwner(earlierBundleId) });
  }
  return { jobs, unknown };
}
