import { render } from 'preact';
import { useState } from 'preact/hooks';
import { AccountView } from './account-view.tsx';
import { AccountsView } from './accounts-view.tsx';
import { adminKey } from './admin-api.ts';
import { OrderView } from './order-view.tsx';
import { OrdersView } from './orders-view.tsx';
import { Overview } from './overview.tsx';
import { links, useRoute, type Route } from './route.ts';
import { SearchForm } from './search-form.tsx';
import { SignIn } from './sign-in.tsx';
import { signOut } from './use-live.ts';
import { WebhooksView } from './webhooks-view.tsx';

function Console() {
  const route = useRoute();
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => skipTo(event)}>
        Skip to the content
      </a>
      <header class="top">
        <a class="brand" href={links.overview}>
          Console
        </a>
        <nav aria-label="Console">
          <NavLink href={links.overview} isCurrent={route.page === 'overview'} text="Overview" />
          <NavLink href={links.orders()} isCurrent={route.page.startsWith('order')} text="Orders" />
          <NavLink href={links.webhooks} isCurrent={route.page === 'webhooks'} text="Webhooks" />
          <NavLink href={links.accounts} isCurrent={route.page.startsWith('account')} text="Accounts" />
        </nav>
        <SearchForm q={route.page === 'orders' ? route.q : ''} />
        <button type="button" class="quiet" onClick={signOut}>
          Sign out
        </button>
      </header>
      <main id="main" tabindex={-1}>
        <View route={route} />
      </main>
    </>
  );
}

/** The fragment of the URL is the route, so that the browser cannot jump by it. */
function skipTo(event: Event): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

function NavLink({
  href,
  isCurrent,
  text,
}: {
  readonly href: string;
  readonly isCurrent: boolean;
  readonly text: string;
}) {
  return (
    <a href={href} aria-current={isCurrent ? 'page' : undefined}>
      {text}
    </a>
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

function App() {
  const [isSignedIn, setSignedIn] = useState(adminKey.get() !== null);
  return isSignedIn ? <Console /> : <SignIn onSignedIn={() => setSignedIn(true)} />;
}

const app = document.getElementById('app');
if (app !== null) render(<App />, app);
