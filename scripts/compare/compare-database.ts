import type { ChainDefinition } from '../../src/chains/definition.ts';
import { connectDatabase } from '../../src/platform/database/client.ts';
import { UsageError } from '../usage-error.ts';
import { adoptMatches } from './adopt-matches.ts';
import { CLOCK_MARGIN_MS } from './clock-margin.ts';
import { compareChain } from './compare-chain.ts';
import type { Comparison } from './comparison.ts';
import { lastChange } from './recorded-orders.ts';

export interface ComparisonOptions {
  readonly DATABASE_URL: string;
  readonly NEON_FETCH_ENDPOINT?: string | undefined;
  /** The nodes of each chain. */
  readonly rpcUrls: ReadonlyMap<ChainDefinition, readonly string[]>;
  /** Undefined: ten minutes before the database last changed an order. */
  readonly since: Date | undefined;
  /** Whether to store the transactions that orders of the database lack, once the comparison of every chain is complete. */
  readonly adopt: boolean;
}

/**
 * Compares a database with its chains, one after the other.
 * @returns the comparisons, and whether their matches were stored: those of all chains, or none.
 * @throws {UsageError} if the database does not tell since when.
 */
export async function compareDatabase(
  options: ComparisonOptions,
): Promise<{ readonly comparisons: readonly Comparison[]; readonly adopted: boolean }> {
  const db = connectDatabase(options);
  const changed = await lastChange(db);
  const since = options.since ?? (changed && new Date(changed.getTime() - CLOCK_MARGIN_MS));
  if (since === undefined) throw new UsageError('The database has no orders: --since is required');
  const comparisons: Comparison[] = [];
  for (const [chain, rpcUrls] of options.rpcUrls) comparisons.push(await compareChain(db, chain, rpcUrls, since));
  const adopted = options.adopt && (await adoptMatches(db, comparisons, new Date()));
  return { comparisons, adopted };
}
