import { useState } from 'preact/hooks';
import { ActionButton } from '../shared/action-button.tsx';
import { AuditTable } from '../shared/audit-table.tsx';
import { HashPager } from '../shared/hash-pager.tsx';
import { Keys } from '../shared/keys.tsx';
import { Limits } from '../shared/limits.tsx';
import { Hex, Panel, State } from '../shared/parts.tsx';
import { RecordTable, type Column } from '../shared/record-table.tsx';
import { useLive } from '../shared/use-live.ts';
import { Issuer } from './issuer.tsx';
import { LimitsForm } from './limits-form.tsx';
import { ReplayFailed } from './replay-failed.tsx';
import type { AccountDetail, AuditEntry } from './replies.ts';
import { links, type Query } from './route.ts';

type Endpoint = AccountDetail['endpoints'][number];

interface AuditLog {
  readonly items: readonly AuditEntry[];
  readonly nextCursor: string | null;
}

const auditQuery = (corporateId: string, { before }: Query) =>
  new URLSearchParams({ corporateId, limit: '25', ...(before ? { cursor: before } : {}) }).toString();

/** One account: its limits and what is used of them, keys, endpoints, who it is to the public, and who changed what. */
export function AccountView({ corporateId, query }: { readonly corporateId: string; readonly query: Query }) {
  const live = useLive<AccountDetail>(`/admin/accounts/${encodeURIComponent(corporateId)}`, 10);
  const audit = useLive<AuditLog>(`/admin/audit?${auditQuery(corporateId, query)}`, 30);
  const account = live.data;
  const refresh = () => {
    live.refresh();
    audit.refresh();
  };
  return (
    <>
      <h1 class="wrap">{account?.name ?? corporateId}</h1>
      {account !== undefined && <Facts account={account} onChanged={refresh} />}
      <Panel title="Limits and usage" live={live}>
        {account !== undefined && (
          <>
            <Limits limits={account.limits} />
            <LimitsForm account={account} onSet={refresh} />
          </>
        )}
      </Panel>
      <Panel title="Keys" live={live}>
        {account !== undefined && <Keys keys={account.keyList} account={account} onChanged={refresh} />}
      </Panel>
      <Panel title="Webhook endpoints" live={live}>
        {account !== undefined && <Endpoints account={account} onReplayed={refresh} />}
      </Panel>
      <Panel title="Public identity" live={live}>
        {account !== undefined && <Issuer account={account} onChanged={refresh} />}
      </Panel>
      <Panel title="Who changed what, newest first" live={audit}>
        <AuditTable entries={audit.data?.items ?? []} keys={account?.keyList ?? []} />
        <HashPager
          query={query}
          next={audit.data?.nextCursor ?? null}
          linkTo={(next) => links.account(corporateId, next)}
        />
      </Panel>
    </>
  );
}

function Facts({ account, onChanged }: { readonly account: AccountDetail; readonly onChanged: () => void }) {
  const { corporateId, name, status, pausedAt, walletAddress } = account;
  const action = pausedAt === null ? 'Pause' : 'Resume';
  return (
    <div class="facts">
      <p class="wrap">
        <State name={pausedAt === null ? status : 'paused'} /> <span class="mono">{corporateId}</span>, wallet{' '}
        <Hex value={walletAddress} />. <a href={links.orders({ account: corporateId })}>Its orders</a>
      </p>
      <div class="buttons">
        <ActionButton
          text={`${action} account`}
          question={
            pausedAt === null
              ? `Orders of ${name} will be accepted and wait. Signed transactions continue.`
              : `All waiting orders of ${name} will be executed, oldest first.`
          }
          act={`/admin/accounts/${encodeURIComponent(corporateId)}/${action.toLowerCase()}`}
          onDone={onChanged}
        />
      </div>
    </div>
  );
}

function Endpoints({ account, onReplayed }: { readonly account: AccountDetail; readonly onReplayed: () => void }) {
  const [said, setSaid] = useState('');
  const columns: readonly Column<Endpoint>[] = [
    ['State', ({ status }) => <State name={status} />],
    ['URL', ({ url }) => url ?? 'WEBHOOK_URL', 'wrap'],
    ['Managed by', ({ managedBy }) => (managedBy === 'operator' ? 'the operator' : 'the account')],
    ['Events', ({ eventTypes }) => eventTypes?.join(', ') ?? 'ends of all orders', 'wrap'],
    [
      'Action',
      ({ id, url }) => (
        <ReplayFailed
          endpointId={id}
          target={`${url ?? 'the default webhook'} of ${account.name}`}
          onReplayed={(text) => {
            setSaid(text);
            onReplayed();
          }}
        />
      ),
    ],
  ];
  return (
    <>
      <RecordTable
        label="Webhook endpoints"
        items={account.endpoints}
        idOf={({ id }) => id}
        columns={columns}
        empty="None."
      />
      <p role="status">{said}</p>
    </>
  );
}
