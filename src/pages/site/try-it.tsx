import { useId, useState } from 'preact/hooks';
import { fieldText } from '../shared/field-text.ts';
import { accountApi, operatorApi, tryAccountKey, tryOperatorKey } from '../shared/keyed-apis.ts';
import type { Sent } from '../shared/service-api.ts';
import { SignInForm } from '../shared/sign-in.tsx';

/** What scripts/site/operation-page.tsx says of an operation. */
export interface TriedOperation {
  readonly method: NonNullable<Sent['method']>;
  /** With its parameters in braces. */
  readonly path: string;
  readonly key: 'account' | 'operator' | 'none';
  readonly parameters: readonly {
    readonly name: string;
    readonly in: 'path' | 'query' | 'header';
    readonly isRequired: boolean;
    readonly example: string;
  }[];
  /** The example of the body, of JSON; undefined if the operation takes none. */
  readonly body?: string;
  /** How a file is sent: in a form, or as the body; undefined if the operation takes none. */
  readonly fileAs?: 'form' | 'body';
}

interface Shown {
  readonly status: string;
  readonly text: string;
}

const KEYS = {
  account: { api: accountApi, label: 'Key of your account', tryKey: tryAccountKey },
  operator: { api: operatorApi, label: 'Admin key', tryKey: tryOperatorKey },
  none: { api: accountApi, label: '', tryKey: tryAccountKey },
};

/** Sends a request to this service, with the key of the tab, and shows the reply. */
export function TryIt({ operation }: { readonly operation: TriedOperation }) {
  const { api, label, tryKey } = KEYS[operation.key];
  const [hasKey, setHasKey] = useState(operation.key === 'none' || api.key !== null);
  return (
    <details class="try-it">
      <summary>Try it</summary>
      {hasKey ? (
        <RequestForm
          operation={operation}
          onSignOut={() => {
            api.forgetKey();
            setHasKey(false);
          }}
        />
      ) : (
        <>
          <p class="muted">
            The key stays in this tab, is sent only to this service, and is forgotten when you close the tab.
          </p>
          <SignInForm api={api} label={label} tryKey={tryKey} onSignedIn={() => setHasKey(true)} />
        </>
      )}
    </details>
  );
}

function RequestForm(props: { readonly operation: TriedOperation; readonly onSignOut: () => void }) {
  const { operation, onSignOut } = props;
  const { method, key, parameters, body, fileAs } = operation;
  const [shown, setShown] = useState<Shown>();
  const [isBusy, setBusy] = useState(false);
  const replyId = useId();
  const send = async (form: HTMLFormElement) => {
    setBusy(true);
    try {
      setShown(await replyTo(operation, form));
    } catch (failure) {
      setShown({ status: 'Not sent', text: failure instanceof Error ? failure.message : String(failure) });
    }
    setBusy(false);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void send(event.currentTarget);
      }}
    >
      {parameters.map(({ name, in: place, isRequired, example }) => (
        <label key={name}>
          <span>
            {name} <span class="muted">{isRequired ? place : `${place}, optional`}</span>
          </span>
          <input
            name={name}
            required={isRequired}
            placeholder={example}
            defaultValue={name === 'idempotency-key' ? crypto.randomUUID() : ''}
            autocomplete="off"
            spellcheck={false}
          />
        </label>
      ))}
      {body !== undefined && (
        <label>
          Body
          <textarea
            name="body"
            rows={Math.min(16, body.split('\n').length + 1)}
            spellcheck={false}
            defaultValue={body}
          />
        </label>
      )}
      {fileAs !== undefined && (
        <label>
          File
          <input name="file" type="file" required />
        </label>
      )}
      {method !== 'GET' && <p class="muted">This is a real request: the order it places is executed.</p>}
      <div class="buttons">
        <button type="submit" class="primary" disabled={isBusy}>
          Send
        </button>
        {key !== 'none' && (
          <button type="button" class="quiet" onClick={onSignOut}>
            Sign out
          </button>
        )}
      </div>
      <div role="status">
        {shown !== undefined && (
          <>
            <p id={replyId}>{shown.status}</p>
            <pre tabindex={0} aria-labelledby={replyId}>
              {shown.text}
            </pre>
          </>
        )}
      </div>
    </form>
  );
}

/** Sends what a form has. @throws if the body is not JSON, or the service cannot be reached. */
async function replyTo({ method, path, key, parameters, body, fileAs }: TriedOperation, form: HTMLFormElement) {
  const given = parameters
    .map(({ name, in: place }) => ({ name, place, value: fieldText(form, name) }))
    .filter(({ value }) => value !== '');
  const valuesIn = (wanted: string) =>
    given.filter(({ place }) => place === wanted).map(({ name, value }): [string, string] => [name, value]);
  const values = new Map(valuesIn('path'));
  const query = new URLSearchParams(valuesIn('query')).toString();
  const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values.get(name) ?? ''));
  const reply = await KEYS[key].api.request(query === '' ? target : `${target}?${query}`, {
    method,
    headers: Object.fromEntries(valuesIn('header')),
    ...(fileAs !== undefined && { body: fileAs === 'form' ? fileOf(form) : rowsOf(form) }),
    ...(body !== undefined && { body: parseBody(fieldText(form, 'body')) }),
  });
  const status = `${reply.status} ${reply.statusText}, request ${reply.headers.get('x-request-id')}`;
  return { status, text: readable(await reply.text()) };
}

/** Only the file: the service refuses other parts. */
function fileOf(form: HTMLFormElement): FormData {
  const data = new FormData();
  data.set('file', new FormData(form).get('file') ?? '');
  return data;
}

/** The file alone, which is sent as CSV. */
function rowsOf(form: HTMLFormElement): Blob {
  return new Blob([new FormData(form).get('file') ?? ''], { type: 'text/csv' });
}

function parseBody(text: string): object {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null) throw new Error('The body must be a JSON object');
  return value;
}

/** JSON over several lines, other text as it is. */
function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
