import { formatCoins, formatSpan, words } from './format.ts';
import type { Attempt, Delivery, Story } from './replies.ts';

/** A moment in an order's story. */
export interface Moment {
  readonly at: string;
  readonly title: string;
  readonly detail: string;
  readonly tone: 'good' | 'bad' | 'warn' | '';
  /** A transaction to look at in the explorer. */
  readonly txHash: string | undefined;
}

/** The story of an order in the order in which it happened. */
export function timelineOf(story: Story): Moment[] {
  const { order, heldSince, holdDetail, hold, cancelRequestedAt } = story;
  const at = (moment: string, title: string, detail = '', tone: Moment['tone'] = '', txHash?: string): Moment => ({
    at: moment,
    title,
    detail,
    tone,
    txHash,
  });
  const ended = endOf(story, textOf(order['completedAt']));
  const moments = [
    at(story.createdAt, 'Accepted', `${words(story.kind)} of ${story.corporateId}`),
    ...story.attempts.map((attempt) =>
      at(attempt.createdAt, attemptTitle(attempt), attemptDetail(attempt), '', attempt.hash),
    ),
    ...(heldSince === null || hold === null ? [] : [at(heldSince, `Held: ${words(hold)}`, holdDetail ?? '', 'warn')]),
    ...(cancelRequestedAt === null ? [] : [at(cancelRequestedAt, 'Cancellation requested')]),
    ...(ended === undefined ? [] : [ended]),
    ...story.deliveries.flatMap(deliveryMoments),
  ];
  return moments.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

function endOf(story: Story, completedAt: string): Moment | undefined {
  const { state, spent, blockNumber, isFinal, txHash, createdAt, order } = story;
  if (completedAt === '' || state === 'waiting' || state === 'signed') return undefined;
  const seconds = (Date.parse(completedAt) - Date.parse(createdAt)) / 1_000;
  const details = [
    `after ${formatSpan(seconds)}`,
    ...(blockNumber === null ? [] : [`block ${blockNumber}${isFinal ? ', final' : ', not final yet'}`]),
    ...(spent === null ? [] : [`cost ${formatCoins(spent)} coins`]),
    ...(story.endings > 1 ? [`ended ${story.endings} times, as its block was reorganized out`] : []),
    textOf(order['errorMessage']),
  ];
  return {
    at: completedAt,
    title: words(state).replace(/^./, (first) => first.toUpperCase()),
    detail: details.filter((text) => text !== '').join('; '),
    tone: state === 'confirmed' ? 'good' : 'bad',
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

function deliveryMoments({ eventType, url, status, createdAt, attempts, nextAttemptAt }: Delivery): Moment[] {
  const target = url ?? 'the default webhook';
  const queued = {
    at: createdAt,
    title: `Event ${eventType}`,
    detail: `to ${target}: ${words(status)}`,
    tone: '',
    txHash: undefined,
  } as const;
  const next =
    nextAttemptAt === null || attempts.length === 0
      ? []
      : [
          {
            at: nextAttemptAt,
            title: `Webhook ${eventType}: next attempt`,
            detail: '',
            tone: '',
            txHash: undefined,
          } as const,
        ];
  return [
    queued,
    ...attempts.map(({ number, status: outcome, responseStatusCode, errorMessage, at }): Moment => ({
      at,
      title: `Webhook ${eventType}: attempt ${number}`,
      detail: [words(outcome), responseStatusCode === null ? '' : `status ${responseStatusCode}`, errorMessage ?? '']
        .filter((text) => text !== '')
        .join(', '),
      tone: outcome === 'SUCCESS' ? 'good' : 'bad',
      txHash: undefined,
    })),
    ...next,
  ];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
