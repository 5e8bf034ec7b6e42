import { useState } from 'preact/hooks';
import { Age, Hex, Panel, State, Table } from '../shared/parts.tsx';
import { Pager } from '../shared/pager.tsx';
import type { Accounts } from './replies.ts';
import { links } from './route.ts';
import { useLive } from '../shared/use-live.ts';

/** All accounts, a page at a time. */
export function AccountsView() {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const cursor = cursors.at(-1);
  const live = useLive<Accounts>(`/admin/accounts${cursor === undefined ? '' : `?cursor=${cursor}`}`, 30);
  const { items = [], nextCursor = null } = live.data ?? {};
  return (
    <>
      <h1>Accounts</h1>
      <Panel title="Newest first" live={live}>
        <Table
          label="Accounts"
          head={['Account', 'State', 'Name', 'Wallet', 'Keys', 'Limits', 'Created']}
          numbers={['Keys']}
          isEmpty={items.length === 0}
          empty="No account."
        >
          {items.map(({ corporateId, name, status, pausedAt, walletAddress, keys, hasLimits, createdAt }) => (
            <tr key={corporateId}>
              <td>
                <a href={links.account(corporateId)}>{corporateId}</a>
              </td>
              <td>
                <State name={pausedAt === null ? status : 'paused'} />
              </td>
              <td>{name}</td>
              <td>
                <Hex value={walletAddress} />
              </td>
              <td class="number">{keys}</td>
              <td>{hasLimits ? 'yes' : 'none'}</td>
              <td>
                <Age at={createdAt} /> ago
              </td>
            </tr>
          ))}
        </Table>
        <Pager
          onNewer={cursors.length === 0 ? undefined : () => setCursors(cursors.slice(0, -1))}
          onOlder={nextCursor === null ? undefined : () => setCursors([...cursors, nextCursor])}
        />
      </Panel>
    </>
  );
}
