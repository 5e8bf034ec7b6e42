import { render } from 'preact';
import { AccountView } from './account-view.tsx';
import { AccountsView } from './accounts-view.tsx';
import { Frame } from '../shared/frame.tsx';
import { operatorApi, tryOperatorKey } from '../shared/keyed-apis.ts';
import { SearchForm } from '../shared/search-form.tsx';
import { WithKey } from '../shared/sign-in.tsx';
import { OrderView } from './order-view.tsx';
import { OrdersView } from './orders-view.tsx';
import { Overview } from './overview.tsx';
import { links, useRoute, type Route } from './route.ts';
import { WebhooksView } from './webhooks-view.tsx';

function Console() {
  const route = useRoute();
  const parts = [
    { text: 'Overview', href: links.overview, isCurrent: route.page === 'overview' },
    { text: 'Orders', href: links.orders(), isCurrent: route.page.startsWith('order') },
    { text: 'Webhooks', href: links.webhooks, isCurrent: route.page === 'webhooks' },
    { text: 'Accounts', href: links.accounts, isCurrent: route.page.startsWith('account') },
  ];
  const search = (
    <SearchForm
      q={route.page === 'orders' ? route.q : ''}
      label="Search orders by order id, transaction, address, or contract and token id"
      placeholder="Order, transaction, address, contract/token"
      linkTo={links.orders}
    />
  );
  return (
    <Frame title="Console" home={links.overview} parts={parts} search={search}>
      <View route={route} />
    </Frame>
  );
}

function View({ route }: { readonly route: Route }) {
  switch (route.page) {
    case 'overview':
      return <Overview />;
    case 'orders':
      return <OrdersView key={route.q} q={route.q} />;
    case 'order':
      return <OrderView key={route.id} id={route.id} />;
    case 'webhooks':
      return <WebhooksView />;
    case 'accounts':
      return <AccountsView />;
    case 'account':
      return <AccountView key={route.corporateId} corporateId={route.corporateId} />;
  }
  return null;
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
