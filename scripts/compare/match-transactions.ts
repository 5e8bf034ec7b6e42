import { callKey } from './call-key.ts';
import type { UnfinishedTransaction } from './recorded-orders.ts';
import type { WalletTransaction } from './wallet-transactions.ts';

/** A mined transaction that the database lacks, and what it carried out there. */
export interface Match {
  readonly mined: WalletTransaction;
  readonly of: UnfinishedTransaction;
  readonly purpose: 'effect' | 'cancel';
}

export interface Matching {
  readonly matches: readonly Match[];
  /** Mined transactions of which the database has no order. */
  readonly unknown: readonly WalletTransaction[];
  /** Transactions whose nonce a mined transaction used that is none of theirs. */
  readonly displaced: readonly UnfinishedTransaction[];
}

/**
 * Finds which orders the mined transactions have carried out. A transaction with the nonce of a signed order replaced
 * its bytes if it makes the same call, or cancelled it. Any other one carried out the oldest order that makes the same
 * call and is not signed, or lost its nonce. Orders with the same call are interchangeable: they have the same effect.
 * But none was carried out before it was accepted.
 * @param lacking Mined transactions that are no stored attempts, in the order in which they were mined.
 * @param unfinished In order of acceptance.
 */
export function matchTransactions(
  lacking: readonly WalletTransaction[],
  unfinished: readonly UnfinishedTransaction[],
): Matching {
  const matches: Match[] = [];
  const rest: WalletTransaction[] = [];
  const displaced: UnfinishedTransaction[] = [];
  const holders = new Map(
    unfinished.flatMap((of) => (of.nonce === null ? [] : [[`${of.wallet}:${of.nonce}`, of] as const])),
  );
  for (const mined of lacking) {
    const of = holders.get(`${mined.wallet}:${mined.nonce}`);
    const purpose = of === undefined ? undefined : purposeOf(mined, of);
    if (of !== undefined && purpose !== undefined) matches.push({ mined, of, purpose });
    else {
      rest.push(mined);
      if (of !== undefined) displaced.push(of);
    }
  }
  const open = unfinished.filter((of) => of.state === 'waiting' || displaced.includes(of));
  const unknown: WalletTransaction[] = [];
  for (const mined of rest) {
    const at = open.findIndex((of) => of.wallet === mined.wallet && isSince(mined, of) && makesCallOf(mined, of));
    const [of] = at === -1 ? [] : open.splice(at, 1);
    if (of === undefined) unknown.push(mined);
    else matches.push({ mined, of, purpose: 'effect' });
  }
  return { matches, unknown, displaced };
}

function purposeOf(mined: WalletTransaction, of: UnfinishedTransaction): Match['purpose'] | undefined {
  if (makesCallOf(mined, of)) return 'effect';
  const isCancel = mined.to?.toLowerCase() === mined.wallet && mined.data === '0x' && mined.value === 0n;
  return isCancel ? 'cancel' : undefined;
}

function isSince({ minedAt }: WalletTransaction, { acceptedAt }: UnfinishedTransaction): boolean {
  return minedAt.getTime() + CLOCK_MARGIN_MS >= acceptedAt.getTime();
}

function makesCallOf({ to, data, value }: WalletTransaction, { calls }: UnfinishedTransaction): boolean {
  return value === 0n && calls.has(callKey(to, data));
}

/** What the clocks of nodes and of the service may differ by. */
export const CLOCK_MARGIN_MS = 10 * 60_000;
