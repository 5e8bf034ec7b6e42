import type { Address, Hex } from 'viem';
import type { CallPart } from '../../src/engine/order-kind.ts';
import { callKey } from './call-key.ts';
import type { UnfinishedTransaction } from './recorded-orders.ts';
import { receiverOf, withoutReceiver } from './unnamed-receiver.ts';
import type { WalletTransaction } from './wallet-transactions.ts';
import { MINT } from '../../src/orders/order-forms.ts';

/** A mined transaction that the database lacks, and what it carried out there. */
export interface Match {
  readonly mined: WalletTransaction;
  readonly of: UnfinishedTransaction;
  readonly purpose: 'effect' | 'cancel';
  /** The place of the order's call among those that the transaction made, if it made several. */
  readonly part?: { readonly place: number; readonly size: number };
  /** Who claimed the order, if that is not known of it yet. */
  readonly receiver?: Address;
}

/** A call on chain of which the database has no order. */
export interface UnknownCall {
  readonly mined: WalletTransaction;
  /** Of the transaction, or of one of the calls that it made. */
  readonly data: Hex;
}

export interface Matching {
  readonly matches: readonly Match[];
  readonly unknown: readonly UnknownCall[];
  /** Transactions whose nonce a mined transaction used that is none of theirs. */
  readonly displaced: readonly UnfinishedTransaction[];
}

/** Mined transactions of the wallets, in the order in which they were mined. */
export interface MinedTransactions {
  readonly mined: readonly WalletTransaction[];
  /** Those that are stored attempts. */
  readonly known: ReadonlySet<Hex>;
  /** The calls for single orders that a transaction made; none if it made its own only. */
  readonly partsOf: (mined: WalletTransaction) => readonly CallPart[];
}

/**
 * Finds which orders the mined transactions have carried out. A transaction with the nonce of a signed order replaced
 * its bytes if it makes the same call, or cancelled it. Any other one carried out the oldest order that makes the same
 * call and is not signed, has lost its nonce, or was left out by the bundle that carried it; one that made the calls of
 * several orders carried out those that its receipt shows. Orders with the same call are interchangeable: they have the
 * same effect. But none was carried out before it was accepted. A mint that no order names a receiver for is that of the
 * oldest claim for the same that nobody has claimed yet.
 * @param unfinished In order of acceptance.
 */
export function matchTransactions(
  { mined: all, known, partsOf }: MinedTransactions,
  unfinished: readonly UnfinishedTransaction[],
): Matching {
  const matches: Match[] = [];
  const rest: WalletTransaction[] = [];
  const displaced: UnfinishedTransaction[] = [];
  const holders = new Map(
    unfinished.flatMap((of) => (of.nonce === null || of.isCarried ? [] : [[nonceKey(of), of] as const])),
  );
  for (const mined of all.filter(({ hash }) => !known.has(hash))) {
    const of = holders.get(nonceKey(mined));
    const purpose = of === undefined ? undefined : purposeOf(mined, of);
    if (of !== undefined && purpose !== undefined) matches.push({ mined, of, purpose });
    else {
      rest.push(mined);
      if (of !== undefined) displaced.push(of);
    }
  }
  const users = new Map(all.map((mined) => [nonceKey(mined), mined]));
  const isLeftOut = (of: UnfinishedTransaction, isBundleListed: boolean) => {
    const mined = users.get(nonceKey(of));
    // A bundle that ended in older blocks than were read has carried out all that is not signed any more.
    if (mined === undefined) return !isBundleListed;
    const isDone = ({ data, isDone: isShown }: CallPart) => isShown && of.calls.has(callKey(mined.to, data));
    return !partsOf(mined).some(isDone);
  };
  const carried = unfinished.flatMap((of) => [
    ...(of.isCarried && isLeftOut(of, false) ? [of] : []),
    // Nothing was carried out by a bundle that another transaction has displaced.
    ...of.carried.filter((one) => displaced.includes(of) || isLeftOut(one, true)),
  ]);
  const open = [
    ...unfinished.filter((of) => of.state === 'waiting'),
    ...displaced.filter((of) => of.carried.length === 0),
    ...carried,
  ].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const take = ({ wallet, minedAt, value, to }: WalletTransaction, data: Hex): UnfinishedTransaction | undefined => {
    const candidates = open.filter((of) => of.wallet === wallet && isSince(minedAt, of) && value === 0n);
    const unnamed = callKey(to, withoutReceiver(data));
    const taken =
      candidates.find((of) => of.calls.has(callKey(to, data))) ??
      candidates.find((of) => of.kind === MINT && of.calls.has(unnamed));
    if (taken !== undefined) open.splice(open.indexOf(taken), 1);
    return taken;
  };
  const unknown: UnknownCall[] = [];
  for (const mined of rest) {
    const parts = partsOf(mined);
    const calls = parts.length === 0 ? [{ data: mined.data, isDone: true }] : parts;
    for (const [place, { data, isDone }] of calls.entries()) {
      const of = isDone ? take(mined, data) : undefined;
      const part = parts.length === 0 ? {} : { part: { place, size: parts.length } };
      const receiver = of?.calls.has(callKey(mined.to, data)) === false ? { receiver: receiverOf(data) } : {};
      if (of !== undefined) matches.push({ mined, of, purpose: 'effect', ...part, ...receiver });
      else if (isDone) unknown.push({ mined, data });
    }
  }
  return { matches, unknown, displaced };
}

function nonceKey({ wallet, nonce }: Pick<UnfinishedTransaction, 'wallet' | 'nonce'>): string {
  return `${wallet}:${nonce}`;
}

function purposeOf(mined: WalletTransaction, of: UnfinishedTransaction): Match['purpose'] | undefined {
  if (makesCallOf(mined, of)) return 'effect';
  const isCancel = mined.to?.toLowerCase() === mined.wallet && mined.data === '0x' && mined.value === 0n;
  return isCancel ? 'cancel' : undefined;
}

function isSince(minedAt: Date, { acceptedAt }: UnfinishedTransaction): boolean {
  return minedAt.getTime() + CLOCK_MARGIN_MS >= acceptedAt.getTime();
}

function makesCallOf({ to, data, value }: WalletTransaction, { calls }: UnfinishedTransaction): boolean {
  return value === 0n && calls.has(callKey(to, data));
}

/** What the clocks of nodes and of the service may differ by. */
export const CLOCK_MARGIN_MS = 10 * 60_000;
