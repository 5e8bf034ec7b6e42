import { ActionButton } from '../shared/action-button.tsx';
import { Limits } from '../shared/limits.tsx';
import { Age, Hex, Panel, State, Table } from '../shared/parts.tsx';
import type { AccountDetail } from './replies.ts';
import { links } from './route.ts';
import { useLive, type Live } from '../shared/use-live.ts';

/** One account: its limits and what is used of them, keys, endpoints. */
export function AccountView({ corporateId }: { readonly corporateId: string }) {
  const live = useLive<AccountDetail>(`/admin/accounts/${encodeURIComponent(corporateId)}`, 10);
  const account = live.data;
  return (
    <>
      <h1 class="wrap">{account?.name ?? corporateId}</h1>
      {account !== undefined && <Facts account={account} live={live} />}
      <div class="grid">
        <Panel title="Limits" live={live}>
          {account !== undefined && <Limits limits={account.limits} />}
        </Panel>
        <Panel title="Keys" live={live}>
          <Table
            label="Keys"
            head={['Name', 'For', 'Scopes', 'Last used', 'Expires']}
            isEmpty={account?.keyList.length === 0}
            empty="The account has no key of its own."
          >
            {account?.keyList.map(({ id, name, kind, scopes, lastUsedAt, expiresAt }) => (
              <tr key={id}>
                <td>{name}</td>
                <td>{kind}</td>
                <td>{scopes.join(', ')}</td>
                <td>{lastUsedAt === null ? 'never' : <Age at={lastUsedAt} />}</td>
                <td>{expiresAt === null ? 'never' : new Date(expiresAt).toLocaleDateString('en-GB')}</td>
              </tr>
            ))}
          </Table>
        </Panel>
        <Panel title="Webhook endpoints" live={live} isWide>
          <Table
            label="Webhook endpoints"
            head={['URL', 'Managed by', 'State', 'Events']}
            isEmpty={account?.endpoints.length === 0}
            empty="None."
          >
            {account?.endpoints.map(({ id, url, managedBy, status, eventTypes }) => (
              <tr key={id}>
                <td class="wrap">{url ?? 'WEBHOOK_URL'}</td>
                <td>{managedBy}</td>
                <td>
                  <State name={status} />
                </td>
                <td>{eventTypes?.join(', ') ?? 'ends of all orders'}</td>
              </tr>
            ))}
          </Table>
        </Panel>
      </div>
    </>
  );
}

function Facts({ account, live }: { readonly account: AccountDetail; readonly live: Live<AccountDetail> }) {
  const { corporateId, status, pausedAt, walletAddress } = account;
  const action = pausedAt === null ? 'Pause' : 'Resume';
  return (
    <div class="facts">
      <p>
        <State name={pausedAt === null ? status : 'paused'} /> <span class="mono wrap">{corporateId}</span>, wallet{' '}
        <a href={links.orders(walletAddress)}>
          <Hex value={walletAddress} />
        </a>
      </p>
      <div class="buttons">
        <ActionButton
          text={`${action} account`}
          question={
            pausedAt === null
              ? 'Its orders will be accepted and wait. What is signed continues.'
              : 'Everything that waits will be carried out, oldest first.'
          }
          act={`/admin/accounts/${encodeURIComponent(corporateId)}/${action.toLowerCase()}`}
          onDone={live.refresh}
        />
      </div>
    </div>
  );
}
