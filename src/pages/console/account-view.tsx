import { ActionButton } from './action-button.tsx';
import { formatCoins, formatCount } from './format.ts';
import { Age, Hex, Panel, State, Table } from './parts.tsx';
import type { AccountDetail } from './replies.ts';
import { links } from './route.ts';
import { useLive, type Live } from './use-live.ts';

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
          path={`/admin/accounts/${encodeURIComponent(corporateId)}/${action.toLowerCase()}`}
          onDone={live.refresh}
        />
      </div>
    </div>
  );
}

const of = (value: number, limit: number | null) =>
  limit === null ? `${formatCount(value)}, no limit` : `${formatCount(value)} of ${formatCount(limit)}`;

const listed = (list: readonly string[] | null) => (list === null ? 'any' : list.join(', ') || 'none');

function Limits({ limits }: { readonly limits: AccountDetail['limits'] }) {
  const { used } = limits;
  const spend = new Set([...Object.keys(limits.spend), ...Object.keys(used.spentToday)]);
  const rows: [string, string][] = [
    ['Orders today', of(used.ordersToday, limits.ordersPerDay)],
    ['Pending orders', of(used.pendingOrders, limits.pendingOrders)],
    ['Chains', listed(limits.chains)],
    ['Contracts', listed(limits.contracts)],
    ['Receivers', listed(limits.receivers)],
    ...Array.from(spend, (chainId): [string, string] => {
      const { perDay = null, perOrder = null, gasPrice = null } = limits.spend[chainId] ?? {};
      const parts = [
        `${formatCoins(used.spentToday[chainId] ?? 0)} coins today${perDay === null ? ', no limit' : ` of ${perDay}`}`,
        ...(perOrder === null ? [] : [`${perOrder} an order`]),
        ...(gasPrice === null ? [] : [`${gasPrice} gwei a unit of gas`]),
      ];
      return [`Spent on chain ${chainId}`, parts.join(', ')];
    }),
  ];
  return (
    <dl class="fields">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class="wrap">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
