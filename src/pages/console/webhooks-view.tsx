import { useState } from 'preact/hooks';
import { ActionButton } from '../shared/action-button.tsx';
import { formatCount } from '../shared/format.ts';
import { Age, Panel, State } from '../shared/parts.tsx';
import { RecordTable, type Column } from '../shared/record-table.tsx';
import { outcomeOf } from '../shared/timeline.tsx';
import { useLive } from '../shared/use-live.ts';
import { AccountLink } from './account-link.tsx';
import { ReplayFailed } from './replay-failed.tsx';
import type { Webhooks } from './replies.ts';
import { links } from './route.ts';

type Endpoint = Webhooks['endpoints'][number];
type Delivery = Webhooks['deliveries'][number];

/** Webhooks that do not arrive. */
export function WebhooksView() {
  const live = useLive<Webhooks>('/admin/webhooks', 10);
  const [said, setSaid] = useState('');
  const { endpoints = [], deliveries = [] } = live.data ?? {};
  const endpointColumns: readonly Column<Endpoint>[] = [
    ['Account', (endpoint) => <AccountLink {...endpoint} />, 'wrap'],
    ['Endpoint', ({ url }) => url ?? 'WEBHOOK_URL', 'wrap'],
    ['Delivered', ({ succeeded }) => formatCount(succeeded), 'number'],
    ['Retried', ({ retrying }) => formatCount(retrying), 'number'],
    ['Failed', ({ failed }) => formatCount(failed), 'number'],
    [
      'Action',
      ({ failed, endpointId, url, corporateName }) =>
        failed > 0 && (
          <ReplayFailed
            endpointId={endpointId}
            target={`${url ?? 'the default webhook'} of ${corporateName}`}
            onReplayed={(text) => {
              setSaid(text);
              live.refresh();
            }}
          />
        ),
    ],
  ];
  return (
    <>
      <h1>Failing webhooks</h1>
      <div class="grid">
        <Panel title="Endpoints, last 24 hours" live={live} isWide>
          <RecordTable
            label="Failing endpoints"
            items={endpoints}
            idOf={({ endpointId }) => endpointId}
            columns={endpointColumns}
            empty="Every webhook has arrived."
          />
          <p role="status">{said}</p>
        </Panel>
        <Panel title="Last deliveries that failed" live={live} isWide>
          <RecordTable
            label="Deliveries that failed"
            items={deliveries}
            idOf={({ id }) => id}
            columns={deliveryColumns(live.refresh)}
            empty="None."
          />
        </Panel>
      </div>
    </>
  );
}

function deliveryColumns(onReplayed: () => void): readonly Column<Delivery>[] {
  return [
    ['State', ({ status }) => <State name={status} />],
    ['Event', ({ eventType }) => eventType],
    ['Account', (delivery) => <AccountLink {...delivery} />, 'wrap'],
    ['Last attempt', (delivery) => `${delivery.attempts}: ${outcomeOf(delivery)}`, 'wrap'],
    ['Order', ({ orderId }) => orderId !== null && <OrderLink orderId={orderId} />],
    [
      'Changed',
      ({ updatedAt }) => (
        <>
          <Age at={updatedAt} /> ago
        </>
      ),
    ],
    [
      'Action',
      ({ id, status, eventType, corporateName }) =>
        status === 'FAILED' && (
          <ActionButton
            text="Replay"
            question={`${eventType} is sent to ${corporateName} again, with the same id and body.`}
            act={`/admin/webhooks/deliveries/${id}/replay`}
            onDone={onReplayed}
          />
        ),
    ],
  ];
}

function OrderLink({ orderId }: { readonly orderId: string }) {
  return (
    <a class="mono" href={links.order(orderId)}>
      {orderId}
    </a>
  );
}
