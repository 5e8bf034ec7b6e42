import type { Address } from 'viem';
import type { ChainDefinition } from '../../src/chains/definition.ts';
import type { SystemDb } from '../../src/platform/database/client.ts';
import { matchTransactions } from './match-transactions.ts';
import type { Comparison, NonceRange } from './comparison.ts';
import { accountWallets, highestNonces, knownHashes, unfinishedTransactions } from './recorded-orders.ts';
import { walletTransactions } from './wallet-transactions.ts';
import type { ChainRecord } from './wallet-transactions.ts';

/** Compares what a chain has of the accounts' wallets since a time with the database, and changes nothing. */
export async function compareChain(
  db: SystemDb,
  chain: ChainDefinition,
  rpcUrls: readonly string[],
  since: Date,
): Promise<Comparison> {
  const wallets = await accountWallets(db);
  // The chain first: what the database learns in the meantime is then not reported as lacking.
  const record = await walletTransactions(chain, rpcUrls, wallets, since);
  const [known, highest, unfinished] = await Promise.all([
    knownHashes(
      db,
      record.mined.map(({ hash }) => hash),
    ),
    highestNonces(db, chain.id),
    unfinishedTransactions(db, chain.id),
  ]);
  const lacking = record.mined.filter(({ hash }) => !known.has(hash));
  const { unsettled, unexplained } = otherNonces(record, highest);
  const { fromBlock, toBlock } = record;
  return {
    chainId: chain.id,
    fromBlock,
    toBlock,
    matching: matchTransactions(lacking, unfinished),
    unsettled,
    unexplained,
  };
}

/** Finds nonces above the database's highest that were not read: those below all that were read are older, the others may still settle. */
function otherNonces({ mined, counts }: ChainRecord, highest: ReadonlyMap<Address, number>) {
  const unsettled: NonceRange[] = [];
  const unexplained: NonceRange[] = [];
  for (const [wallet, { mined: count, pending }] of counts) {
    const read = new Set(mined.filter((sent) => sent.wallet === wallet).map(({ nonce }) => nonce));
    const [lowestRead = count] = read;
    for (const range of gapsOf(wallet, read, (highest.get(wallet) ?? -1) + 1, Math.max(count, pending))) {
      (range.to < lowestRead ? unexplained : unsettled).push(range);
    }
  }
  return { unsettled, unexplained };
}

/** @returns the nonces from `first` to below `end` that are not among `read`. */
function gapsOf(wallet: Address, read: ReadonlySet<number>, first: number, end: number): NonceRange[] {
  const gaps: NonceRange[] = [];
  for (let nonce = first; nonce < end; nonce += 1) {
    if (read.has(nonce)) continue;
    const last = gaps.at(-1);
    if (last?.to === nonce - 1) gaps[gaps.length - 1] = { ...last, to: nonce };
    else gaps.push({ wallet, from: nonce, to: nonce });
  }
  return gaps;
}
