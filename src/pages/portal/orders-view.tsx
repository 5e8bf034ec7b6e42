import { useEffect } from 'preact/hooks';
import { AcceptedFields, FilterForm } from '../shared/filter-form.tsx';
import { Panel } from '../shared/parts.tsx';
import { useReading } from '../shared/use-live.ts';
import { Choice, Field } from '../shared/form.tsx';
import { HashPager } from '../shared/hash-pager.tsx';
import { KINDS } from './kinds.ts';
import { findOrders, kindsIn, listOrders, type OrderFilter } from './list-orders.ts';
import { OrderTable } from './order-parts.tsx';
import { STATE_NAMES } from './order.ts';
import { links, type Query } from './route.ts';

/** Orders of all kinds, newest first, a page at a time. */
export function OrdersView({ query }: { readonly query: Query }) {
  const filter = filterOf(query);
  const live = useReading(JSON.stringify(filter), 10, (api, signal) => listOrders(api, filter, signal));
  const { orders = [], next = null } = live.data ?? {};
  return (
    <>
      <h1>Orders</h1>
      <Panel title="Which">
        <OrderFilterForm filter={filter} />
      </Panel>
      <Panel title="Newest first" live={live}>
        <OrderTable orders={orders} empty={emptyText(filter, next)} />
        <HashPager query={query} next={next} linkTo={links.orders} />
      </Panel>
    </>
  );
}

function filterOf(query: Query): OrderFilter {
  const { kind = '', state = '', contract = '', address = '', from = '', to = '', before = '' } = query;
  return { kind, state, contract, address, from, to, before };
}

function emptyText(filter: OrderFilter, next: string | null): string {
  if (kindsIn(filter).length === 0) return 'No kind of order has all of these. Remove a condition.';
  return next === null ? 'No order.' : 'No order in this part of the list. Choose Older to look further.';
}

const FILTER_FIELDS = ['kind', 'state', 'contract', 'address', 'from', 'to'];

function OrderFilterForm({ filter }: { readonly filter: OrderFilter }) {
  const kinds = KINDS.filter(({ list }) => list !== null).map(({ name, title }): [string, string] => [name, title]);
  return (
    <FilterForm query={{ ...filter }} names={FILTER_FIELDS} linkTo={links.orders} all="All orders">
      <Choice name="kind" label="Kind" value={filter.kind} options={kinds} />
      <Choice name="state" label="State" value={filter.state} options={Object.entries(STATE_NAMES)} />
      <Field label="Contract">
        <input name="contract" defaultValue={filter.contract} placeholder="0x…" spellcheck={false} />
      </Field>
      <Field label="Receiver of a mint, otherwise holder">
        <input name="address" defaultValue={filter.address} placeholder="0x…" spellcheck={false} />
      </Field>
      <AcceptedFields from={filter.from} to={filter.to} />
    </FilterForm>
  );
}

/** The orders that were searched for; the only one is opened. */
export function SearchView({ q }: { readonly q: string }) {
  const isAddress = /^0x[0-9a-f]{40}$/i.test(q);
  const live = useReading(q, 600, (api, signal) => (isAddress ? Promise.resolve([]) : findOrders(api, q, signal)));
  const orders = live.data ?? [];
  const [only] = orders.length === 1 ? orders : [];
  useEffect(() => {
    if (isAddress) location.replace(links.orders({ address: q }));
    else if (only !== undefined) location.replace(links.order(only.id, only.kind));
  }, [isAddress, q, only?.id]);
  return (
    <>
      <h1>Orders found</h1>
      <p class="muted mono wrap">{q}</p>
      <Panel title="Orders" live={live}>
        <OrderTable orders={orders} empty="No order of the account has this id, transaction or token." />
      </Panel>
    </>
  );
}
