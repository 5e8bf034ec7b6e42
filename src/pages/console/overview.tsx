import { concernsOf, type Concern } from './attention.ts';
import { ActionButton } from '../shared/action-button.tsx';
import { Charts } from './charts.tsx';
import { chains, chainTitle } from '../shared/chains.ts';
import { formatAge, formatCoins, formatCount, formatLocal, formatTime, words, ZONE } from '../shared/format.ts';
import { OrderTable } from './order-table.tsx';
import { Age, Hex, Panel, State } from '../shared/parts.tsx';
import { RecordTable, type Column } from '../shared/record-table.tsx';
import { AccountLink } from './account-link.tsx';
import type { Orders, Statistics, Status, Wallets, Webhooks } from './replies.ts';
import { links } from './route.ts';
import { useLive, type Live } from '../shared/use-live.ts';

/** Whether all is well, at a glance. */
export function Overview() {
  const status = useLive<Status>('/status', 5);
  const wallets = useLive<Wallets>('/admin/wallets', 30);
  const webhooks = useLive<Webhooks>('/admin/webhooks', 30);
  const statistics = useLive<Statistics>('/admin/statistics?hours=24', 60);
  const orders = useLive<Orders>('/admin/orders?limit=10', 10);
  return (
    <>
      <h1 class="visually-hidden">Overview</h1>
      <Headline live={status} wallets={wallets.data} webhooks={webhooks.data} />
      {status.data !== undefined && <Tiles status={status.data} statistics={statistics.data} />}
      <div class="grid">
        <Charts live={statistics} />
        <LanesPanel live={status} />
        <WalletsPanel live={wallets} />
        <ChainsPanel live={status} />
        <QueuesPanel live={status} />
        <Panel title="Newest orders" live={orders} isWide aside={<a href={links.orders()}>All</a>}>
          <OrderTable orders={orders.data?.items ?? []} empty="No order." />
        </Panel>
      </div>
    </>
  );
}

function Headline(props: {
  readonly live: Live<Status>;
  readonly wallets: Wallets | undefined;
  readonly webhooks: Webhooks | undefined;
}) {
  const { live, wallets, webhooks } = props;
  const unread: Concern[] =
    live.error === undefined ? [] : [{ text: `The state cannot be read: ${live.error}`, href: undefined, tone: 'bad' }];
  const concerns = [...unread, ...(live.data === undefined ? [] : concernsOf(live.data, wallets, webhooks))];
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
          Version {live.data.version}, read at {formatTime(live.data.timestamp)} ({ZONE})
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

/** Figures, each with a link to what it counts. Those with a start are of the orders accepted since then. */
function Tiles({ status, statistics }: { readonly status: Status; readonly statistics: Statistics | undefined }) {
  const work: Readonly<Record<string, Readonly<Record<string, number>>>> = status.work ?? {};
  const unfinished = Object.entries(work)
    .filter(([label]) => label !== EVENTS)
    .reduce((total, [, counts]) => total + UNFINISHED.reduce((part, name) => part + (counts[name] ?? 0), 0), 0);
  const awaiting = status.awaiting ?? 0;
  const events = work[EVENTS] ?? {};
  const inFlight = status.walletsInFlight.reduce((total, { nonces }) => total + nonces, 0);
  const held = status.held.reduce((total, { orders }) => total + orders, 0);
  const ended = (name: 'confirmed' | 'failed' | 'cancelled') =>
    statistics?.hours.reduce((total, hour) => total + hour[name], 0) ?? 0;
  const from = statistics && formatLocal(statistics.from);
  const { oldestUnfinished: oldest } = status;
  const tiles: readonly [name: string, value: string, href: string, tone?: string][] = [
    ['Unfinished', formatCount(unfinished - awaiting), links.orders({ state: 'unfinished' })],
    ['Not claimed or approved yet', formatCount(awaiting), links.orders({ state: 'unfinished' })],
    ['Held', formatCount(held), links.orders({ state: 'held' }), held > 0 ? 'warn' : ''],
    ['In flight', formatCount(inFlight), links.orders({ state: 'signed' })],
    ['Confirmed, 24 hours', formatCount(ended('confirmed')), links.orders({ state: 'confirmed', from })],
    [
      'Failed, 24 hours',
      formatCount(ended('failed')),
      links.orders({ state: 'failed', from }),
      ended('failed') > 0 ? 'bad' : '',
    ],
    ['Cancelled, 24 hours', formatCount(ended('cancelled')), links.orders({ state: 'cancelled', from })],
    [
      'Oldest unfinished',
      oldest === null ? 'none' : formatAge(oldest.createdAt),
      oldest === null ? links.orders({ state: 'unfinished' }) : links.order(oldest.id),
    ],
    ['Webhooks to deliver', formatCount((events['PENDING'] ?? 0) + (events['RETRYING'] ?? 0)), links.webhooks],
  ];
  return (
    <dl class="tiles">
      {tiles.map(([name, value, href, tone = '']) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class={tone}>
            <a href={href} aria-label={`${name}: ${value}`}>
              {value}
            </a>
          </dd>
        </div>
      ))}
    </dl>
  );
}

const UNFINISHED = ['PENDING', 'PROCESSING', 'SENT', 'DEPLOYING'];

type Lane = Status['lanes'][number];

function LanesPanel({ live }: { readonly live: Live<Status> }) {
  const { lanes = [], walletsInFlight = [] } = live.data ?? {};
  const ownerOf = ({ chainId, address }: Lane) =>
    walletsInFlight.find((own) => own.chainId === chainId && own.walletAddress.toLowerCase() === address);
  const columns: readonly Column<Lane>[] = [
    ['Chain', ({ chainId }) => chainTitle(chainId)],
    [
      'Account',
      (lane) => {
        const owner = ownerOf(lane);
        return owner === undefined ? <WalletLink address={lane.address} /> : <AccountLink {...owner} />;
      },
      'wrap',
    ],
    ['State', ({ state }) => <State name={state} />],
    ['In flight', (lane) => ownerOf(lane)?.nonces ?? 0, 'number'],
    ['Since', ({ since }) => since !== null && <Age at={since} />],
    ['Reason', ({ reason }) => reason, 'wrap'],
  ];
  return (
    <Panel title="Lanes with work" live={live}>
      <RecordTable
        label="Lanes with work"
        items={lanes}
        idOf={({ chainId, address }) => `${chainId}:${address}`}
        columns={columns}
        empty="No wallet has unfinished transactions."
      />
    </Panel>
  );
}

/** The orders of a wallet, by its address. */
function WalletLink({ address }: { readonly address: string }) {
  return (
    <a href={links.search(address)}>
      <Hex value={address} />
    </a>
  );
}

type Wallet = Wallets['items'][number];

const WALLET_COLUMNS: readonly Column<Wallet>[] = [
  ['Account', (wallet) => <AccountLink {...wallet} />, 'wrap'],
  ['Lasts', ({ daysLeft }) => lastsText(daysLeft), 'number'],
  ['Balance', (wallet) => <Balance wallet={wallet} />, 'number'],
  ['Chain', ({ chainId }) => chainTitle(chainId)],
  ['Spent per day', ({ spentLastDay, coin }) => formatCoins(spentLastDay, coin), 'number'],
];

function WalletsPanel({ live }: { readonly live: Live<Wallets> }) {
  return (
    <Panel title="Wallets" live={live}>
      <RecordTable
        label="Wallets"
        items={(live.data?.items ?? []).slice(0, 20)}
        idOf={({ chainId, walletAddress }) => `${chainId}:${walletAddress}`}
        columns={WALLET_COLUMNS}
        empty="No account has contracts or work yet."
      />
    </Panel>
  );
}

function Balance({ wallet }: { readonly wallet: Wallet }) {
  const { explorerUrl, walletAddress, balance, coin, isLow, replacedAt } = wallet;
  return (
    <span class={isLow ? 'bad' : ''}>
      <a href={`${explorerUrl}/address/${walletAddress}`} target="_blank" rel="noopener noreferrer">
        {formatCoins(balance, coin)}
      </a>
      {isLow && ' low'}
      {replacedAt !== null && ' replaced'}
    </span>
  );
}

/** Beyond a year the number says nothing. */
const MANY_DAYS = 365;

function lastsText(daysLeft: number | null): string {
  if (daysLeft === null) return '';
  return daysLeft > MANY_DAYS ? 'over a year' : `${formatCount(daysLeft)} days`;
}

function ChainsPanel({ live }: { readonly live: Live<Status> }) {
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
                    ? `Orders of all accounts on ${title} will be accepted and wait. Signed transactions continue.`
                    : `All waiting orders on ${title} will be executed, oldest first.`
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
