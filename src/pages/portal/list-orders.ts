import { ApiError, type ServiceApi } from '../shared/service-api.ts';
import { ORDER_KINDS } from '../shared/order-kinds.ts';
import { KINDS, type Kind } from './kinds.ts';
import { orderOf, statusOf, type Order } from './order.ts';
import type { List, Reply } from './replies.ts';

/** Which orders; an empty text is no condition. */
export interface OrderFilter {
  readonly kind: string;
  readonly state: string;
  readonly contract: string;
  /** Receiver of a mint, otherwise the holder. */
  readonly address: string;
  /** A local time, as a field of a form has it: accepted at this time or later. */
  readonly from: string;
  /** Accepted before. */
  readonly to: string;
  /** Continues a list: {@link OrderPage.next}. */
  readonly before: string;
}

/** A page of orders of all kinds, newest first. */
export interface OrderPage {
  readonly orders: readonly Order[];
  /** `before` of the next page; null on the last one. It may have orders although this page has none. */
  readonly next: string | null;
}

/** Orders of each kind that are asked for at a time. */
const PAGE_SIZE = 25;

/** The kinds that a filter can find. */
export function kindsIn({ kind, state, contract, address }: OrderFilter): Kind[] {
  return KINDS.filter(
    (candidate) =>
      candidate.list !== null &&
      (kind === '' || candidate.name === kind) &&
      (state === '' || statusOf(state, candidate) !== undefined) &&
      (contract === '' || candidate.list.hasContract) &&
      (address === '' || candidate.list.addressFilter !== null),
  );
}

/**
 * Reads a page of the orders of all kinds that a filter can find. The API lists each kind by itself, newest first by
 * the order's id, which is the cursor, and ids of all kinds are in the order of time: what is newer than where any of
 * the lists was read to is complete.
 * @throws {ApiError} as the first list that fails.
 */
export async function listOrders(api: ServiceApi, filter: OrderFilter, signal: AbortSignal): Promise<OrderPage> {
  const lists = await Promise.all(
    kindsIn(filter).map(async (kind) => {
      const { items, nextCursor } = await api.get<List<Reply>>(listPath(kind, filter), signal);
      return { orders: items.map((item) => orderOf(kind, item)), nextCursor };
    }),
  );
  const cursors = lists.flatMap(({ nextCursor }) => (nextCursor === null ? [] : [nextCursor]));
  const next = cursors.toSorted().at(-1) ?? null;
  const orders = lists
    .flatMap((list) => list.orders)
    .filter(({ id, state }) => (next === null || id >= next) && (filter.state === '' || state === filter.state))
    .toSorted((a, b) => (a.id < b.id ? 1 : -1));
  return { orders, next };
}

function listPath(kind: Kind, { state, contract, address, from, to, before }: OrderFilter): string {
  const query = new URLSearchParams({ limit: String(PAGE_SIZE) });
  const add = (name: string, value: string | undefined) => value && query.set(name, value);
  add('status', statusOf(state, kind));
  add('contractAddress', contract.toLowerCase());
  add(kind.list?.addressFilter ?? '', address);
  add('createdFrom', instantOf(from));
  add('createdTo', instantOf(to));
  add('cursor', before);
  return `${kind.path}?${query.toString()}`;
}

function instantOf(local: string): string {
  return local === '' ? '' : new Date(local).toISOString();
}

/**
 * Finds orders by an order's id, a transaction's hash, or `contract/token`.
 * @throws {ApiError} when no kind could be asked, or one does not answer.
 */
export async function findOrders(api: ServiceApi, text: string, signal: AbortSignal): Promise<Order[]> {
  const [contractAddress = '', tokenId] = text.split('/');
  if (tokenId !== undefined) {
    const query = new URLSearchParams({ contractAddress: contractAddress.toLowerCase(), tokenId });
    const replies = await api.get<readonly Reply[]>(`/minting/by-token?${query.toString()}`, signal);
    return replies.map((reply) => orderOf(ORDER_KINDS.MintingOrder, reply));
  }
  const isHash = /^0x[0-9a-f]{64}$/i.test(text);
  const kinds = KINDS.filter(({ hasByTransaction }) => !isHash || hasByTransaction);
  const found = await Promise.all(
    kinds.map(async (kind) => {
      const path = isHash ? `${kind.path}/by-tx/${text.toLowerCase()}` : `${kind.path}/${encodeURIComponent(text)}`;
      const reply = await api.get<Reply>(path, signal).catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 404) return undefined;
        throw error;
      });
      return reply === undefined ? [] : [orderOf(kind, reply)];
    }),
  );
  return found.flat();
}
