import { ActionButton } from './action-button.tsx';
import { formatTime, words } from './format.ts';
import { Hex, OrderState, Panel } from './parts.tsx';
import type { Story } from './replies.ts';
import { links } from './route.ts';
import { timelineOf } from './timeline.ts';
import { useLive, type Live } from './use-live.ts';

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
          {story !== undefined && <Timeline story={story} />}
        </Panel>
        <Panel title="The order" live={live} isWide>
          {story !== undefined && <Fields order={story.order} />}
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
            path={`/admin/orders/${story.id}/cancel`}
            onDone={live.refresh}
          />
        )}
        {replayable.map(({ id, eventType }) => (
          <ActionButton
            key={id}
            text={`Replay ${eventType}`}
            question="The same event is sent again, with the same id and body."
            path={`/admin/webhooks/deliveries/${id}/replay`}
            onDone={live.refresh}
          />
        ))}
      </div>
    </div>
  );
}

function Timeline({ story }: { readonly story: Story }) {
  return (
    <ol class="timeline">
      {timelineOf(story).map(({ at, title, detail, tone, txHash }, index) => (
        <li key={`${at}:${title}:${index}`} class={tone}>
          <time dateTime={at}>{formatTime(at)}</time>
          <div>
            <h3>{title}</h3>
            {detail !== '' && <p>{detail}</p>}
            {txHash !== undefined && (
              <p>
                <a
                  class="mono wrap"
                  href={`${story.explorerUrl}/tx/${txHash}`}
                  target="_blank"
                  rel="noopener noreferrer"
                >
                  {txHash}
                </a>
              </p>
            )}
          </div>
        </li>
      ))}
    </ol>
  );
}

/** The order as its account reads it. */
function Fields({ order }: { readonly order: Readonly<Record<string, unknown>> }) {
  return (
    <dl class="fields">
      {Object.entries(order)
        .filter(([, value]) => value !== null)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{words(name)}</dt>
            <dd class="wrap">{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
          </div>
        ))}
    </dl>
  );
}
