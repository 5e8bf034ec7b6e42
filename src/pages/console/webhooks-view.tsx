import { ActionButton } from '../shared/action-button.tsx';
import { formatCount } from '../shared/format.ts';
import { Age, Panel, State, Table } from '../shared/parts.tsx';
import type { Webhooks } from './replies.ts';
import { links } from './route.ts';
import { useLive } from '../shared/use-live.ts';

/** Webhooks that do not arrive. */
export function WebhooksView() {
  const live = useLive<Webhooks>('/admin/webhooks', 10);
  const { endpoints = [], deliveries = [] } = live.data ?? {};
  return (
    <>
      <h1>Failing webhooks</h1>
      <div class="grid">
        <Panel title="Endpoints, last 24 hours" live={live} isWide>
          <Table
            label="Failing endpoints"
            head={['Account', 'Endpoint', 'Delivered', 'Retried', 'Failed']}
            numbers={['Delivered', 'Retried', 'Failed']}
            isEmpty={endpoints.length === 0}
            empty="Every webhook has arrived."
          >
            {endpoints.map(({ endpointId, corporateId, url, succeeded, retrying, failed }) => (
              <tr key={endpointId}>
                <td>
                  <a href={links.account(corporateId)}>{corporateId}</a>
                </td>
                <td class="wrap">{url ?? 'WEBHOOK_URL'}</td>
                <td class="number">{formatCount(succeeded)}</td>
                <td class="number">{formatCount(retrying)}</td>
                <td class="number">{formatCount(failed)}</td>
              </tr>
            ))}
          </Table>
        </Panel>
        <Panel title="Last deliveries that failed" live={live} isWide>
          <Table
            label="Deliveries that failed"
            head={['State', 'Event', 'Action', 'Account', 'Order', 'Attempts', 'Changed']}
            numbers={['Attempts']}
            isEmpty={deliveries.length === 0}
            empty="None."
          >
            {deliveries.map(({ id, eventType, corporateId, orderId, status, attempts, updatedAt }) => (
              <tr key={id}>
                <td>
                  <State name={status} />
                </td>
                <td>{eventType}</td>
                <td>
                  {status === 'FAILED' && (
                    <ActionButton
                      text="Replay"
                      question={`${eventType} is sent to ${corporateId} again, with the same id and body.`}
                      act={`/admin/webhooks/deliveries/${id}/replay`}
                      onDone={live.refresh}
                    />
                  )}
                </td>
                <td>
                  <a href={links.account(corporateId)}>{corporateId}</a>
                </td>
                <td>
                  {orderId !== null && (
                    <a class="mono" href={links.order(orderId)}>
                      {orderId}
                    </a>
                  )}
                </td>
                <td class="number">{attempts}</td>
                <td>
                  <Age at={updatedAt} /> ago
                </td>
              </tr>
            ))}
          </Table>
        </Panel>
      </div>
    </>
  );
}
