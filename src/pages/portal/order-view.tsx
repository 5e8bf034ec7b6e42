import { ActionButton } from '../shared/action-button.tsx';
import { Fields } from '../shared/fields.tsx';
import { formatCoins, formatMoment, formatSpan } from '../shared/format.ts';
import { Panel } from '../shared/parts.tsx';
import { deliveryMoments, momentAt, Timeline, type Moment } from '../shared/timeline.tsx';
import { useLive, useReading, type Live } from '../shared/use-live.ts';
import type { Kind } from './kinds.ts';
import { OrderProgress, OrderReason, OrderState } from './order-parts.tsx';
import { hasEnded, orderOf, STATE_NAMES, type Order } from './order.ts';
import type { Delivery, List, Reply } from './replies.ts';
import { chainOf, chainTitle } from '../shared/chains.ts';

/** The whole story of an order. */
export function OrderView({ kind, id }: { readonly kind: Kind; readonly id: string }) {
  const path = `${kind.path}/${encodeURIComponent(id)}`;
  const live = useReading(path, 3, async (api, signal) => orderOf(kind, await api.get<Reply>(path, signal)));
  const deliveries = useLive<List<Delivery>>(`/webhooks/deliveries?orderId=${encodeURIComponent(id)}`, 5);
  const order = live.data;
  return (
    <>
      <h1>
        Order <span class="mono wrap">{id}</span>
      </h1>
      {order !== undefined && <Facts order={order} live={live} />}
      <div class="grid">
        <Panel title="What happened" live={live} isWide>
          {order !== undefined && (
            <>
              <OrderProgress order={order} />
              <OrderReason order={order} />
              <Timeline
                moments={[...momentsOf(order), ...webhookMoments(deliveries.data)]}
                explorerUrl={chainOf(order.chainId)?.explorerUrl}
                formatAt={formatMoment}
              />
            </>
          )}
        </Panel>
        <Panel title="Webhooks" live={deliveries} isWide>
          <WebhookSummary deliveries={deliveries.data?.items ?? []} onReplayed={deliveries.refresh} />
        </Panel>
        <Panel title="The order as returned by the API" live={live} isWide>
          {order !== undefined && <Fields of={order.reply} />}
        </Panel>
      </div>
    </>
  );
}

function Facts({ order, live }: { readonly order: Order; readonly live: Live<Order> }) {
  const { kind, id, chainId, cancelRequestedAt } = order;
  return (
    <div class="facts">
      <p>
        <OrderState order={order} /> {kind.title} on {chainTitle(chainId)}
      </p>
      {!hasEnded(order) && cancelRequestedAt === null && (
        <div class="buttons">
          <ActionButton
            text="Cancel order"
            question="If it is not signed yet, it ends now. Otherwise a transaction without effect competes with it, and whichever is mined decides."
            act={(api) => api.post(`${kind.path}/cancel`, { id })}
            onDone={live.refresh}
          />
        </div>
      )}
    </div>
  );
}

function momentsOf(order: Order): Moment[] {
  const { createdAt, updatedAt, hold, state, cancelRequestedAt } = order;
  return [
    momentAt(createdAt, 'Accepted'),
    ...(state === 'processing' ? [momentAt(updatedAt, 'Being signed')] : []),
    ...(state === 'sent' ? [momentAt(updatedAt, 'Sent', 'waits to be mined')] : []),
    ...(hold === null ? [] : [momentAt(hold.since, 'Held', hold.detail, 'warn')]),
    ...(cancelRequestedAt === null ? [] : [momentAt(cancelRequestedAt, 'Cancellation requested')]),
    ...endOf(order),
  ];
}

function endOf(order: Order): Moment[] {
  const { completedAt, createdAt, state, fee, chainId, errorMessage, txHash } = order;
  if (completedAt === null || !hasEnded(order)) return [];
  const seconds = (Date.parse(completedAt) - Date.parse(createdAt)) / 1_000;
  const coin = chainOf(chainId)?.coin ?? 'coins';
  const details = [
    `after ${formatSpan(seconds)}`,
    ...(fee === null ? [] : [`cost ${formatCoins(fee, coin)}`]),
    ...(errorMessage === null ? [] : [errorMessage]),
  ];
  const title = STATE_NAMES[state].replace(/^./, (first) => first.toUpperCase());
  const tone = state === 'confirmed' ? 'good' : state === 'failed' ? 'bad' : '';
  return [momentAt(completedAt, title, details.join('; '), tone, txHash ?? undefined)];
}

function webhookMoments(deliveries: List<Delivery> | undefined): Moment[] {
  return (deliveries?.items ?? []).flatMap((delivery) => deliveryMoments(delivery, `endpoint ${delivery.endpointId}`));
}

function WebhookSummary(props: { readonly deliveries: readonly Delivery[]; readonly onReplayed: () => void }) {
  const { deliveries, onReplayed } = props;
  const failed = deliveries.filter(({ status }) => status === 'FAILED');
  if (deliveries.length === 0)
    return <p class="muted">No event was sent: the account has no endpoint for it, or it has not ended.</p>;
  if (failed.length === 0) return <p class="muted">Above, with each attempt. None has failed.</p>;
  return (
    <div class="buttons">
      {failed.map(({ id, eventType }) => (
        <ActionButton
          key={id}
          text={`Replay ${eventType}`}
          question="The same event is sent again, with the same id and body."
          act={`/webhooks/deliveries/${id}/replay`}
          onDone={onReplayed}
        />
      ))}
    </div>
  );
}
