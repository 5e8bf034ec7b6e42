import { chainOf, chainTitle } from '../shared/chains.ts';
import { formatAge, formatCoins, formatCount, formatSpan, words } from '../shared/format.ts';
import type { Status, Wallets, Webhooks } from './replies.ts';
import { links } from './route.ts';

/** Something that the operator should look at. */
export interface Concern {
  readonly text: string;
  readonly href: string | undefined;
  readonly tone: 'bad' | 'warn';
}

/** An order that is unfinished for longer, in seconds. */
const OLD_SECONDS = 600;
/** A wallet that lasts shorter, in days. */
const FEW_DAYS = 7;

const bad = (text: string, href?: string): Concern => ({ text, href, tone: 'bad' });
const warn = (text: string, href?: string): Concern => ({ text, href, tone: 'warn' });

/** Everything that is not well, worst first. What could not be read is itself a concern. */
export function concernsOf(status: Status, wallets: Wallets | undefined, webhooks: Webhooks | undefined): Concern[] {
  const { oldestUnfinished: oldest } = status;
  const age = oldest === null ? 0 : (Date.parse(status.timestamp) - Date.parse(oldest.createdAt)) / 1_000;
  const low = new Set(status.lowBalances.map(({ chainId, walletAddress }) => `${chainId}:${walletAddress}`));
  const concerns = [
    ...status.unavailable.map((part) => bad(`Not available: ${part}`)),
    ...status.lanes
      .filter(({ state }) => state !== 'ok')
      .map(({ chainId, state, reason, since, orderId }) =>
        bad(
          `A wallet on ${chainTitle(chainId)} is ${words(state)}${since === null ? '' : ` for ${formatAge(since)}`}${reason === null ? '' : `: ${reason}`}`,
          orderId === null ? undefined : links.order(orderId),
        ),
      ),
    ...status.lowBalances.map(({ chainId, corporateId, corporateName, balance }) =>
      bad(
        `The wallet of ${corporateName} on ${chainTitle(chainId)} is low: ${formatCoins(balance, chainOf(chainId)?.coin ?? 'coins')}`,
        links.account(corporateId),
      ),
    ),
    ...(wallets?.items ?? [])
      .filter(
        ({ daysLeft, chainId, walletAddress }) =>
          daysLeft !== null && daysLeft < FEW_DAYS && !low.has(`${chainId}:${walletAddress}`),
      )
      .map(({ chainId, corporateId, corporateName, daysLeft }) =>
        warn(
          `The wallet of ${corporateName} on ${chainTitle(chainId)} lasts ${daysLeft} days`,
          links.account(corporateId),
        ),
      ),
    ...(oldest !== null && age > OLD_SECONDS
      ? [warn(`The oldest unfinished order was accepted ${formatSpan(age)} ago`, links.order(oldest.id))]
      : []),
    ...status.held.map(({ reason, orders }) =>
      warn(
        `${formatCount(orders)} ${orders === 1 ? 'order is' : 'orders are'} held: ${words(reason)}`,
        links.orders({ state: 'held' }),
      ),
    ),
    ...status.paused.chains.map(({ chainId }) => warn(`${chainTitle(chainId)} is paused`)),
    ...status.paused.accounts.map(({ corporateId, corporateName }) =>
      warn(`${corporateName} is paused`, links.account(corporateId)),
    ),
    ...(webhooks?.endpoints ?? []).map(({ corporateName, failed, retrying }) =>
      warn(`Webhooks of ${corporateName}: ${failed} failed and ${retrying} retried in a day`, links.webhooks),
    ),
  ];
  return concerns.toSorted((a, b) => Number(a.tone === 'warn') - Number(b.tone === 'warn'));
}
