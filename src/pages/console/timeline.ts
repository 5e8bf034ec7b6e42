import { chainOf } from '../shared/chains.ts';
import { formatCoins, formatSpan, words } from '../shared/format.ts';
import { deliveryMoments, momentAt, type Moment } from '../shared/timeline.tsx';
import type { Attempt, Story } from './replies.ts';

/** The story of an order, as moments in any order. */
export function timelineOf(story: Story): Moment[] {
  const { order, heldSince, holdDetail, hold, cancelRequestedAt } = story;
  const ended = endOf(story, textOf(order['completedAt']));
  return [
    momentAt(story.createdAt, 'Accepted', `${words(story.kind)} of ${story.corporateName}`),
    ...story.attempts.map((attempt) =>
      momentAt(attempt.createdAt, attemptTitle(attempt), attemptDetail(attempt), '', attempt.hash),
    ),
    ...(heldSince === null || hold === null
      ? []
      : [momentAt(heldSince, `Held: ${words(hold)}`, holdDetail ?? '', 'warn')]),
    ...(cancelRequestedAt === null ? [] : [momentAt(cancelRequestedAt, 'Cancellation requested')]),
    ...(ended === undefined ? [] : [ended]),
    ...story.deliveries.flatMap((delivery) => deliveryMoments(delivery, delivery.url ?? 'the default webhook')),
  ];
}

function endOf(story: Story, completedAt: string): Moment | undefined {
  const { state, spent, blockNumber, isFinal, txHash, createdAt, order } = story;
  if (completedAt === '' || state === 'waiting' || state === 'signed') return undefined;
  const seconds = (Date.parse(completedAt) - Date.parse(createdAt)) / 1_000;
  const details = [
    `after ${formatSpan(seconds)}`,
    ...(blockNumber === null ? [] : [`block ${blockNumber}${isFinal ? ', final' : ', not final yet'}`]),
    ...(spent === null ? [] : [`cost ${formatCoins(spent, chainOf(story.chainId)?.coin ?? 'coins')}`]),
    ...(story.endings > 1 ? [`ended ${story.endings} times, as its block was reorganized out`] : []),
    textOf(order['errorMessage']),
  ];
  return {
    at: completedAt,
    title: words(state).replace(/^./, (first) => first.toUpperCase()),
    detail: details.filter((text) => text !== '').join('; '),
    tone: state === 'confirmed' ? 'good' : state === 'failed' ? 'bad' : '',
    txHash: txHash ?? undefined,
  };
}

function attemptTitle({ number, purpose, nonce }: Attempt): string {
  return `${purpose === 'effect' ? 'Signed' : 'Cancellation signed'}: attempt ${number}, nonce ${nonce}`;
}

function attemptDetail({ gasLimit, maxFeePerGas, maxPriorityFeePerGas, isMined }: Attempt): string {
  const parts = [
    `at most ${formatCoins(maxFeePerGas)} gwei a unit of gas`,
    `tip ${formatCoins(maxPriorityFeePerGas)} gwei`,
    `${gasLimit} gas`,
    ...(isMined ? ['this one was mined'] : []),
  ];
  return parts.join(', ');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
