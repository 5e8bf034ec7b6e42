import type { components } from './api-types.ts';
import { chainOf, chainTitle } from './chains.ts';
import { formatCoins, formatCount } from './format.ts';

const of = (value: number, limit: number | null) =>
  limit === null ? `${formatCount(value)}, no limit` : `${formatCount(value)} of ${formatCount(limit)}`;

const listed = (list: readonly string[] | null) => (list === null ? 'any' : list.join(', ') || 'none');

/** The limits of an account, and what is used of them. */
export function Limits({ limits }: { readonly limits: components['schemas']['LimitsAndUsage'] }) {
  const { used } = limits;
  const spend = new Set([...Object.keys(limits.spend), ...Object.keys(used.spentToday)]);
  const rows: [string, string][] = [
    ['Orders today', of(used.ordersToday, limits.ordersPerDay)],
    ['Pending orders', of(used.pendingOrders, limits.pendingOrders)],
    ['Chains', listed(limits.chains?.map(chainTitle) ?? null)],
    ['Contracts', listed(limits.contracts)],
    ['Receivers', listed(limits.receivers)],
    ...Array.from(spend, (chainId): [string, string] => {
      const { perDay = null, perOrder = null, gasPrice = null } = limits.spend[chainId] ?? {};
      const parts = [
        `${formatCoins(used.spentToday[chainId] ?? 0, chainOf(chainId)?.coin ?? 'coins')} today${perDay === null ? ', no limit' : ` of ${perDay}`}`,
        ...(perOrder === null ? [] : [`${perOrder} an order`]),
        ...(gasPrice === null ? [] : [`${gasPrice} gwei a unit of gas`]),
      ];
      return [`Spent on ${chainTitle(chainId)}`, parts.join(', ')];
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
