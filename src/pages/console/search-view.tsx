import { useEffect } from 'preact/hooks';
import { Panel } from '../shared/parts.tsx';
import { useLive } from '../shared/use-live.ts';
import { AccountTable } from './account-table.tsx';
import { OrderTable } from './order-table.tsx';
import type { Accounts, Orders } from './replies.ts';
import { links } from './route.ts';

/** What finds orders by itself: an id, a transaction, an address, or a contract and a token id. */
const SUBJECT = /^(?:[0-9a-f]{24}|0x[0-9a-f]{64}|0x[0-9a-f]{40}(?:[\s/]+(?:0|[1-9]\d{0,77}))?)$/i;

/** The longest text that is searched for. */
const MAX_TEXT = 100;

/** The orders and the accounts that were searched for; the only order is opened. */
export function SearchView({ q }: { readonly q: string }) {
  const isSubject = SUBJECT.test(q);
  const text = q.slice(0, MAX_TEXT);
  const orders = useLive<Orders>(`/admin/orders?${new URLSearchParams(isSubject ? { q } : { text }).toString()}`, 30);
  const accounts = useLive<Accounts>(`/admin/accounts?${new URLSearchParams({ text }).toString()}`, 30);
  const found = orders.data?.items ?? [];
  const only = isSubject && found.length === 1 ? found[0]?.id : undefined;
  useEffect(() => {
    if (only !== undefined) location.replace(links.order(only));
  }, [only]);
  return (
    <>
      <h1>Found</h1>
      <p class="muted wrap">{q}</p>
      <Panel title="Accounts" live={accounts}>
        <AccountTable
          accounts={accounts.data?.items ?? []}
          empty="No account has this in its name or corporateId, or this wallet."
        />
      </Panel>
      <Panel title="Orders" live={orders}>
        <OrderTable
          orders={found}
          empty={
            isSubject
              ? 'No order has this id, transaction, address or token.'
              : 'None of the newest orders has this in the name of its account or in why it failed or waits.'
          }
        />
        {!isSubject && (
          <p>
            <a href={links.orders({ text })}>Older orders with this text</a>
          </p>
        )}
      </Panel>
    </>
  );
}
