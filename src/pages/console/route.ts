import { withQuery, type Query as QueryOf } from '../shared/hash-route.ts';

/** The names of the conditions after `?` in the part of the URL after `#`. */
export type Condition = 'state' | 'kind' | 'account' | 'contract' | 'text' | 'from' | 'to' | 'before' | 'q';
export type Query = QueryOf<Condition>;

/** Links to the pages of the console. */
export const links = {
  overview: '#/',
  orders: (filter: Query = {}) => withQuery('#/orders', filter),
  order: (id: string) => `#/orders/${encodeURIComponent(id)}`,
  search: (q: string) => withQuery('#/search', { q }),
  webhooks: '#/webhooks',
  accounts: (query: Query = {}) => withQuery('#/accounts', query),
  account: (corporateId: string, query: Query = {}) =>
    withQuery(`#/accounts/${encodeURIComponent(corporateId)}`, query),
};
