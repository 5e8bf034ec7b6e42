import type { components } from './api-types.ts';
import { formatMoment } from './format.ts';

type HoldReason = NonNullable<components['schemas']['MintingOrder']['hold']>['reason'];

/** Why an order waits, and what ends the wait. */
const REASONS: Readonly<Record<HoldReason, string>> = {
  NOT_NOW: 'It is not known yet whether it can succeed. It is retried automatically.',
  FUNDS: 'The wallet of the account has too few coins to pay for gas. It continues as soon as the wallet is funded.',
  FEE_CAP: 'The fees of the chain are above the limit of this service. It continues when they fall.',
  INACTIVE: 'The account is not active. It continues when the operator activates it.',
  PAUSED: 'The operator has paused the account or the chain. It continues when the operator resumes it.',
  LIMIT: 'A limit of the account does not allow it, or not now. The page Account shows the limits and their usage.',
  EARLIER_REQUEST: 'It continues when that request has ended, whichever account it was sent by.',
};

/** Why an order is not signed now, in words. */
export function HoldNote(props: {
  readonly reason: HoldReason;
  /** ISO 8601. */
  readonly since: string;
  readonly detail: string;
}) {
  const { reason, since, detail } = props;
  return (
    <p class="note warn">
      Held since {formatMoment(since)}: {detail}. {REASONS[reason]}
    </p>
  );
}
