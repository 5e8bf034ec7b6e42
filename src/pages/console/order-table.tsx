import { chainTitle } from '../shared/chains.ts';
import { shortHex, words } from '../shared/format.ts';
import { Age, Hex } from '../shared/parts.tsx';
import { RecordTable, type Column } from '../shared/record-table.tsx';
import { AccountLink } from './account-link.tsx';
import { OrderState } from './order-state.tsx';
import type { Order } from './replies.ts';
import { links } from './route.ts';

const COLUMNS: readonly Column<Order>[] = [
  ['State', (order) => <OrderState order={order} />],
  ['Kind', ({ kind }) => words(kind)],
  ['Order', (order) => <OrderLink order={order} />],
  ['Account', (order) => <AccountLink {...order} />, 'wrap'],
  ['Token', ({ tokenId }) => tokenId !== null && <Hex value={tokenId} />],
  ['Contract', (order) => <ContractLink order={order} />],
  ['Chain', ({ chainId }) => chainTitle(chainId)],
  [
    'Accepted',
    ({ createdAt }) => (
      <>
        <Age at={createdAt} /> ago
      </>
    ),
  ],
  ['Reason', ({ holdDetail, errorMessage }) => holdDetail ?? errorMessage, 'wrap'],
];

function OrderLink({ order: { id } }: { readonly order: Order }) {
  return (
    <a class="mono" href={links.order(id)} title={id}>
      {shortHex(id)}
    </a>
  );
}

function ContractLink({ order: { contractAddress } }: { readonly order: Order }) {
  if (contractAddress === null) return null;
  return (
    <a href={links.orders({ contract: contractAddress })}>
      <Hex value={contractAddress} />
    </a>
  );
}

/** Orders, each with a link to its story. */
export function OrderTable({ orders, empty }: { readonly orders: readonly Order[]; readonly empty: string }) {
  return <RecordTable label="Orders" items={orders} idOf={({ id }) => id} columns={COLUMNS} empty={empty} />;
}
