import { HoldNote } from '../shared/hold.tsx';
import { Age, Hex, State } from '../shared/parts.tsx';
import { STATE_NAMES, type Order } from './order.ts';
import { RecordTable, type Column } from '../shared/record-table.tsx';
import { links } from './route.ts';
import { chainOf, chainTitle } from '../shared/chains.ts';

/** An order's state, and whether it is held or being cancelled. */
export function OrderState({ order: { state, hold, cancelRequestedAt, completedAt } }: { readonly order: Order }) {
  return (
    <>
      <State name={STATE_NAMES[state]} />
      {hold !== null && <span class="hold"> held</span>}
      {cancelRequestedAt !== null && completedAt === null && <span class="hold"> being cancelled</span>}
    </>
  );
}

/** Why an order failed, was cancelled or waits, in words; nothing if all is well. */
export function OrderReason({ order: { state, hold, errorMessage } }: { readonly order: Order }) {
  if (hold !== null) return <HoldNote {...hold} />;
  if (state === 'failed') return <p class="note bad">Failed: {errorMessage ?? 'the service does not say why'}</p>;
  if (state === 'cancelled') return <p class="note">Cancelled{errorMessage === null ? '' : `: ${errorMessage}`}</p>;
  if (state === 'approval') {
    return (
      <p class="note warn">
        A second person must approve it; nothing is signed before. <a href={links.account()}>Account</a> has the
        approvals.
      </p>
    );
  }
  return null;
}

/** The steps of an order, with those that are done. */
export function OrderProgress({ order: { state, hold } }: { readonly order: Order }) {
  const steps =
    state === 'failed' || state === 'cancelled'
      ? [
          ['Accepted', 'done'],
          [state === 'failed' ? 'Failed' : 'Cancelled', state === 'failed' ? 'bad' : 'warn'],
        ]
      : stepsOf(state).map(([name, isDone]) => [name, isDone ? 'done' : '']);
  const current = steps.findLastIndex(([, tone]) => tone !== '');
  return (
    <ol class="progress" aria-label="Progress">
      {steps.map(([name, tone], index) => (
        <li
          key={name}
          class={index === current && hold !== null ? 'warn' : tone}
          aria-current={index === current ? 'step' : undefined}
        >
          {name}
          {tone === 'done' && <span class="visually-hidden">: done</span>}
        </li>
      ))}
    </ol>
  );
}

function stepsOf(state: Order['state']): [name: string, isDone: boolean][] {
  const isConfirmed = state === 'confirmed';
  if (state === 'deploying') {
    return [
      ['Accepted', true],
      ['Confirmed', false],
    ];
  }
  return [
    ['Accepted', state !== 'approval'],
    ['Signed', state === 'sent' || isConfirmed],
    ['Sent', state === 'sent' || isConfirmed],
    ['Confirmed', isConfirmed],
  ];
}

const COLUMNS: readonly Column<Order>[] = [
  ['State', (order) => <OrderState order={order} />],
  ['Kind', ({ kind }) => kind.title],
  ['Order', (order) => <OrderLink order={order} />],
  ['Token', ({ tokenId }) => tokenId !== null && <Hex value={tokenId} />],
  ['Contract', (order) => <ContractHex {...order} />],
  ['Chain', ({ chainId }) => chainTitle(chainId)],
  [
    'Accepted',
    ({ createdAt }) => (
      <>
        <Age at={createdAt} /> ago
      </>
    ),
  ],
  ['Reason', ({ hold, errorMessage }) => hold?.detail ?? errorMessage, 'wrap'],
];

function OrderLink({ order }: { readonly order: Order }) {
  return (
    <a class="mono" href={links.order(order.id, order.kind)}>
      {order.id}
    </a>
  );
}

/** The address of a contract, with its page in the explorer. */
export function ContractHex({ chainId, contractAddress }: Pick<Order, 'chainId' | 'contractAddress'>) {
  return contractAddress === null ? null : <AddressHex chainId={chainId} address={contractAddress} />;
}

/** An address, with its page in the explorer. */
export function AddressHex({ chainId, address }: { readonly chainId: string; readonly address: string }) {
  const explorerUrl = chainOf(chainId)?.explorerUrl;
  return explorerUrl === undefined ? (
    <Hex value={address} />
  ) : (
    <Hex value={address} href={`${explorerUrl}/address/${address}`} />
  );
}

/** Orders of all kinds, each with a link to its story. */
export function OrderTable({ orders, empty }: { readonly orders: readonly Order[]; readonly empty: string }) {
  return <RecordTable label="Orders" items={orders} idOf={({ id }) => id} columns={COLUMNS} empty={empty} />;
}
