import { Age, Hex, State } from '../shared/parts.tsx';
import { RecordTable, type Column } from '../shared/record-table.tsx';
import type { Accounts } from './replies.ts';
import { AccountLink } from './account-link.tsx';

type Account = Accounts['items'][number];

const COLUMNS: readonly Column<Account>[] = [
  ['Account', ({ corporateId, name }) => <AccountLink corporateId={corporateId} corporateName={name} />, 'wrap'],
  ['State', ({ status, pausedAt }) => <State name={pausedAt === null ? status : 'paused'} />],
  ['Wallet', ({ walletAddress }) => <Hex value={walletAddress} />],
  ['Keys', ({ keys }) => keys, 'number'],
  ['Limits', ({ hasLimits }) => (hasLimits ? 'yes' : 'none')],
  ['Issuer', ({ issuer }) => issuer?.domain ?? 'not confirmed', 'wrap'],
  [
    'Created',
    ({ createdAt }) => (
      <>
        <Age at={createdAt} /> ago
      </>
    ),
  ],
];

/** Accounts, each with a link to it. */
export function AccountTable({ accounts, empty }: { readonly accounts: readonly Account[]; readonly empty: string }) {
  return (
    <RecordTable
      label="Accounts"
      items={accounts}
      idOf={({ corporateId }) => corporateId}
      columns={COLUMNS}
      empty={empty}
    />
  );
}
