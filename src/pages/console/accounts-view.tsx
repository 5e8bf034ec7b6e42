import { useState } from 'preact/hooks';
import { FilterForm } from '../shared/filter-form.tsx';
import { Field } from '../shared/form.tsx';
import { HashPager } from '../shared/hash-pager.tsx';
import { Panel } from '../shared/parts.tsx';
import { useLive } from '../shared/use-live.ts';
import { AccountTable } from './account-table.tsx';
import type { Accounts } from './replies.ts';
import { links, type Query } from './route.ts';

/** All accounts, or those with a text, a page at a time. */
export function AccountsView({ query }: { readonly query: Query }) {
  const wanted = new URLSearchParams();
  if (query.text) wanted.set('text', query.text);
  if (query.before) wanted.set('cursor', query.before);
  const live = useLive<Accounts>(`/admin/accounts?${wanted.toString()}`, 30);
  const { items = [], nextCursor = null } = live.data ?? {};
  return (
    <>
      <h1>Accounts</h1>
      <Panel title="Newest first" live={live}>
        <FilterForm query={{ text: query.text }} names={['text']} linkTo={links.accounts} all="All accounts" isInline>
          <Field label="Name, corporateId or wallet">
            <input name="text" defaultValue={query.text} maxlength={100} />
          </Field>
        </FilterForm>
        <AccountTable
          accounts={items}
          empty={nextCursor === null ? 'No account.' : 'None here. Choose Older to look further.'}
        />
        <HashPager query={query} next={nextCursor} linkTo={links.accounts} />
      </Panel>
      <Panel title="Create an account">
        <NewAccount />
      </Panel>
    </>
  );
}

/**
 * The command that creates an account. The page cannot: the service may read the keys of wallets and not make them, and
 * a wallet is made with its account.
 */
function NewAccount() {
  const [name, setName] = useState('');
  const [url, setUrl] = useState('');
  const command = `npm run corporate -- --name ${quoted(name || 'NAME')}${url === '' ? '' : ` --webhook-url ${quoted(url)}`}`;
  return (
    <>
      <p class="muted">
        An account has a wallet, whose key only the operator's command can create. Run it where the secrets of the
        deployment are; it prints the account, which is then listed here. Then fund its wallet on each chain.
      </p>
      <div class="form">
        <Field label="Name">
          <input value={name} maxlength={200} onInput={(event) => setName(event.currentTarget.value)} />
        </Field>
        <Field label="Webhook URL; empty: none">
          <input value={url} placeholder="https://…" onInput={(event) => setUrl(event.currentTarget.value)} />
        </Field>
      </div>
      <pre tabindex={0}>{command}</pre>
      <div class="buttons">
        <button type="button" onClick={() => void navigator.clipboard.writeText(command)}>
          Copy
        </button>
      </div>
    </>
  );
}

/** A word of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
