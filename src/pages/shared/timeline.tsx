import { words } from './format.ts';

/** A moment in an order's story. */
export interface Moment {
  readonly at: string;
  readonly title: string;
  readonly detail: string;
  readonly tone: 'good' | 'bad' | 'warn' | '';
  /** A transaction to look at in the explorer. */
  readonly txHash: string | undefined;
}

/** Makes a {@link Moment}. */
export function momentAt(at: string, title: string, detail = '', tone: Moment['tone'] = '', txHash?: string): Moment {
  return { at, title, detail, tone, txHash };
}

/** A webhook, as far as it has a place in the story. */
export interface DeliveryStory {
  readonly eventType: string;
  readonly status: string;
  readonly createdAt: string;
  readonly nextAttemptAt: string | null;
  readonly attempts: readonly {
    readonly number: number;
    readonly status: string;
    readonly responseStatusCode: number | null;
    readonly errorMessage: string | null;
    readonly at: string;
  }[];
}

/** Moments in the order in which they happened. */
export function Timeline(props: {
  readonly moments: readonly Moment[];
  readonly explorerUrl: string | undefined;
  readonly formatAt: (instant: string) => string;
}) {
  const { moments, explorerUrl, formatAt } = props;
  return (
    <ol class="timeline">
      {moments
        .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
        .map(({ at, title, detail, tone, txHash }, index) => (
          <li key={`${at}:${title}:${index}`} class={tone}>
            <time dateTime={at}>{formatAt(at)}</time>
            <div>
              <h3>{title}</h3>
              {detail !== '' && <p>{detail}</p>}
              {txHash !== undefined && (
                <p>
                  {explorerUrl === undefined ? (
                    <span class="mono wrap">{txHash}</span>
                  ) : (
                    <a class="mono wrap" href={`${explorerUrl}/tx/${txHash}`} target="_blank" rel="noopener noreferrer">
                      {txHash}
                    </a>
                  )}
                </p>
              )}
            </div>
          </li>
        ))}
    </ol>
  );
}

/**
 * The event and each attempt to deliver it.
 * @param target Where it is sent, in words.
 */
export function deliveryMoments(delivery: DeliveryStory, target: string): Moment[] {
  const { eventType, status, createdAt, attempts, nextAttemptAt } = delivery;
  return [
    momentAt(createdAt, `Event ${eventType}`, `to ${target}: ${words(status)}`),
    ...attempts.map((attempt) =>
      momentAt(
        attempt.at,
        `Webhook ${eventType}: attempt ${attempt.number}`,
        outcomeOf(attempt),
        attempt.status === 'SUCCESS' ? 'good' : 'bad',
      ),
    ),
    ...(nextAttemptAt === null || attempts.length === 0
      ? []
      : [momentAt(nextAttemptAt, `Webhook ${eventType}: next attempt`)]),
  ];
}

/** How an attempt ended, with the status of the reply and the error. */
export function outcomeOf({
  status,
  responseStatusCode,
  errorMessage,
}: Pick<DeliveryStory['attempts'][number], 'status' | 'responseStatusCode' | 'errorMessage'>): string {
  return [words(status), responseStatusCode === null ? '' : `status ${responseStatusCode}`, errorMessage ?? '']
    .filter((text) => text !== '')
    .join(', ');
}
