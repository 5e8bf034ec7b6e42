import { useEffect } from 'preact/hooks';
import { OrderTable } from './order-table.tsx';
import { Panel } from '../shared/parts.tsx';
import type { Orders } from './replies.ts';
import { links } from './route.ts';
import { useLive } from '../shared/use-live.ts';

/** The newest orders, or those that were searched for. */
export function OrdersView({ q }: { readonly q: string }) {
  const live = useLive<Orders>(`/admin/orders?${new URLSearchParams({ q }).toString()}`, 10);
  const items = live.data?.items ?? [];
  const only = q !== '' && items.length === 1 ? items[0]?.id : undefined;
  useEffect(() => {
    if (only !== undefined) location.replace(links.order(only));
  }, [only]);
  return (
    <>
      <h1>{q === '' ? 'Newest orders' : 'Orders found'}</h1>
      {q !== '' && <p class="muted mono wrap">{q}</p>}
      <Panel title="Orders" live={live}>
        <OrderTable orders={items} />
      </Panel>
    </>
  );
}
