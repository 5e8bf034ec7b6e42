import { ActionButton } from '../shared/action-button.tsx';
import { formatTime, words } from '../shared/format.ts';
import { Fields } from '../shared/fields.tsx';
import { Hex, Panel } from '../shared/parts.tsx';
import { Timeline } from '../shared/timeline.tsx';
import { OrderState } from './order-state.tsx';
import type { Story } from './replies.ts';
import { links } from './route.ts';
import { timelineOf } from './timeline.ts';
import { useLive, type Live } from '../shared/use-live.ts';

/** The whole story of an order. */
export function OrderView({ id }: { readonly id: string }) {
  const live = useLive<Story>(`/admin/orders/${encodeURIComponent(id)}`, 5);
  const story = live.data;
  return (
    <>
      <h1>
        Order <span class="mono wrap">{id}</span>
      </h1>
      {story !== undefined && <Facts story={story} live={live} />}
      <div class="grid">
        <Panel title="What happened" live={live} isWide>
          {story !== undefined && (
            <Timeline moments={timelineOf(story)} explorerUrl={story.explorerUrl} formatAt={formatTime} />
          )}
        </Panel>
        <Panel title="The order" live={live} isWide>
          {story !== undefined && <Fields of={story.order} />}
        </Panel>
      </div>
    </>
  );
}

function Facts({ story, live }: { readonly story: Story; readonly live: Live<Story> }) {
  const { explorerUrl, walletAddress, corporateId, state, deliveries } = story;
  const isOpen = state === 'waiting' || state === 'signed';
  const replayable = deliveries.filter(({ status }) => status === 'FAILED');
  return (
    <div class="facts">
      <p>
        <OrderState order={story} /> {words(story.kind)} of <a href={links.account(corporateId)}>{corporateId}</a>,
        signed by <Hex value={walletAddress} href={`${explorerUrl}/address/${walletAddress}`} />
      </p>
      <div class="buttons">
        {isOpen && story.cancelRequestedAt === null && (
          <ActionButton
            text="Cancel order"
            question="If nothing of it is signed, it ends now. Otherwise a transaction without effect competes with it, and the one that is mined decides."
            act={`/admin/orders/${story.id}/cancel`}
            onDone={live.refresh}
          />
        )}
        {replayable.map(({ id, eventType }) => (
          <ActionButton
            key={id}
            text={`Replay ${eventType}`}
            question="The same event is sent again, with the same id and body."
            act={`/admin/webhooks/deliveries/${id}/replay`}
            onDone={live.refresh}
          />
        ))}
      </div>
    </div>
  );
}
