import { useState } from 'preact/hooks';
import { fieldText } from '../shared/field-text.ts';
import { Field } from '../shared/form.tsx';
import { Panel } from '../shared/parts.tsx';
import { useReading } from '../shared/use-live.ts';
import { ORDER_KINDS } from '../shared/order-kinds.ts';
import type { Kind } from './kinds.ts';
import { OrderProgress, OrderReason, OrderState } from './order-parts.tsx';
import { orderOf } from './order.ts';
import type { Reply } from './replies.ts';
import { links, type Query } from './route.ts';
import { TokenPanel } from './token-form.tsx';

/** Mints a token of one of the account's contracts, and shows how far it is. */
export function MintView({ query }: { readonly query: Query }) {
  const [orderId, setOrderId] = useState('');
  return (
    <>
      <h1>Mint</h1>
      <TokenPanel<{ readonly id: string }>
        title="Mint"
        contractId={query.contract ?? ''}
        path="/minting/order"
        more={(form) => ({ receiverAddress: fieldText(form, 'receiver') })}
        onAccepted={({ id }) => setOrderId(id)}
      >
        <Field label="Receiver">
          <input name="receiver" required pattern="0x[0-9a-fA-F]{40}" placeholder="0x…" spellcheck={false} />
        </Field>
      </TokenPanel>
      {orderId !== '' && <Accepted key={orderId} id={orderId} kind={ORDER_KINDS.MintingOrder} />}
    </>
  );
}

function Accepted({ id, kind }: { readonly id: string; readonly kind: Kind }) {
  const path = `${kind.path}/${encodeURIComponent(id)}`;
  const live = useReading(path, 2, async (api, signal) => orderOf(kind, await api.get<Reply>(path, signal)));
  const order = live.data;
  return (
    <Panel title="The order" live={live}>
      {order !== undefined && (
        <>
          <p>
            <OrderState order={order} />{' '}
            <a class="mono wrap" href={links.order(id, kind)}>
              {id}
            </a>
          </p>
          <OrderProgress order={order} />
          <OrderReason order={order} />
        </>
      )}
    </Panel>
  );
}
