import { concernsOf, type Concern } from './attention.ts';
import { ActionButton } from '../shared/action-button.tsx';
import { Charts } from './charts.tsx';
import { formatAge, formatCoins, formatCount, words } from '../shared/format.ts';
import { OrderTable } from './order-table.tsx';
import { Age, Hex, Panel, State, Table } from '../shared/parts.tsx';
import type { Chain, Orders, Statistics, Status, Wallets, Webhooks } from './replies.ts';
import { links } from './route.ts';
import { useLive, type Live } from '../shared/use-live.ts';

/** Whether all is well, at a glance. */
export function Overview() {
  const status = useLive<Status>('/status', 5);
  const wallets = useLive<Wallets>('/admin/wallets', 30);
  const webhooks = useLive<Webhooks>('/admin/webhooks', 30);
  const statistics = useLive<Statistics>('/admin/statistics?hours=24', 60);
  const orders = useLive<Orders>('/admin/orders', 10);
  const chains = statistics.data?.chains ?? [];
  return (
    <>
      <h1 class="visually-hidden">Overview</h1>
      <Headline live={status} wallets={wallets.data} webhooks={webhooks.data} chains={chains} />
      {status.data !== undefined && <Tiles status={status.data} />}
      <div class="grid">
        <Charts live={statistics} />
        <LanesPanel live={status} chains={chains} />
        <WalletsPanel live={wallets} chains={chains} />
        <ChainsPanel live={status} chains={chains} />
        <QueuesPanel live={status} />
        <Panel title="Newest orders" live={orders} isWide aside={<a href={links.orders()}>All</a>}>
          <OrderTable orders={(orders.data?.items ?? []).slice(0, 10)} />
        </Panel>
      </div>
    </>
  );
}

function Headline(props: {
  readonly live: Live<Status>;
  readonly wallets: Wallets | undefined;
  readonly webhooks: Webhooks | undefined;
  readonly chains: readonly Chain[];
}) {
  const { live, wallets, webhooks, chains } = props;
  const unread: Concern[] =
    live.error === undefined ? [] : [{ text: `The state cannot be read: ${live.error}`, href: undefined, tone: 'bad' }];
  const concerns = [...unread, ...(live.data === undefined ? [] : concernsOf(live.data, wallets, webhooks, chains))];
  const isKnown = live.data !== undefined || live.error !== undefined;
  const tone = concerns.some((concern) => concern.tone === 'bad') ? 'bad' : concerns.length > 0 ? 'warn' : 'good';
  return (
    <section class={`headline ${isKnown ? tone : ''}`} aria-label="State of the service">
      <p class="verdict" role="status">
        {isKnown ? titleOf(concerns.length) : 'Loading'}
      </p>
      {concerns.length > 0 && (
        <ul>
          {concerns.map(({ text, href, tone: own }) => (
            <li key={text} class={own}>
              {href === undefined ? text : <a href={href}>{text}</a>}
            </li>
          ))}
        </ul>
      )}
      {live.data !== undefined && (
        <p class="muted updated">
          Version {live.data.version}, read at {new Date(live.data.timestamp).toLocaleTimeString('en-GB')}
        </p>
      )}
    </section>
  );
}

function titleOf(concerns: number): string {
  if (concerns === 0) return 'All is well';
  return concerns === 1 ? 'One thing needs attention' : `${concerns} things need attention`;
}

const EVENTS = 'webhookEvents';

function Tiles({ status }: { readonly status: Status }) {
  const work: Readonly<Record<string, Readonly<Record<string, number>>>> = status.work ?? {};
  const orders = Object.entries(work).filter(([label]) => label !== EVENTS);
  const sum = (...names: string[]) =>
    orders.reduce((total, [, counts]) => total + names.reduce((part, name) => part + (counts[name] ?? 0), 0), 0);
  const events = work[EVENTS] ?? {};
  const inFlight = status.walletsInFlight.reduce((total, { nonces }) => total + nonces, 0);
  const tiles: [string, string, string?][] = [
    ['Waiting', formatCount(sum('PENDING', 'PROCESSING', 'DEPLOYING'))],
    ['Nonces in flight', formatCount(inFlight)],
    ['Confirmed, 24 hours', formatCount(sum('CONFIRMED', 'ACTIVE'))],
    ['Failed, 24 hours', formatCount(sum('FAILED', 'CANCELLED')), sum('FAILED') > 0 ? 'bad' : ''],
    ['Oldest unfinished', status.oldestUnfinished === null ? 'none' : formatAge(status.oldestUnfinished.createdAt)],
    ['Webhooks to deliver', formatCount((events['PENDING'] ?? 0) + (events['RETRYING'] ?? 0))],
  ];
  return (
    <dl class="tiles">
      {tiles.map(([name, value, tone = '']) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class={tone}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function titleOfChain(chains: readonly Chain[], chainId: string): string {
  return chains.find(({ id }) => id === chainId)?.title ?? chainId;
}

function LanesPanel({ live, chains }: { readonly live: Live<Status>; readonly chains: readonly Chain[] }) {
  const { lanes = [], walletsInFlight = [] } = live.data ?? {};
  const owner = (chainId: string, address: string) =>
    walletsInFlight.find((own) => own.chainId === chainId && own.walletAddress.toLowerCase() === address);
  return (
    <Panel title="Lanes with work" live={live}>
      <Table
        label="Lanes with work"
        head={['Chain', 'Account', 'State', 'In flight', 'Since']}
        numbers={['In flight']}
        isEmpty={lanes.length === 0}
        empty="No wallet has unfinished transactions."
      >
        {lanes.map(({ chainId, address, state, since, reason }) => (
          <tr key={`${chainId}:${address}`}>
            <td>{titleOfChain(chains, chainId)}</td>
            <td>
              <a href={links.orders(address)}>{owner(chainId, address)?.corporateId ?? <Hex value={address} />}</a>
            </td>
            <td title={reason ?? ''}>
              <State name={state} />
            </td>
            <td class="number">{owner(chainId, address)?.nonces ?? 0}</td>
            <td>{since === null ? '' : <Age at={since} />}</td>
          </tr>
        ))}
      </Table>
    </Panel>
  );
}

function WalletsPanel({ live, chains }: { readonly live: Live<Wallets>; readonly chains: readonly Chain[] }) {
  const { items = [] } = live.data ?? {};
  return (
    <Panel title="Wallets" live={live}>
      <Table
        label="Wallets"
        head={['Account', 'Lasts', 'Balance', 'Chain', 'Spent per day']}
        numbers={['Balance', 'Lasts', 'Spent per day']}
        isEmpty={items.length === 0}
        empty="No account has contracts or work yet."
      >
        {items.slice(0, 20).map((wallet) => (
          <WalletRow key={`${wallet.chainId}:${wallet.walletAddress}`} wallet={wallet} chains={chains} />
        ))}
      </Table>
    </Panel>
  );
}

function WalletRow(props: { readonly wallet: Wallets['items'][number]; readonly chains: readonly Chain[] }) {
  const { chainId, corporateId, walletAddress, balance, coin, isLow, replacedAt, ...rest } = props.wallet;
  return (
    <tr>
      <td>
        <a href={links.account(corporateId)}>{corporateId}</a>
      </td>
      <td class="number">{lastsText(rest.daysLeft)}</td>
      <td class={`number ${isLow ? 'bad' : ''}`}>
        <a href={`${rest.explorerUrl}/address/${walletAddress}`} target="_blank" rel="noopener noreferrer">
          {formatCoins(balance, coin)}
        </a>
        {isLow && ' low'}
        {replacedAt !== null && ' replaced'}
      </td>
      <td>{titleOfChain(props.chains, chainId)}</td>
      <td class="number">{formatCoins(rest.spentLastDay)}</td>
    </tr>
  );
}

/** Beyond a year the number says nothing. */
const MANY_DAYS = 365;

function lastsText(daysLeft: number | null): string {
  if (daysLeft === null) return '';
  return daysLeft > MANY_DAYS ? 'over a year' : `${formatCount(daysLeft)} days`;
}

function ChainsPanel({ live, chains }: { readonly live: Live<Status>; readonly chains: readonly Chain[] }) {
  const paused = new Map(live.data?.paused.chains.map(({ chainId, pausedAt }) => [chainId, pausedAt]));
  return (
    <Panel title="Chains" live={live}>
      <ul class="rows">
        {chains.map(({ id, title, isTest }) => {
          const since = paused.get(id);
          const action = since === undefined ? 'Pause' : 'Resume';
          return (
            <li key={id}>
              <span>
                {title} <span class="muted">{isTest ? 'test network' : ''}</span>
              </span>
              {since === undefined ? <State name="ok" /> : <State name="paused" />}
              <ActionButton
                text={`${action} ${title}`}
                question={
                  since === undefined
                    ? `Orders of all accounts on ${title} will be accepted and wait. What is signed continues.`
                    : `Everything that waits on ${title} will be carried out, oldest first.`
                }
                act={`/admin/chains/${id}/${action.toLowerCase()}`}
                onDone={live.refresh}
              />
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}

function QueuesPanel({ live }: { readonly live: Live<Status> }) {
  return (
    <Panel title="Queues" live={live}>
      <ul class="rows">
        {Object.entries(live.data?.queues ?? {}).map(([name, backlog]) => (
          <li key={name}>
            <span>{words(name)}</span>
            <span class="number">
              {backlog === null ? 'not reported' : `${formatCount(backlog.messages)} messages`}
            </span>
            <span class="muted">{backlog?.oldestAt ? <Age at={backlog.oldestAt} /> : ''}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
