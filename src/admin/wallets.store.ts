import { sql } from 'drizzle-orm';
import { getAddress, type Address } from 'viem';
import { z } from 'zod';
import type { Wei } from '../chains/wei.ts';
import { runBatch, type SystemDb } from '../platform/database/client.ts';
import { contracts, corporateAccounts, relayerWallets, orders, unfinishedStates } from '../platform/database/schema.ts';
import { tagged } from '../platform/database/tagged.ts';
import { valuesTable } from '../platform/database/values.ts';

/** The most wallets listed, and the most whose balances are read. */
const MAX_WALLETS = 200;
/** The most replaced wallets listed. */
const MAX_REPLACED = 50;
/** Accounts with contracts are looked for among this many of the newest contracts. */
const MAX_RECENT_CONTRACTS = 5_000;
/** The most transactions of a wallet whose costs are added. */
const MAX_COUNTED = 100_000;

/**
 * Joins the account of each row of `rows` as `a`. The limit makes it a lookup for each of these few rows: the planner
 * would rather scan all accounts.
 */
const withAccount = (rows: 'r' | 't') => sql`
  cross join lateral (select * from ${corporateAccounts} where id = ${sql.raw(rows)}.corporate_account_id limit 1) a`;

/** A wallet on a chain and its account. */
export interface OwnedWallet {
  readonly chainId: string;
  /** EIP-55. */
  readonly walletAddress: Address;
  readonly corporateId: string;
  readonly corporateName: string;
}

// Transactions have the address in lower case.
const address = z.string().transform((text) => getAddress(text));

const walletRows = z.object({
  rows: z.array(
    z.object({
      chainId: z.string(),
      walletAddress: address,
      corporateId: z.string(),
      corporateName: z.string(),
      nonces: z.coerce.number(),
    }),
  ),
});

/**
 * The wallets with transactions in flight and their number of nonces, and the wallets whose balances are watched: those
 * with unfinished transactions, then those of accounts with contracts on a chain, newest first.
 */
export async function activeWallets(
  db: SystemDb,
): Promise<{ inFlight: (OwnedWallet & { nonces: number })[]; watched: OwnedWallet[] }> {
  const unfinished = sql`
    select chain_id, wallet_address, corporate_account_id, count(nonce) filter (where bundle_id is null) as nonces from ${orders}
    where state in ${unfinishedStates} group by chain_id, wallet_address, corporate_account_id limit ${MAX_WALLETS}`;
  const recent = sql`
    select chain_id, corporate_account_id, max(id) as newest from (
      select chain_id, corporate_account_id, id from ${contracts} order by id desc limit ${MAX_RECENT_CONTRACTS}
    ) c group by chain_id, corporate_account_id order by newest desc limit ${MAX_WALLETS}`;
  const { withWork, withContracts } = await runBatch(db, {
    withWork: db.sql.execute(
      tagged(
        'wallets-with-work',
        sql`
      select t.chain_id as "chainId", t.wallet_address as "walletAddress", a.corporate_id as "corporateId", a.corporate_name as "corporateName", t.nonces
      from (${unfinished}) t ${withAccount('t')}`,
      ),
    ),
    withContracts: db.sql.execute(
      tagged(
        'wallets-with-contracts',
        sql`
      select r.chain_id as "chainId", w.address as "walletAddress", a.corporate_id as "corporateId", a.corporate_name as "corporateName", 0 as nonces
      from (${recent}) r ${withAccount('r')}
      cross join lateral (
        select a.wallet_address as address, false as is_relayer
        union all select address, true from ${relayerWallets} where corporate_account_id = a.id and replaced_at is null
      ) w where a.status = 'ACTIVE' order by w.is_relayer, r.newest desc limit ${MAX_WALLETS}`,
      ),
    ),
  });
  const busy = walletRows.parse(withWork).rows;
  const watched = new Map(
    [...busy, ...walletRows.parse(withContracts).rows].map(({ chainId, walletAddress, ...account }) => [
      `${chainId}:${walletAddress}`,
      { chainId, walletAddress, corporateId: account.corporateId, corporateName: account.corporateName },
    ]),
  );
  return {
    inFlight: busy.filter(({ nonces }) => nonces > 0),
    watched: [...watched.values()].slice(0, MAX_WALLETS),
  };
}

const replacedRows = z.object({
  rows: z.array(
    z.object({
      walletAddress: address,
      corporateId: z.string(),
      corporateName: z.string(),
      replacedAt: z.coerce.date(),
    }),
  ),
});

/** The relayer wallets that were replaced last, at most {@link MAX_REPLACED}. */
export async function replacedWallets(db: SystemDb): Promise<z.output<typeof replacedRows>['rows']> {
  const reply = await db.sql.execute(
    tagged(
      'replaced-wallets',
      sql`
      select r.address as "walletAddress", a.corporate_id as "corporateId", a.corporate_name as "corporateName", r.replaced_at as "replacedAt"
      from (
        select address, corporate_account_id, replaced_at from ${relayerWallets} where replaced_at is not null
        order by replaced_at desc limit ${MAX_REPLACED}
      ) r ${withAccount('r')} order by r.replaced_at desc`,
    ),
  );
  return replacedRows.parse(reply).rows;
}

const spentRows = z.object({
  rows: z.array(z.object({ chainId: z.string(), wallet: z.string(), wei: z.string().nullable() })),
});

/**
 * What each wallet has spent on a chain since then, by `chainId:wallet` in lower case; by the index on costs.
 */
export async function spentSince(
  db: SystemDb,
  wallets: readonly OwnedWallet[],
  since: Date,
): Promise<ReadonlyMap<string, Wei>> {
  if (wallets.length === 0) return new Map();
  const values = wallets.map(({ chainId, corporateId, walletAddress }) => ({
    chain_id: chainId,
    corporate_id: corporateId,
    wallet: walletAddress.toLowerCase(),
  }));
  const reply = await db.sql.execute(
    tagged(
      'spent-by-wallets',
      sql`
    select v.chain_id as "chainId", v.wallet, (
      select sum(spent_wei) from (
        select spent_wei from ${orders} t where t.corporate_account_id = a.id and t.chain_id = v.chain_id and t.wallet_address = v.wallet
          and t.spent_at is not null and t.spent_at >= ${since.toISOString()}::timestamptz
        limit ${MAX_COUNTED}
      ) own)::text as wei
    from ${valuesTable('v', { chain_id: 'text', corporate_id: 'text', wallet: 'text' }, values)}
    cross join lateral (select id from ${corporateAccounts} where corporate_id = v.corporate_id limit 1) a`,
    ),
  );
  return new Map(
    spentRows.parse(reply).rows.map(({ chainId, wallet, wei }) => [`${chainId}:${wallet}`, BigInt(wei ?? 0)]),
  );
}
