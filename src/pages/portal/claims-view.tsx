import { useState } from 'preact/hooks';
import { ActionButton } from '../shared/action-button.tsx';
import { chainTitle } from '../shared/chains.ts';
import { fieldText } from '../shared/field-text.ts';
import { FilterForm } from '../shared/filter-form.tsx';
import { formatMoment, ZONE } from '../shared/format.ts';
import { Choice, Field } from '../shared/form.tsx';
import { HashPager } from '../shared/hash-pager.tsx';
import { Hex, Panel, State } from '../shared/parts.tsx';
import { RecordTable, type Column } from '../shared/record-table.tsx';
import { ShownOnce } from '../shared/shown-once.tsx';
import { useLive } from '../shared/use-live.ts';
import { ORDER_KINDS } from '../shared/order-kinds.ts';
import { ContractHex } from './order-parts.tsx';
import type { Claim, List, NewClaim } from './replies.ts';
import { links, type Query } from './route.ts';
import { TokenPanel } from './token-form.tsx';

const STATUSES = ['OPEN', 'CLAIMED', 'CANCELLED', 'EXPIRED', 'BLOCKED'].map(
  (status) => [status, status.toLowerCase()] as const,
);

/** Links that let whoever opens them name the receiver of a mint. */
export function ClaimsView({ query }: { readonly query: Query }) {
  const { state = '', contract = '', before = '' } = query;
  const wanted = new URLSearchParams({ limit: '25' });
  if (state !== '') wanted.set('status', state);
  if (contract !== '') wanted.set('contractAddress', contract.toLowerCase());
  if (before !== '') wanted.set('cursor', before);
  const claims = useLive<List<Claim>>(`/claims?${wanted.toString()}`, 10);
  const { items = [], nextCursor = null } = claims.data ?? {};
  const [link, setLink] = useState('');
  return (
    <>
      <h1>Claim links</h1>
      <TokenPanel<NewClaim>
        title="Make a link"
        contractId=""
        path="/claims"
        more={(form) => ({ ...optional('pin', fieldText(form, 'pin')), ...expiryOf(fieldText(form, 'expires')) })}
        onAccepted={({ url }) => {
          setLink(url ?? '');
          claims.refresh();
        }}
      >
        <Field label={`Can be claimed until (${ZONE}); empty: for 30 days`}>
          <input name="expires" type="datetime-local" />
        </Field>
        <Field label="PIN, 4 to 12 digits; empty: none">
          <input name="pin" pattern="[0-9]{4,12}" inputmode="numeric" autocomplete="off" />
        </Field>
      </TokenPanel>
      {link !== '' && <ShownOnce what="the link" secret={link} onHide={() => setLink('')} />}
      <Panel title="Newest first" live={claims}>
        <FilterForm query={{ state, contract }} names={['state', 'contract']} linkTo={links.claims} all="All links">
          <Choice name="state" label="State" value={state} options={STATUSES} />
          <Field label="Contract">
            <input name="contract" defaultValue={contract} placeholder="0x…" spellcheck={false} />
          </Field>
        </FilterForm>
        <RecordTable
          label="Claim links"
          items={items}
          idOf={({ id }) => id}
          columns={columnsOf(claims.refresh)}
          empty={nextCursor === null ? 'None.' : 'None in this part of the list. Choose Older to look further.'}
        />
        <HashPager query={query} next={nextCursor} linkTo={links.claims} />
      </Panel>
    </>
  );
}

const optional = (name: string, value: string) => (value === '' ? {} : { [name]: value });
const expiryOf = (local: string) => (local === '' ? {} : { expiresAt: new Date(local).toISOString() });

function columnsOf(onCancelled: () => void): readonly Column<Claim>[] {
  return [
    ['State', ({ status }) => <State name={status} />],
    [
      'Claim',
      ({ id }) => (
        <a class="mono" href={links.order(id, ORDER_KINDS.MintingOrder)}>
          {id}
        </a>
      ),
    ],
    ['Token', ({ tokenId }) => <Hex value={tokenId} />],
    ['Contract', (claim) => <ContractHex {...claim} />],
    ['Chain', ({ chainId }) => chainTitle(chainId)],
    ['Until', ({ expiresAt }) => formatMoment(expiresAt)],
    ['PIN', ({ hasPin, pinFailures }) => (hasPin ? `yes${pinFailures === 0 ? '' : `, ${pinFailures} wrong`}` : 'no')],
    ['Receiver', ({ receiverAddress }) => receiverAddress !== null && <Hex value={receiverAddress} />],
    [
      'Action',
      ({ id, status }) =>
        (status === 'OPEN' || status === 'BLOCKED') && (
          <ActionButton
            text="Cancel link"
            question="The link can no longer be used. Its token and metadata are free again."
            act={`/claims/${id}/cancel`}
            onDone={onCancelled}
          />
        ),
    ],
  ];
}
