import { render } from 'preact';
import { Frame } from '../shared/frame.tsx';
import { useRoute, type Route } from '../shared/hash-route.ts';
import { accountApi, tryAccountKey } from '../shared/keyed-apis.ts';
import { SearchForm } from '../shared/search-form.tsx';
import { WithKey } from '../shared/sign-in.tsx';
import { AccountView } from './account-view.tsx';
import { ClaimsView } from './claims-view.tsx';
import { ContractsView, ContractView } from './contracts-view.tsx';
import { HowToGetAKey } from './how-to-get-a-key.tsx';
import { ImportView } from './import-view.tsx';
import { ImportsView } from './imports-view.tsx';
import { kindNamed } from './kinds.ts';
import { MetadataView } from './metadata-view.tsx';
import { MintView } from './mint-view.tsx';
import { OrdersView, SearchView } from './orders-view.tsx';
import { OrderView } from './order-view.tsx';
import { links, type Condition } from './route.ts';
import { DeliveryView, WebhooksView } from './webhooks-view.tsx';

function Portal() {
  const route = useRoute<Condition>();
  const [page = 'orders'] = route.path;
  const parts = [
    { text: 'Orders', href: links.orders(), isCurrent: page === 'orders' || page === 'search' },
    { text: 'Mint', href: links.mint(), isCurrent: page === 'mint' },
    { text: 'Claim links', href: links.claims(), isCurrent: page === 'claims' },
    { text: 'Import', href: links.imports(), isCurrent: page === 'imports' },
    { text: 'Contracts', href: links.contracts(), isCurrent: page === 'contracts' || page === 'metadata' },
    { text: 'Webhooks', href: links.webhooks(), isCurrent: page === 'webhooks' },
    { text: 'Account', href: links.account(), isCurrent: page === 'account' },
  ];
  const search = (
    <SearchForm
      q={page === 'search' ? (route.query.q ?? '') : ''}
      label="Search orders by order id, transaction, address, or contract and token id"
      placeholder="Order, transaction, address, contract/token"
      linkTo={links.search}
    />
  );
  return (
    <Frame title="Portal" home={links.orders()} parts={parts} search={search}>
      <View route={route} />
    </Frame>
  );
}

function View({ route: { path, query } }: { readonly route: Route<Condition> }) {
  const [page, first, second] = path;
  if (page === 'search') return <SearchView key={query.q} q={query.q ?? ''} />;
  if (page === 'mint') return <MintView query={query} />;
  if (page === 'claims') return <ClaimsView query={query} />;
  if (page === 'imports')
    return first === undefined ? <ImportsView query={query} /> : <ImportView key={first} id={first} />;
  if (page === 'account') return <AccountView query={query} />;
  if (page === 'contracts') {
    return first === undefined ? (
      <ContractsView query={query} />
    ) : (
      <ContractView key={first} id={first} query={query} />
    );
  }
  if (page === 'metadata' && first !== undefined) return <MetadataView key={first} id={first} />;
  if (page === 'webhooks') return first === undefined ? <WebhooksView query={query} /> : <DeliveryView id={first} />;
  if (page === 'orders' && second !== undefined) {
    const kind = kindNamed(first);
    return kind === undefined ? (
      <SearchView key={second} q={second} />
    ) : (
      <OrderView key={second} kind={kind} id={second} />
    );
  }
  return <OrdersView query={query} />;
}

const app = document.getElementById('app');
if (app !== null) {
  render(
    <WithKey
      api={accountApi}
      title="Portal"
      label="Key of your account"
      intro="You can see and do what the key of your account allows. The key stays in this tab, is sent only to this service, and is forgotten when you close the tab."
      help={<HowToGetAKey />}
      tryKey={tryAccountKey}
    >
      <Portal />
    </WithKey>,
    app,
  );
}
