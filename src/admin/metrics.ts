import { BOUNDS_MS, type Tally, type TallyName } from '../core/tally.ts';
import type { Services } from '../services.ts';
import {
  LATE_SECONDS,
  MAX_SAMPLED,
  MAX_WITH_WORK,
  OVERDUE_MINUTES,
  PERCENTILES,
  readServiceTimes,
  RECENT_MINUTES,
  type ServiceTimes,
} from './metrics.store.ts';
import { histogramText, metricText, type Distribution, type Metric, type Sample } from './prometheus-text.ts';

const SAMPLED = `of the last ${RECENT_MINUTES} minutes, at most ${MAX_SAMPLED}`;

/** The histogram of requests. */
const REQUESTS = 'nft_request_duration_seconds';
const REQUESTS_HELP = 'Requests of accounts until their reply, counted by all instances of the Worker';

/** Of no account, no wallet and no order: only chains, routes and states have labels. */
const METRICS = {
  nft_node_calls_total: {
    type: 'counter',
    help: 'Calls sent to nodes, counted by all instances of the Worker, whatever became of them',
  },
  nft_recent_orders: { type: 'gauge', help: `Orders accepted, ${SAMPLED}: those that the next two are about` },
  nft_accepted_to_signed_seconds: {
    type: 'gauge',
    help: `Percentiles of the time from acceptance to the first signature, or until now, of orders ${SAMPLED}; without those that wait for their account or the operator`,
  },
  nft_signed_to_confirmed_seconds: {
    type: 'gauge',
    help: `Percentiles of the time from the first signature to confirmation, or until now, of orders accepted, ${SAMPLED}`,
  },
  nft_lanes: { type: 'gauge', help: `Lanes (one wallet on one chain) with work, at most ${MAX_WITH_WORK}, by state` },
  nft_lanes_overdue: {
    type: 'gauge',
    help: `Lanes whose work has been due for ${OVERDUE_MINUTES} minutes and that nothing drives`,
  },
  nft_oldest_signed_seconds: {
    type: 'gauge',
    help: 'The longest time since a transaction was signed that is the next one of its wallet to be mined',
  },
  nft_webhook_lag_seconds: {
    type: 'gauge',
    help: `How long the delivery that has been due longest waits for an attempt, of at most ${MAX_WITH_WORK} endpoints`,
  },
  nft_webhook_endpoints_late: {
    type: 'gauge',
    help: `Endpoints with a delivery that has been due for ${LATE_SECONDS} seconds and is not attempted`,
  },
  nft_event_to_attempt_seconds: {
    type: 'gauge',
    help: `Percentiles of the time from an event to the end of its first attempt, or until now, of deliveries ${SAMPLED}`,
  },
} as const satisfies Readonly<Record<string, Metric>>;

type MetricName = keyof typeof METRICS;

/**
 * How the service works now, in Prometheus' text format. One round trip to the database, at a cost that does not grow
 * with it.
 */
export async function metrics({ db, clock, settings }: Services): Promise<string> {
  const times = await readServiceTimes(db, new Date(clock.now()));
  // A chain without work has none that is overdue, which is not the same as that nothing is known.
  const chainIds = [...new Set([...settings.chains.keys(), ...times.lanes.map(({ chainId }) => chainId)])];
  const samples: Readonly<Record<MetricName, readonly Sample[]>> = {
    nft_node_calls_total: ofName(times.tallies, 'node_call').map(({ subject, count }) => {
      const [chainId = '', method = ''] = subject.split(' ');
      return { labels: { chain_id: chainId, method }, value: count };
    }),
    nft_recent_orders: chainIds.map((chainId) => ({
      labels: { chain_id: chainId },
      value: times.orders.find((each) => each.chainId === chainId)?.orders ?? 0,
    })),
    nft_accepted_to_signed_seconds: times.orders.flatMap(({ chainId, toSigned }) =>
      percentileSamples(toSigned, { chain_id: chainId }),
    ),
    nft_signed_to_confirmed_seconds: times.orders.flatMap(({ chainId, toConfirmed }) =>
      percentileSamples(toConfirmed, { chain_id: chainId }),
    ),
    nft_lanes: times.lanes.map(({ chainId, state, count }) => ({
      labels: { chain_id: chainId, state: state.replace('-', '_') },
      value: count,
    })),
    nft_lanes_overdue: chainIds.map((chainId) => ({
      labels: { chain_id: chainId },
      value: ofChain(times, chainId).reduce((sum, { overdue }) => sum + overdue, 0),
    })),
    nft_oldest_signed_seconds: chainIds.map((chainId) => ({
      labels: { chain_id: chainId },
      value: Math.max(0, ...ofChain(times, chainId).map(({ oldestSigned }) => oldestSigned ?? 0)),
    })),
    nft_webhook_lag_seconds: times.webhooks.map(({ lag }) => ({ value: lag })),
    nft_webhook_endpoints_late: times.webhooks.map(({ late }) => ({ value: late })),
    nft_event_to_attempt_seconds: times.webhooks.flatMap(({ toAttempt }) => percentileSamples(toAttempt, {})),
  };
  const texts = [
    histogramText(
      REQUESTS,
      REQUESTS_HELP,
      BOUNDS_MS.map((bound) => bound / 1_000),
      distributionsOf(times.tallies),
    ),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.entries loses the key type
    ...(Object.entries(METRICS) as [MetricName, Metric][]).map(([name, metric]) =>
      metricText(name, metric, samples[name]),
    ),
  ];
  return `${texts.join('\n')}\n`;
}

function ofName(tallies: readonly Tally[], name: TallyName): Tally[] {
  return tallies.filter((tally) => tally.name === name);
}

function ofChain({ lanes }: ServiceTimes, chainId: string) {
  return lanes.filter((lane) => lane.chainId === chainId);
}

function percentileSamples(values: readonly number[] | null, labels: Readonly<Record<string, string>>): Sample[] {
  return (values ?? []).map((value, index) => ({
    labels: { ...labels, percentile: String(PERCENTILES[index]) },
    value,
  }));
}

/**
 * The lengths of requests by method, route and class of status; of 5xx also where there are none: the first ones would
 * not be an increase of anything.
 */
function distributionsOf(tallies: readonly Tally[]): Distribution[] {
  const bySubject = Map.groupBy(ofName(tallies, 'request'), ({ subject }) => subject);
  const subjects = [...bySubject.keys()].flatMap((subject) => [subject, subject.replace(/ [^ ]*$/, ' 5xx')]);
  return Array.from(new Set(subjects), (subject) => {
    const own = bySubject.get(subject) ?? [];
    const [method = '', route = '', status = ''] = subject.split(' ');
    return {
      labels: { method, route, status },
      buckets: own.map(({ bound, count }) => ({ le: bound === 0 ? Infinity : bound / 1_000, count })),
      sum: own.reduce((sum, { milliseconds }) => sum + milliseconds, 0) / 1_000,
    };
  });
}
