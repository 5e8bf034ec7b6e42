import type { Address, Log } from 'viem';
import { newId } from '../../src/core/record-id.ts';
import type { Job } from '../../src/engine/job.ts';
import type { CallPart } from '../../src/engine/order-kind.ts';
import { reopenTransactions } from '../../src/engine/store/under-way.ts';
import type { ChainDefinition } from '../../src/chains/definition.ts';
import { orderKinds } from '../../src/orders/kinds.ts';
import { connectDatabase, type SystemDb } from '../../src/platform/database/client.ts';
import { UsageError } from '../usage-error.ts';
import { adoptMatches } from './adopt-matches.ts';
import { CLOCK_MARGIN_MS, matchTransactions } from './match-transactions.ts';
import { isComplete, type Comparison, type NonceRange } from './comparison.ts';
import { movedAccounts } from './moved-accounts.ts';
import {
  accountWallets,
  confirmedBeforeFinality,
  knownHashes,
  lastChange,
  openChains,
  openNonces,
  unfinishedTransactions,
  type OpenNonces,
} from './recorded-orders.ts';
import {
  blockHashes,
  logsOf,
  walletTransactions,
  type ChainRecord,
  type WalletTransaction,
} from './wallet-transactions.ts';

export interface ComparisonOptions {
  readonly DATABASE_URL: string;
  readonly NEON_FETCH_ENDPOINT?: string | undefined;
  /** The nodes of each chain. */
  readonly rpcUrls: ReadonlyMap<ChainDefinition, readonly string[]>;
  /** Undefined: ten minutes before the database last changed an order. */
  readonly since: Date | undefined;
  /**
   * Whether to store the transactions that orders of the database lack, once the comparison of every chain is complete.
   * Orders whose block was reorganized out are then reopened first.
   */
  readonly adopt: boolean;
}

/**
 * Compares a database with its chains, one after the other.
 * @returns the comparisons, and whether their matches were stored: those of all chains, or none.
 * @throws {UsageError} if the database does not tell since when, or a chain without nodes has transactions that are not
 *   final.
 */
export async function compareDatabase(
  options: ComparisonOptions,
): Promise<{ readonly comparisons: readonly Comparison[]; readonly adopted: boolean }> {
  const db = connectDatabase(options);
  const changed = await lastChange(db);
  const since = options.since ?? (changed && new Date(changed.getTime() - CLOCK_MARGIN_MS));
  if (since === undefined) throw new UsageError('The database has no orders: --since is required');
  const missing = (await openChains(db, since)).filter((id) =>
    [...options.rpcUrls.keys()].every((one) => one.id !== id),
  );
  if (missing.length > 0) {
    throw new UsageError(
      `ALLOWED_CHAIN_IDS must have all chains with transactions that are not final: ${missing.join(', ')}`,
    );
  }
  const comparisons: Comparison[] = [];
  const reopenings: (() => Promise<unknown>)[] = [];
  for (const [chain, rpcUrls] of options.rpcUrls) {
    const record = await walletTransactions(chain, rpcUrls, await accountWallets(db), since);
    const reorganized = await reorganizedOrders(db, chain, rpcUrls, record);
    comparisons.push(
      await compareChain(db, chain, rpcUrls, record, reorganized, new Date(since.getTime() + CLOCK_MARGIN_MS)),
    );
    // The time of the last change stays: the next comparison reads the same blocks.
    if (reorganized.length > 0)
      reopenings.push(() => reopenTransactions(db, newId(), reorganized, chain.finality, changed ?? since));
  }
  if (!options.adopt || !comparisons.every(isComplete)) return { comparisons, adopted: false };
  for (const reopen of reopenings) await reopen();
  return { comparisons, adopted: await adoptMatches(db, comparisons, new Date()) };
}

/** The calls for single orders that the call of a bundle of any kind makes. */
function partsOf({ to, data }: WalletTransaction, logs: readonly Log[]): readonly CallPart[] {
  return to === null
    ? []
    : [...orderKinds.values()].flatMap(({ bundling }) => bundling?.split({ to, data }, logs) ?? []);
}

/**
 * The orders that were confirmed in blocks that are on the chain no more. The engine reopens them; what has carried
 * them out since is to be found before it does.
 */
async function reorganizedOrders(
  db: SystemDb,
  chain: ChainDefinition,
  rpcUrls: readonly string[],
  { toBlock }: ChainRecord,
): Promise<readonly Job[]> {
  const confirmed = await confirmedBeforeFinality(db, chain.id, toBlock);
  const numbers = confirmed.flatMap(({ transaction }) => transaction.blockNumber ?? []);
  const hashes = await blockHashes(chain, rpcUrls, numbers);
  return confirmed.filter(({ transaction: { blockNumber, blockHash } }) => hashes.get(blockNumber ?? -1) !== blockHash);
}

/** Compares what a chain has of the accounts' wallets with the database, and changes nothing. */
async function compareChain(
  db: SystemDb,
  chain: ChainDefinition,
  rpcUrls: readonly string[],
  record: ChainRecord,
  reorganized: readonly Job[],
  readFor: Date,
): Promise<Comparison> {
  const withoutEnd = reorganized.map(({ transaction }) => transaction.id);
  // After the chain: what the database learns in the meantime is then not reported as lacking.
  const [known, open, unfinished] = await Promise.all([
    knownHashes(
      db,
      record.mined.map(({ hash }) => hash),
    ),
    openNonces(db, chain.id, withoutEnd, readFor),
    unfinishedTransactions(db, chain.id, withoutEnd),
  ]);
  const shared = record.mined.filter((mined) => partsOf(mined, []).length > 0);
  const logs = await logsOf(chain, rpcUrls, shared);
  const { unsettled, unexplained } = otherNonces(record, open);
  const { fromBlock, toBlock } = record;
  const matching = matchTransactions(
    { mined: record.mined, known, partsOf: (mined) => partsOf(mined, logs.get(mined.hash) ?? []) },
    unfinished,
  );
  return {
    chainId: chain.id,
    fromBlock,
    toBlock,
    used: Array.from(record.counts, ([wallet, { mined: count }]) => ({ wallet, count })),
    matching,
    moved: await movedAccounts(db, chain.id, matching.unknown),
    unsettled,
    unexplained,
  };
}

/**
 * Finds nonces that are used, or will be by what a node knows, and were not read: those below all that are in the blocks
 * since are older, the others may still settle, whenever their orders were accepted. That a transaction of the database
 * is signed with such a nonce explains it no more: other bytes may have replaced those of the backup, and a count does
 * not tell which are in a pool.
 * @param open By wallet, from {@link openNonces}.
 */
function otherNonces(
  { mined, authorized, notFinal, counts }: ChainRecord,
  open: ReadonlyMap<Address, OpenNonces>,
): Pick<Comparison, 'unsettled' | 'unexplained'> {
  const unsettled: NonceRange[] = [];
  const unexplained: NonceRange[] = [];
  for (const [wallet, { agreed, mined: count, pending }] of counts) {
    const orders = open.get(wallet);
    if (orders === undefined) continue;
    const isOwn = (used: Pick<WalletTransaction, 'wallet'>) => used.wallet === wallet;
    const read = [...mined, ...authorized].filter(isOwn).map(({ nonce }) => nonce);
    const later = notFinal.filter(isOwn).map(({ nonce }) => nonce);
    const oldest = Math.min(agreed, ...read, ...later);
    const end = Math.max(count, pending, ...later.map((nonce) => nonce + 1));
    if (orders.mayBeOlder) unexplained.push(...gapsOf(wallet, read, orders.first, oldest));
    unsettled.push(...gapsOf(wallet, read, Math.max(orders.first, oldest), end));
  }
  return { unsettled, unexplained };
}

/** @returns the nonces from `first` to below `end` that are not among `read`. */
function gapsOf(wallet: Address, read: readonly number[], first: number, end: number): NonceRange[] {
  const gaps: NonceRange[] = [];
  let from = first;
  for (const nonce of [...read.filter((one) => one < end).toSorted((a, b) => a - b), end]) {
    if (nonce > from) gaps.push({ wallet, from, to: nonce - 1 });
    from = Math.max(from, nonce + 1);
  }
  return gaps;
}
