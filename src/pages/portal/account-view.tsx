import { useState } from 'preact/hooks';
import { ActionButton } from '../shared/action-button.tsx';
import { fieldText } from '../shared/field-text.ts';
import { formatMoment } from '../shared/format.ts';
import { Limits } from '../shared/limits.tsx';
import { Age, Hex, Panel, State } from '../shared/parts.tsx';
import { useApi } from '../shared/service-api.ts';
import { useLive, type Live } from '../shared/use-live.ts';
import { Field } from './form.tsx';
import { HashPager } from './hash-pager.tsx';
import { RecordTable, type Column } from './record-table.tsx';
import type { Approval, ApprovalSetting, AuditEntry, Key, LimitsAndUsage, List, NewKey } from './replies.ts';
import { links, type Query } from './route.ts';
import { chainTitle } from './settings.ts';
import { useSending } from './use-sending.tsx';

/** What a key can be allowed to do. */
const SCOPES = ['read', 'metadata', 'status', 'mint', 'transfer', 'deploy', 'ownership', 'revoke', 'webhooks', 'keys'];

/** Limits, approvals, keys, and who changed what. */
export function AccountView({ query }: { readonly query: Query }) {
  const limits = useLive<LimitsAndUsage>('/limits', 15);
  const keys = useLive<List<Key>>('/keys?limit=100', 15);
  return (
    <>
      <h1>Account</h1>
      <Panel title="Limits and what is used of them" live={limits}>
        {limits.data !== undefined && (
          <>
            <Limits limits={limits.data} />
            <p class="muted">The day ends {formatMoment(limits.data.dayEndsAt)}. The operator sets the limits.</p>
          </>
        )}
      </Panel>
      <Approvals />
      <Keys live={keys} />
      <Audit query={query} keys={keys.data?.items ?? []} />
    </>
  );
}

const ACTIONS: Readonly<Record<Approval['action'], string>> = {
  TRANSFER_OWNERSHIP: 'transfer the ownership of a contract',
  DEPLOY_FORWARDER: 'deploy a forwarder',
  SWITCH_OFF_APPROVALS: 'need no second person any more',
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
    ['Decide', (approval) => approval.status === 'WAITING_FOR_APPROVAL' && <Decide {...approval} />],
  ];
  function Decide({ id, action }: Approval) {
    return (
      <div class="buttons">
        <ActionButton
          text="Approve"
          question={`You let the account ${ACTIONS[action]}. It is carried out at once.`}
          act={`/approvals/${id}/approve`}
          onDone={live.refresh}
        />
        <ActionButton
          text="Refuse"
          question="It is cancelled and never carried out."
          act={`/approvals/${id}/refuse`}
          onDone={live.refresh}
        />
      </div>
    );
  }
  return (
    <Panel title="Approvals" live={live}>
      {setting.data !== undefined && (
        <p class="muted">
          {setting.data.required
            ? 'Ownership transfers and forwarders need a second person.'
            : 'Nothing needs a second person.'}
        </p>
      )}
      <RecordTable
        label="Approvals"
        items={live.data?.items ?? []}
        idOf={({ id }) => id}
        columns={columns}
        empty="None was asked for."
      />
    </Panel>
  );
}

function Subject({ chainId, contractAddress, newOwner, alias }: Approval) {
  return (
    <>
      {alias} {contractAddress !== null && <Hex value={contractAddress} />}
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

function Keys({ live }: { readonly live: Live<List<Key>> }) {
  const columns: readonly Column<Key>[] = [
    ['Name', ({ name }) => name, 'wrap'],
    ['For', ({ kind }) => (kind === 'live' ? 'main chains' : 'test chains')],
    ['Scopes', ({ scopes }) => scopes.join(', '), 'wrap'],
    ['Addresses', ({ allowedAddresses }) => allowedAddresses?.join(', ') ?? 'any', 'wrap'],
    ['Last used', ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : <Age at={lastUsedAt} />)],
    ['Expires', ({ expiresAt }) => (expiresAt === null ? 'never' : formatMoment(expiresAt))],
    [
      'Action',
      ({ id, name }) => (
        <ActionButton
          text="Revoke"
          question={`Within two seconds nobody can use the key ${name} any more. Keys that it created remain.`}
          act={(api) => api.send(`/keys/${id}`, { method: 'DELETE' })}
          onDone={live.refresh}
        />
      ),
    ],
  ];
  return (
    <Panel title="Keys" live={live}>
      <RecordTable
        label="Keys"
        items={live.data?.items ?? []}
        idOf={({ id }) => id}
        columns={columns}
        empty="The account has no key of this kind."
      />
      <KeyForm onCreated={live.refresh} />
    </Panel>
  );
}

function KeyForm({ onCreated }: { readonly onCreated: () => void }) {
  const api = useApi();
  const { isBusy, said, send } = useSending();
  const [secret, setSecret] = useState('');
  const create = (form: HTMLFormElement) =>
    send(async () => {
      const scopes = new FormData(form).getAll('scopes');
      const expires = fieldText(form, 'expires');
      const body = {
        name: fieldText(form, 'name'),
        scopes,
        ...(expires === '' ? {} : { expiresAt: new Date(expires).toISOString() }),
      };
      const { key } = await api.post<NewKey>('/keys', body);
      setSecret(key ?? '');
      form.reset();
      onCreated();
      return 'Created. Keep the key now: it is not shown again.';
    });
  return (
    <>
      <h3>Create a key</h3>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void create(event.currentTarget);
        }}
      >
        <Field label="Name">
          <input name="name" required />
        </Field>
        <Field label={`Expires (${Intl.DateTimeFormat().resolvedOptions().timeZone}); empty: with this key`}>
          <input name="expires" type="datetime-local" />
        </Field>
        <fieldset>
          <legend>Scopes</legend>
          {SCOPES.map((scope) => (
            <label key={scope}>
              <input type="checkbox" name="scopes" value={scope} /> {scope}
            </label>
          ))}
        </fieldset>
        <div class="buttons row">
          <button type="submit" class="primary" disabled={isBusy}>
            Create key
          </button>
        </div>
        {said}
      </form>
      {secret !== '' && (
        <div class="facts">
          <code class="wrap">{secret}</code>
          <div class="buttons">
            <button type="button" onClick={() => void navigator.clipboard.writeText(secret)}>
              Copy
            </button>
            <button type="button" onClick={() => setSecret('')}>
              Hide
            </button>
          </div>
        </div>
      )}
    </>
  );
}

const ACTORS: Readonly<Record<AuditEntry['actor'], string>> = {
  key: 'a key of the account',
  global: 'a global key',
  admin: 'the operator',
  command: 'the operator, by command',
};

/** Ids that are shown of the records that one request has changed. */
const SHOWN_IDS = 4;

function changedText({ resourceIds }: AuditEntry): string {
  const more = resourceIds.length - SHOWN_IDS;
  return `${resourceIds.slice(0, SHOWN_IDS).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function auditColumns(keys: readonly Key[]): readonly Column<AuditEntry>[] {
  const keyName = (id: string) => keys.find((key) => key.id === id)?.name ?? id;
  return [
    ['When', ({ createdAt }) => formatMoment(createdAt)],
    ['Who', ({ actor, keyId }) => (keyId === null ? ACTORS[actor] : `the key ${keyName(keyId)}`), 'wrap'],
    ['From', ({ address }) => address],
    ['What', ({ method, route, count }) => `${method} ${route}${count === 1 ? '' : `, ${count} times`}`, 'wrap'],
    ['Reply', ({ statusCode }) => statusCode],
    ['Changed', changedText, 'wrap'],
  ];
}

function Audit({ query, keys }: { readonly query: Query; readonly keys: readonly Key[] }) {
  const cursor = query.before ? `&cursor=${encodeURIComponent(query.before)}` : '';
  const live = useLive<List<AuditEntry>>(`/audit?limit=25${cursor}`, 15);
  return (
    <Panel title="Who changed what, newest first" live={live}>
      <RecordTable
        label="Changes"
        items={live.data?.items ?? []}
        idOf={({ id }) => id}
        columns={auditColumns(keys)}
        empty="Nothing was changed."
      />
      <HashPager query={query} next={live.data?.nextCursor ?? null} linkTo={links.account} />
    </Panel>
  );
}
