import { AcceptedFields, FilterForm } from '../shared/filter-form.tsx';
import { words } from '../shared/format.ts';
import { Choice, Field } from '../shared/form.tsx';
import { HashPager } from '../shared/hash-pager.tsx';
import { SEARCHED_KINDS } from '../shared/order-kinds.ts';
import { Panel } from '../shared/parts.tsx';
import { useLive } from '../shared/use-live.ts';
import { OrderTable } from './order-table.tsx';
import type { Accounts, Orders } from './replies.ts';
import { links, type Query } from './route.ts';

const STATES: readonly (readonly [state: string, text: string])[] = [
  ['unfinished', 'unfinished'],
  ['held', 'held'],
  ['waiting', 'waiting: not signed'],
  ['signed', 'signed: not mined'],
  ['confirmed', 'confirmed'],
  ['failed', 'failed'],
  ['cancelled', 'cancelled'],
];
const KINDS = SEARCHED_KINDS.map((kind) => [kind, words(kind)] as const);
const FIELDS = ['state', 'kind', 'account', 'contract', 'text', 'from', 'to'] as const;

/** The orders of all accounts, newest first, a page at a time. */
export function OrdersView({ query }: { readonly query: Query }) {
  const live = useLive<Orders>(`/admin/orders?${queryOf(query)}`, 10);
  const { items = [], nextCursor = null } = live.data ?? {};
  const isFiltered = FIELDS.some((name) => query[name]);
  return (
    <>
      <h1>{isFiltered ? 'Orders found' : 'Newest orders'}</h1>
      <Panel title="Which">
        <OrderFilterForm query={query} />
      </Panel>
      <Panel title="Newest first" live={live}>
        <OrderTable
          orders={items}
          empty={nextCursor === null ? 'No order.' : 'No order in this part of the list. Choose Older to look further.'}
        />
        <HashPager query={query} next={nextCursor} linkTo={links.orders} />
      </Panel>
    </>
  );
}

/** The query of the API for the conditions of a link. */
function queryOf({ state, kind, account, contract, text, from, to, before }: Query): string {
  const query = new URLSearchParams({ limit: '25' });
  const add = (name: string, value: string | undefined) => value && query.set(name, value);
  add('state', state);
  add('kind', kind);
  add('corporateId', account);
  add('contractAddress', contract);
  add('text', text);
  add('createdFrom', from && new Date(from).toISOString());
  add('createdTo', to && new Date(to).toISOString());
  add('cursor', before);
  return query.toString();
}

function OrderFilterForm({ query }: { readonly query: Query }) {
  const accounts = useLive<Accounts>('/admin/accounts?limit=100', 60).data?.items ?? [];
  const { state = '', kind = '', account, contract, text, from, to } = query;
  return (
    <FilterForm query={query} names={FIELDS} linkTo={links.orders} all="All orders">
      <Choice name="state" label="State" value={state} options={STATES} />
      <Choice name="kind" label="Kind" value={kind} options={KINDS} />
      <Field label="Account (corporateId)">
        <input name="account" list="accounts" defaultValue={account} maxlength={64} spellcheck={false} />
      </Field>
      <datalist id="accounts">
        {accounts.map(({ corporateId, name }) => (
          <option key={corporateId} value={corporateId}>
            {name}
          </option>
        ))}
      </datalist>
      <Field label="Contract">
        <input name="contract" defaultValue={contract} placeholder="0x…" spellcheck={false} />
      </Field>
      <Field label="Text in the account's name or the reason, or token id">
        <input name="text" defaultValue={text} maxlength={100} />
      </Field>
      <AcceptedFields from={from} to={to} />
    </FilterForm>
  );
}
