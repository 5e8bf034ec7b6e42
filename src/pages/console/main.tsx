import { render } from 'preact';
import { Frame } from '../shared/frame.tsx';
import { useRoute, type Route } from '../shared/hash-route.ts';
import { operatorApi, tryOperatorKey } from '../shared/keyed-apis.ts';
import { SearchForm } from '../shared/search-form.tsx';
import { WithKey } from '../shared/sign-in.tsx';
import { AccountView } from './account-view.tsx';
import { AccountsView } from './accounts-view.tsx';
import { OrderView } from './order-view.tsx';
import { OrdersView } from './orders-view.tsx';
import { Overview } from './overview.tsx';
import { links, type Condition } from './route.ts';
import { SearchView } from './search-view.tsx';
import { WebhooksView } from './webhooks-view.tsx';

function Console() {
  const route = useRoute<Condition>();
  const [page = 'overview'] = route.path;
  const parts = [
    { text: 'Overview', href: links.overview, isCurrent: page === 'overview' },
    { text: 'Orders', href: links.orders(), isCurrent: page === 'orders' || page === 'search' },
    { text: 'Webhooks', href: links.webhooks, isCurrent: page === 'webhooks' },
    { text: 'Accounts', href: links.accounts(), isCurrent: page === 'accounts' },
  ];
  const search = (
    <SearchForm
      q={page === 'search' ? (route.query.q ?? '') : ''}
      label="Search orders and accounts by id, transaction, address, token, name or text"
      placeholder="Id, transaction, address, contract/token, name, text"
      linkTo={links.search}
    />
  );
  return (
    <Frame title="Console" home={links.overview} parts={parts} search={search}>
      <View route={route} />
    </Frame>
  );
}

function View({ route: { path, query } }: { readonly route: Route<Condition> }) {
  const [page, item] = path;
  if (page === 'search') return <SearchView key={query.q} q={query.q?.trim() ?? ''} />;
  if (page === 'orders') return item === undefined ? <OrdersView query={query} /> : <OrderView key={item} id={item} />;
  if (page === 'webhooks') return <WebhooksView />;
  if (page === 'accounts') {
    return item === undefined ? (
      <AccountsView query={query} />
    ) : (
      <AccountView key={item} corporateId={item} query={query} />
    );
  }
  return <Overview />;
}

const app = document.getElementById('app');
if (app !== null) {
  render(
    <WithKey
      api={operatorApi}
      title="Console"
      label="Admin key"
      intro="For the operator of this service. The key stays in this tab and is forgotten when you close it."
      tryKey={tryOperatorKey}
    >
      <Console />
    </WithKey>,
    app,
  );
}
