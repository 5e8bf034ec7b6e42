import { shortHex, words } from '../shared/format.ts';
import { Age, Hex, Table } from '../shared/parts.tsx';
import { OrderState } from './order-state.tsx';
import type { Order } from './replies.ts';
import { links } from './route.ts';

/** Orders, each with a link to its story. */
export function OrderTable({ orders }: { readonly orders: readonly Order[] }) {
  return (
    <Table
      label="Orders"
      head={['State', 'Order', 'Kind', 'Accepted', 'Account', 'Transaction']}
      isEmpty={orders.length === 0}
      empty="No order."
    >
      {orders.map((order) => (
        <tr key={order.id}>
          <td>
            <OrderState order={order} />
          </td>
          <td>
            <a class="mono" href={links.order(order.id)}>
              <span class="only-wide">{order.id}</span>
              <span class="only-narrow">{shortHex(order.id)}</span>
            </a>
          </td>
          <td>{words(order.kind)}</td>
          <td>
            <Age at={order.createdAt} /> ago
          </td>
          <td>
            <a href={links.account(order.corporateId)}>{order.corporateId}</a>
          </td>
          <td>
            {order.txHash !== null && <Hex value={order.txHash} href={`${order.explorerUrl}/tx/${order.txHash}`} />}
          </td>
        </tr>
      ))}
    </Table>
  );
}
