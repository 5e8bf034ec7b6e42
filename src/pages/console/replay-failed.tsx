import { ActionButton } from '../shared/action-button.tsx';
import type { Replayed } from './replies.ts';

const DAY_MS = 86_400_000;

/** A button that replays the failed deliveries of an endpoint of the last 24 hours. */
export function ReplayFailed(props: {
  readonly endpointId: string;
  /** The endpoint, in words. */
  readonly target: string;
  /** Called with what was done, in words. */
  readonly onReplayed: (said: string) => void;
}) {
  const { endpointId, target, onReplayed } = props;
  let said = '';
  return (
    <ActionButton
      text="Replay all failed"
      question={`Deliveries to ${target} that failed in the last 24 hours are sent again, oldest first, each with the same id and body.`}
      act={async (api) => {
        const since = new Date(Date.now() - DAY_MS).toISOString();
        const { replayed, hasMore } = await api.post<Replayed>(`/admin/webhooks/endpoints/${endpointId}/replay`, {
          since,
        });
        said = `Sent again: ${replayed}.${hasMore ? ' More are left: replay again when these have ended.' : ''}`;
      }}
      onDone={() => onReplayed(said)}
    />
  );
}
