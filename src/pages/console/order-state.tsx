import { words } from '../shared/format.ts';
import { HoldNote } from '../shared/hold.tsx';
import { State } from '../shared/parts.tsx';
import type { Order } from './replies.ts';

/** An order's state, or why it waits. */
export function OrderState({ order: { state, hold, cancelRequestedAt } }: { readonly order: Order }) {
  return (
    <>
      <State name={state} />
      {hold !== null && <span class="hold"> held: {words(hold)}</span>}
      {cancelRequestedAt !== null && isOpen(state) && <span class="hold"> being cancelled</span>}
    </>
  );
}

/** Whether an order has not ended. */
export function isOpen(state: Order['state']): boolean {
  return state === 'waiting' || state === 'signed';
}

/** Why an order waits, failed or was cancelled, in words; nothing if all is well. */
export function OrderReason({ order }: { readonly order: Order }) {
  const { state, hold, heldSince, holdDetail, errorMessage } = order;
  if (hold !== null && heldSince !== null) {
    return <HoldNote reason={hold} since={heldSince} detail={holdDetail ?? words(hold)} />;
  }
  if (state === 'failed') return <p class="note bad">Failed: {errorMessage ?? 'the service does not say why'}</p>;
  if (state === 'cancelled') return <p class="note">Cancelled{errorMessage === null ? '' : `: ${errorMessage}`}</p>;
  return null;
}
