import { words } from '../shared/format.ts';
import { State } from '../shared/parts.tsx';
import type { Order } from './replies.ts';

/** An order's state, or why it waits. */
export function OrderState({ order }: { readonly order: Order }) {
  return (
    <>
      <State name={order.state} />
      {order.hold !== null && <span class="hold"> held: {words(order.hold)}</span>}
      {order.cancelRequestedAt !== null && order.state !== 'cancelled' && <span class="hold"> being cancelled</span>}
    </>
  );
}
