import { useHash } from '../shared/frame.tsx';

/** What the part of the URL after `#` shows. */
export type Route =
  | { readonly page: 'overview' }
  | { readonly page: 'orders'; readonly q: string }
  | { readonly page: 'order'; readonly id: string }
  | { readonly page: 'webhooks' }
  | { readonly page: 'accounts' }
  | { readonly page: 'account'; readonly corporateId: string };

/** Links to the pages of the console. */
export const links = {
  overview: '#/',
  orders: (q = '') => (q === '' ? '#/orders' : `#/orders?${new URLSearchParams({ q }).toString()}`),
  order: (id: string) => `#/orders/${encodeURIComponent(id)}`,
  webhooks: '#/webhooks',
  accounts: '#/accounts',
  account: (corporateId: string) => `#/accounts/${encodeURIComponent(corporateId)}`,
};

function routeOf(hash: string): Route {
  const { pathname, searchParams } = new URL(hash.slice(1) || '/', 'https://console.invalid');
  const [page, item] = pathname.split('/').filter(Boolean).map(decodeURIComponent);
  if (page === 'orders') {
    return item === undefined ? { page, q: searchParams.get('q') ?? '' } : { page: 'order', id: item };
  }
  if (page === 'accounts') return item === undefined ? { page } : { page: 'account', corporateId: item };
  return page === 'webhooks' ? { page } : { page: 'overview' };
}

/** The current route; an unknown one is the overview. */
export function useRoute(): Route {
  const hash = useHash();
  try {
    return routeOf(hash);
  } catch {
    return { page: 'overview' };
  }
}
