import { ActionButton } from '../shared/action-button.tsx';
import { AuditTable } from '../shared/audit-table.tsx';
import { formatMoment } from '../shared/format.ts';
import { HashPager } from '../shared/hash-pager.tsx';
import { Keys } from '../shared/keys.tsx';
import { Limits } from '../shared/limits.tsx';
import { Hex, Panel, State } from '../shared/parts.tsx';
import { RecordTable, type Column } from '../shared/record-table.tsx';
import { chainTitle } from '../shared/chains.ts';
import { useLive } from '../shared/use-live.ts';
import type { Approval, ApprovalSetting, AuditEntry, Key, LimitsAndUsage, List } from './replies.ts';
import { links, type Query } from './route.ts';

/** Limits, approvals, keys, and who changed what. */
export function AccountView({ query }: { readonly query: Query }) {
  const limits = useLive<LimitsAndUsage>('/limits', 15);
  const keys = useLive<List<Key>>('/keys?limit=100', 15);
  return (
    <>
      <h1>Account</h1>
      <Panel title="Limits and usage" live={limits}>
        {limits.data !== undefined && (
          <>
            <Limits limits={limits.data} />
            <p class="muted">The day ends {formatMoment(limits.data.dayEndsAt)}. The operator sets the limits.</p>
          </>
        )}
      </Panel>
      <Approvals />
      <Panel title="Keys" live={keys}>
        <Keys keys={keys.data?.items ?? []} onChanged={keys.refresh} />
      </Panel>
      <Audit query={query} keys={keys.data?.items ?? []} />
    </>
  );
}

const ACTIONS: Readonly<Record<Approval['action'], string>> = {
  TRANSFER_OWNERSHIP: 'transfer the ownership of a contract',
  DEPLOY_FORWARDER: 'deploy a forwarder',
  DEPLOY_CONTRACT: 'deploy a contract that trusts a foreign forwarder',
  SWITCH_OFF_APPROVALS: 'no longer need a second person',
};

function Approvals() {
  const setting = useLive<ApprovalSetting>('/approvals/setting', 60);
  const live = useLive<List<Approval>>('/approvals?limit=25', 15);
  const columns: readonly Column<Approval>[] = [
    ['State', ({ status }) => <State name={status} />],
    ['To', ({ action }) => ACTIONS[action]],
    ['Of', (approval) => <Subject {...approval} />, 'wrap'],
    ['By', ({ requestedBy }) => requestedBy, 'wrap'],
    ['Until', ({ decidedAt, expiresAt }) => formatMoment(decidedAt ?? expiresAt)],
    [
      'Decide',
      (approval) => approval.status === 'WAITING_FOR_APPROVAL' && <Decide {...approval} onDone={live.refresh} />,
    ],
  ];
  return (
    <Panel title="Approvals" live={live}>
      {setting.data !== undefined && (
        <p class="muted">
          {setting.data.required
            ? 'Ownership transfers, forwarders, and contracts that trust a foreign forwarder need a second person.'
            : 'Nothing needs a second person.'}
        </p>
      )}
      <RecordTable
        label="Approvals"
        items={live.data?.items ?? []}
        idOf={({ id }) => id}
        columns={columns}
        empty="None was requested."
      />
    </Panel>
  );
}

/**
 * Outside of what shows the list: a component of each render would lose its open dialog when the list is read again.
 */
function Decide({ id, action, onDone }: Approval & { readonly onDone: () => void }) {
  return (
    <div class="buttons">
      <ActionButton
        text="Approve"
        question={`You let the account ${ACTIONS[action]}. It is executed immediately.`}
        act={`/approvals/${id}/approve`}
        onDone={onDone}
      />
      <ActionButton
        text="Refuse"
        question="It is cancelled and never executed."
        act={`/approvals/${id}/refuse`}
        onDone={onDone}
      />
    </div>
  );
}

function Subject({ chainId, contractAddress, newOwner, alias, trustedForwarder }: Approval) {
  return (
    <>
      {alias} {contractAddress !== null && <Hex value={contractAddress} />}
      {trustedForwarder !== null && <Hex value={trustedForwarder} />}
      {newOwner !== null && (
        <>
          {' '}
          to <span class="mono">{newOwner}</span>
        </>
      )}{' '}
      {chainId !== null && `on ${chainTitle(chainId)}`}
    </>
  );
}

function Audit({ query, keys }: { readonly query: Query; readonly keys: readonly Key[] }) {
  const cursor = query.before ? `&cursor=${encodeURIComponent(query.before)}` : '';
  const live = useLive<List<AuditEntry>>(`/audit?limit=25${cursor}`, 15);
  return (
    <Panel title="Who changed what, newest first" live={live}>
      <AuditTable entries={live.data?.items ?? []} keys={keys} />
      <HashPager query={query} next={live.data?.nextCursor ?? null} linkTo={links.account} />
    </Panel>
  );
}
