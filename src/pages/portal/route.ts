import { useHash } from '../shared/frame.tsx';
import type { Kind } from './kinds.ts';
import type { OrderFilter } from './list-orders.ts';

/** The conditions after `?` in the part of the URL after `#`. */
export type Query = Readonly<Partial<Record<keyof OrderFilter | 'endpoint' | 'q', string | undefined>>>;

/** What the part of the URL after `#` shows. */
export interface Route {
  /** Its path: the page, and what of it. Without one, the newest orders are shown. */
  readonly path: readonly string[];
  readonly query: Query;
}

/** Links to the pages of the portal. */
export const links = {
  orders: (filter: Query = {}) => withQuery('#/orders', filter),
  /** Without its kind, the order is looked for. */
  order: (id: string, kind: Kind | undefined) => `#/orders/${kind?.name ?? 'any'}/${encodeURIComponent(id)}`,
  search: (q: string) => withQuery('#/search', { q }),
  webhooks: (query: Query = {}) => withQuery('#/webhooks', query),
  contracts: (query: Query = {}) => withQuery('#/contracts', query),
  contract: (id: string, query: Query = {}) => withQuery(`#/contracts/${encodeURIComponent(id)}`, query),
  metadata: (id: string) => `#/metadata/${encodeURIComponent(id)}`,
  /** With a contract, that one is chosen. */
  mint: (contractId = '') => withQuery('#/mint', { contract: contractId }),
  account: (query: Query = {}) => withQuery('#/account', query),
  delivery: (id: string) => `#/webhooks/${encodeURIComponent(id)}`,
};

function withQuery(path: string, values: Query): string {
  const query = new URLSearchParams(Object.entries(values).flatMap(([name, value]) => (value ? [[name, value]] : [])));
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

/** The current route; one that cannot be read is that of the newest orders. */
export function useRoute(): Route {
  const hash = useHash();
  try {
    const { pathname, searchParams } = new URL(hash.slice(1) || '/', 'https://portal.invalid');
    const path = pathname.split('/').filter(Boolean).map(decodeURIComponent);
    return { path, query: Object.fromEntries(searchParams) };
  } catch {
    return { path: [], query: {} };
  }
}
