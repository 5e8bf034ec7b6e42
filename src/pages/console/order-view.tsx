import { ActionButton } from '../shared/action-button.tsx';
import { chainTitle } from '../shared/chains.ts';
import { Fields } from '../shared/fields.tsx';
import { formatTime, words } from '../shared/format.ts';
import { Hex, Panel } from '../shared/parts.tsx';
import { Timeline } from '../shared/timeline.tsx';
import { useLive, type Live } from '../shared/use-live.ts';
import { AccountLink } from './account-link.tsx';
import { isOpen, OrderReason, OrderState } from './order-state.tsx';
import type { Story } from './replies.ts';
import { timelineOf } from './timeline.ts';

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
            <>
              <OrderReason order={story} />
              <Timeline moments={timelineOf(story)} explorerUrl={story.explorerUrl} formatAt={formatTime} />
            </>
          )}
        </Panel>
        <Panel title="The order as its account reads it" live={live} isWide>
          {story !== undefined && <Fields of={story.order} />}
        </Panel>
      </div>
    </>
  );
}

function Facts({ story, live }: { readonly story: Story; readonly live: Live<Story> }) {
  const { id, kind, explorerUrl, walletAddress, corporateName, state, deliveries, nonce, tokenId, chainId } = story;
  const subject = `${words(kind)}${tokenId === null ? '' : ` of token ${tokenId}`}`;
  const replayable = deliveries.filter(({ status }) => status === 'FAILED');
  return (
    <div class="facts">
      <p class="wrap">
        <OrderState order={story} /> {subject} on {chainTitle(chainId)} for <AccountLink {...story} />
        {nonce !== null && (
          <>
            , signed by <Hex value={walletAddress} href={`${explorerUrl}/address/${walletAddress}`} />
          </>
        )}
      </p>
      <div class="buttons">
        {isOpen(state) && story.cancelRequestedAt === null && (
          <ActionButton
            text="Cancel order"
            question={`The ${subject} of ${corporateName}: if it is not signed yet, it ends now. Otherwise a transaction without effect competes with it, and whichever is mined decides.`}
            act={`/admin/orders/${id}/cancel`}
            onDone={live.refresh}
          />
        )}
        {replayable.map((delivery) => (
          <ActionButton
            key={delivery.id}
            text={`Replay ${delivery.eventType}`}
            question={`The event is sent to ${delivery.url ?? 'the default webhook'} of ${corporateName} again, with the same id and body.`}
            act={`/admin/webhooks/deliveries/${delivery.id}/replay`}
            onDone={live.refresh}
          />
        ))}
      </div>
    </div>
  );
}
