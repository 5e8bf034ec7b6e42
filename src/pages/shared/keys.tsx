import { useState } from 'preact/hooks';
import { ActionButton } from './action-button.tsx';
import type { components } from './api-types.ts';
import { fieldText } from './field-text.ts';
import { Field } from './form.tsx';
import { formatMoment, ZONE } from './format.ts';
import { Age } from './parts.tsx';
import { RecordTable, type Column } from './record-table.tsx';
import { ShownOnce } from './shown-once.tsx';
import { useConfirm } from './use-confirm.tsx';

type Key = components['schemas']['Key'];
type NewKey = components['schemas']['NewKey'];

/** What a key can be allowed to do. */
const SCOPES = ['read', 'metadata', 'status', 'mint', 'transfer', 'deploy', 'ownership', 'revoke', 'webhooks', 'keys'];

/** The keys of an account, to create and to revoke. */
export function Keys(props: {
  readonly keys: readonly Key[];
  readonly onChanged: () => void;
  /** For the operator: the account, as the API names it and as people do. A key of the account needs neither. */
  readonly account?: { readonly corporateId: string; readonly name: string };
}) {
  const { keys, onChanged, account } = props;
  const headers = account === undefined ? {} : { 'x-corporate-id': account.corporateId };
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
          question={`Within two seconds nobody can use the key ${name}${account === undefined ? '' : ` of ${account.name}`} any more. Keys that it created remain.`}
          act={(api) => api.send(`/keys/${id}`, { method: 'DELETE', headers })}
          onDone={onChanged}
        />
      ),
    ],
  ];
  return (
    <>
      <RecordTable
        label="Keys"
        items={keys}
        idOf={({ id }) => id}
        columns={columns}
        empty={account === undefined ? 'The account has no key of this kind.' : 'The account has no key of its own.'}
      />
      <KeyForm headers={headers} owner={account?.name} onCreated={onChanged} />
    </>
  );
}

function KeyForm(props: {
  readonly headers: Readonly<Record<string, string>>;
  /** The account, for the operator. */
  readonly owner: string | undefined;
  readonly onCreated: () => void;
}) {
  const { headers, owner, onCreated } = props;
  const { ask, dialog } = useConfirm();
  const [secret, setSecret] = useState('');
  const askFor = (form: HTMLFormElement) => {
    const [name, expires, kind] = ['name', 'expires', 'kind'].map((field) => fieldText(form, field));
    const scopes = new FormData(form).getAll('scopes').map(String);
    const body = {
      name,
      scopes,
      ...(kind === '' ? {} : { kind }),
      ...(expires ? { expiresAt: new Date(expires).toISOString() } : {}),
    };
    // A retry of a confirmation is the same request.
    const once = { ...headers, 'idempotency-key': crypto.randomUUID() };
    ask({
      text: 'Create key',
      question: `The key ${name}${owner === undefined ? '' : ` of ${owner}`} may do: ${scopes.join(', ') || 'nothing yet, choose a scope'}. It is shown once.`,
      act: async (api) => {
        const { key } = await api.send<NewKey>('/keys', { method: 'POST', body, headers: once });
        setSecret(key ?? '');
        form.reset();
      },
      onDone: onCreated,
    });
  };
  return (
    <>
      <h3>Create a key</h3>
      <form
        class="form"
        aria-label="Create a key"
        onSubmit={(event) => {
          event.preventDefault();
          askFor(event.currentTarget);
        }}
      >
        <Field label="Name">
          <input name="name" required />
        </Field>
        <Field label={`Expires (${ZONE}); empty: ${owner === undefined ? 'with this key' : 'never'}`}>
          <input name="expires" type="datetime-local" />
        </Field>
        {owner !== undefined && (
          <Field label="For">
            <select name="kind">
              <option value="live">main chains</option>
              <option value="test">test chains</option>
            </select>
          </Field>
        )}
        <fieldset>
          <legend>Scopes</legend>
          {SCOPES.map((scope) => (
            <label key={scope}>
              <input type="checkbox" name="scopes" value={scope} /> {scope}
            </label>
          ))}
        </fieldset>
        <div class="buttons row">
          <button type="submit" class="primary">
            Create key
          </button>
        </div>
      </form>
      {dialog}
      {secret !== '' && <ShownOnce what="the key" secret={secret} onHide={() => setSecret('')} />}
    </>
  );
}
