import { useState } from 'preact/hooks';
import { ActionButton } from '../shared/action-button.tsx';
import { formatMoment } from '../shared/format.ts';
import { Age, Panel, State } from '../shared/parts.tsx';
import { deliveryMoments, outcomeOf, Timeline } from '../shared/timeline.tsx';
import { useLive } from '../shared/use-live.ts';
import { Choice, Field } from '../shared/form.tsx';
import { HashPager } from '../shared/hash-pager.tsx';
import { kindOfEvent } from './kinds.ts';
import { RecordTable, type Column } from '../shared/record-table.tsx';
import type { Delivery, DeliveryWithPayload, Endpoint, List, Replayed } from './replies.ts';
import { links, type Query } from './route.ts';

/** How far back deliveries are replayed, in hours. */
const SPANS: readonly (readonly [hours: string, text: string])[] = [
  ['1', 'the last hour'],
  ['24', 'the last 24 hours'],
  ['168', 'the last 7 days'],
];
const STATUSES = ['PENDING', 'RETRYING', 'SUCCESS', 'FAILED', 'SKIPPED'].map(
  (status) => [status, status.toLowerCase()] as const,
);

const endpointName = ({ url, description }: Endpoint) => description ?? url ?? 'the webhook of the service';

/** Endpoints, and what was delivered to them. */
export function WebhooksView({ query }: { readonly query: Query }) {
  const endpoints = useLive<{ readonly items: readonly Endpoint[] }>('/webhooks/endpoints', 30);
  const items = endpoints.data?.items ?? [];
  const wanted = new URLSearchParams({ limit: '25' });
  for (const [name, value] of [
    ['status', query.state],
    ['endpointId', query.endpoint],
    ['cursor', query.before],
  ]) {
    if (name !== undefined && value) wanted.set(name, value);
  }
  const deliveries = useLive<List<Delivery>>(`/webhooks/deliveries?${wanted.toString()}`, 10);
  const { nextCursor = null } = deliveries.data ?? {};
  return (
    <>
      <h1>Webhooks</h1>
      <Panel title="Endpoints" live={endpoints}>
        <Endpoints items={items} onReplayed={deliveries.refresh} />
      </Panel>
      <Panel title="Deliveries, newest first" live={deliveries}>
        <div class="form">
          <Choice
            name="state"
            label="State"
            value={query.state ?? ''}
            options={STATUSES}
            onChange={(state) => (location.hash = links.webhooks({ ...query, state, before: '' }))}
          />
          <Choice
            name="endpoint"
            label="Endpoint"
            value={query.endpoint ?? ''}
            options={items.map((endpoint) => [endpoint.id, endpointName(endpoint)])}
            onChange={(endpoint) => (location.hash = links.webhooks({ ...query, endpoint, before: '' }))}
          />
        </div>
        <RecordTable
          label="Deliveries"
          items={deliveries.data?.items ?? []}
          idOf={({ id }) => id}
          columns={deliveryColumns(items, deliveries.refresh)}
          empty={nextCursor === null ? 'None.' : 'None in this part of the list. Choose Older to look further.'}
        />
        <HashPager query={query} next={nextCursor} linkTo={links.webhooks} />
      </Panel>
    </>
  );
}

function Endpoints({ items, onReplayed }: { readonly items: readonly Endpoint[]; readonly onReplayed: () => void }) {
  const [hours, setHours] = useState('24');
  const [said, setSaid] = useState('');
  const columns: readonly Column<Endpoint>[] = [
    ['State', ({ status }) => <State name={status} />],
    [
      'URL',
      ({ url, description }) => [url ?? 'the default of the service', description && ` (${description})`],
      'wrap',
    ],
    ['Events', ({ eventTypes }) => eventTypes?.join(', ') ?? 'ends of all orders', 'wrap'],
    ['Set by', ({ managedBy }) => (managedBy === 'operator' ? 'the operator' : 'the account')],
    [
      'Actions',
      (endpoint) => (
        <div class="buttons">
          <ActionButton
            text="Send a test"
            question={`An event of the type webhook.test is sent to ${endpointName(endpoint)}.`}
            act={`/webhooks/endpoints/${endpoint.id}/test`}
            onDone={onReplayed}
          />
          <ActionButton
            text="Replay all failed"
            question={`Failed deliveries to ${endpointName(endpoint)} of ${SPANS.find(([span]) => span === hours)?.[1] ?? ''} are sent again, oldest first, each with the same id and body.`}
            act={async (api) => {
              const since = new Date(Date.now() - Number(hours) * 3_600_000).toISOString();
              const body = { since, endpointId: endpoint.id };
              const { replayed, hasMore } = await api.post<Replayed>('/webhooks/deliveries/replay', body);
              setSaid(
                `Sent again: ${replayed}.${hasMore ? ' More are left: replay again when these have ended.' : ''}`,
              );
            }}
            onDone={onReplayed}
          />
        </div>
      ),
    ],
  ];
  return (
    <>
      <RecordTable
        label="Endpoints"
        items={items}
        idOf={({ id }) => id}
        columns={columns}
        empty="The account has no endpoint. POST /webhooks/endpoints creates one."
      />
      <div class="form">
        <Field label="Replay failed deliveries of">
          <select value={hours} onChange={(event) => setHours(event.currentTarget.value)}>
            {SPANS.map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </Field>
      </div>
      <p role="status">{said}</p>
    </>
  );
}

function deliveryColumns(endpoints: readonly Endpoint[], onReplayed: () => void): readonly Column<Delivery>[] {
  const nameOf = (id: string) => {
    const endpoint = endpoints.find((candidate) => candidate.id === id);
    return endpoint === undefined ? id : endpointName(endpoint);
  };
  return [
    ['State', ({ status }) => <State name={status} />],
    ['Event', ({ id, eventType }) => <a href={links.delivery(id)}>{eventType}</a>],
    ['Order', (delivery) => <OrderLink delivery={delivery} />],
    ['Endpoint', ({ endpointId }) => nameOf(endpointId), 'wrap'],
    ['Last attempt', (delivery) => lastOutcome(delivery), 'wrap'],
    [
      'Changed',
      ({ updatedAt }) => (
        <>
          <Age at={updatedAt} /> ago
        </>
      ),
    ],
    ['Action', (delivery) => delivery.status === 'FAILED' && <Replay delivery={delivery} onReplayed={onReplayed} />],
  ];
}

function lastOutcome({ status, attempts }: Delivery): string {
  const last = attempts.at(-1);
  if (last === undefined && status === 'SKIPPED') return 'not sent: the endpoint has no URL, or is disabled';
  return last === undefined ? 'not sent yet' : `${last.number}: ${outcomeOf(last)}`;
}

function OrderLink({ delivery: { orderId, eventType } }: { readonly delivery: Delivery }) {
  if (orderId === null) return null;
  return (
    <a class="mono" href={links.order(orderId, kindOfEvent(eventType))}>
      {orderId}
    </a>
  );
}

function Replay(props: { readonly delivery: Delivery; readonly onReplayed: () => void }) {
  const { delivery, onReplayed } = props;
  return (
    <ActionButton
      text="Replay"
      question={`${delivery.eventType} is sent again, with the same id and body, up to five times.`}
      act={`/webhooks/deliveries/${delivery.id}/replay`}
      onDone={onReplayed}
    />
  );
}

/** One delivery: each attempt, and what was sent. */
export function DeliveryView({ id }: { readonly id: string }) {
  const live = useLive<DeliveryWithPayload>(`/webhooks/deliveries/${encodeURIComponent(id)}`, 5);
  const delivery = live.data;
  return (
    <>
      <h1>
        Delivery <span class="mono wrap">{id}</span>
      </h1>
      {delivery !== undefined && (
        <div class="facts">
          <p>
            <State name={delivery.status} /> {delivery.eventType} <OrderLink delivery={delivery} />
          </p>
          {(delivery.status === 'FAILED' || delivery.status === 'SUCCESS') && (
            <Replay delivery={delivery} onReplayed={live.refresh} />
          )}
        </div>
      )}
      <Panel title="What happened" live={live}>
        {delivery !== undefined && (
          <Timeline
            moments={deliveryMoments(delivery, `endpoint ${delivery.endpointId}`)}
            explorerUrl={undefined}
            formatAt={formatMoment}
          />
        )}
      </Panel>
      <Panel title="The body, as it is sent" live={live}>
        <pre tabindex={0}>{delivery?.payload}</pre>
      </Panel>
    </>
  );
}
