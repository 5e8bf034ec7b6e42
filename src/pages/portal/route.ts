import { withQuery, type Query as QueryOf } from '../shared/hash-route.ts';
import type { Kind } from './kinds.ts';
import type { OrderFilter } from './list-orders.ts';

/** The names of the conditions after `?` in the part of the URL after `#`. */
export type Condition = keyof OrderFilter | 'endpoint' | 'q';
export type Query = QueryOf<Condition>;

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
  claims: (query: Query = {}) => withQuery('#/claims', query),
  imports: (query: Query = {}) => withQuery('#/imports', query),
  import: (id: string) => `#/imports/${encodeURIComponent(id)}`,
  account: (query: Query = {}) => withQuery('#/account', query),
  delivery: (id: string) => `#/webhooks/${encodeURIComponent(id)}`,
};
