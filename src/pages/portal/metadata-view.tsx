import { useState } from 'preact/hooks';
import { ActionButton } from '../shared/action-button.tsx';
import { fieldText } from '../shared/field-text.ts';
import { formatMoment } from '../shared/format.ts';
import { Panel } from '../shared/parts.tsx';
import { shortText } from '../shared/short-text.ts';
import { useApi } from '../shared/service-api.ts';
import { useLive, type Live } from '../shared/use-live.ts';
import { Field } from '../shared/form.tsx';
import { AddressHex } from './order-parts.tsx';
import type { List, Metadata, MetadataVersion } from './replies.ts';
import { chainTitle } from '../shared/chains.ts';
import { useSending } from '../shared/use-sending.tsx';

/** A document: what it says now, its status, its edit and its earlier versions. */
export function MetadataView({ id }: { readonly id: string }) {
  const path = `/metadata/${encodeURIComponent(id)}`;
  const live = useLive<Metadata>(path, 15);
  const versions = useLive<List<MetadataVersion>>(`${path}/versions?limit=20`, 15);
  const document = live.data;
  const refresh = () => {
    live.refresh();
    versions.refresh();
  };
  return (
    <>
      <h1 class="wrap">{shortText(document?.name ?? id)}</h1>
      {document !== undefined && <Facts document={document} />}
      <div class="grid">
        <Panel title="Status" live={live}>
          {document !== undefined && <StatusForm document={document} path={path} onChanged={refresh} />}
        </Panel>
        <Panel title="Edit" live={live}>
          {document !== undefined && <EditForm document={document} path={path} onChanged={refresh} />}
        </Panel>
        <Panel title="The document" live={live} isWide>
          <pre tabindex={0}>{JSON.stringify(document?.standardFields, null, 2)}</pre>
        </Panel>
        <Versions live={versions} />
      </div>
    </>
  );
}

function Facts({ document }: { readonly document: Metadata }) {
  const { utility, chainId, contractAddress, tokenId, holder, version, frozenAt } = document;
  return (
    <p>
      {utility.type} on {chainTitle(chainId)}, version {version}
      {frozenAt === null ? '' : `, frozen since ${formatMoment(frozenAt)}`};{' '}
      {tokenId === '' ? 'not minted yet' : `token ${tokenId} of `}
      {tokenId !== '' && <span class="mono wrap">{contractAddress}</span>}
      {holder !== null && (
        <>
          , held by <AddressHex chainId={chainId} address={holder} />
        </>
      )}
    </p>
  );
}

interface FormProps {
  readonly document: Metadata;
  readonly path: string;
  readonly onChanged: () => void;
}

function StatusForm({ document, path, onChanged }: FormProps) {
  const api = useApi();
  const { isBusy, said, send } = useSending();
  const { currentStatus, utility } = document;
  if (utility.type === 'Certificate') return <p class="muted">A certificate has no status that changes.</p>;
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        const status = fieldText(event.currentTarget, 'status');
        void send(async () => {
          // Somebody else may have changed it since it was read.
          await api.post(`${path}/status`, { status, expected: currentStatus });
          onChanged();
          return `The status is ${status}.`;
        });
      }}
    >
      <p class="row">Now: {currentStatus ?? 'none'}</p>
      <Field label="New status">
        <input name="status" required maxlength={64} />
      </Field>
      <button type="submit" class="primary" disabled={isBusy}>
        Set status
      </button>
      {said}
    </form>
  );
}

/** The texts that are edited: the name in the API, what it is called, and whether it must stay. */
const TEXTS = [
  ['name', 'Name', true],
  ['description', 'Description', false],
  ['imageUrl', 'URL of the picture', true],
  ['externalUrl', 'URL of a page about it', false],
  ['animationUrl', 'URL of media', false],
] as const;

/** What is written here stays while the document changes; a save is refused then, and nobody's change is lost. */
function EditForm({ document: newest, path, onChanged }: FormProps) {
  const api = useApi();
  const { isBusy, said, send } = useSending();
  const [edited, setEdited] = useState<Metadata | undefined>();
  const document = edited ?? newest;
  if (document.utility.type === 'Certificate') return <p class="muted">A certificate is never edited.</p>;
  if (document.frozenAt !== null) return <p class="muted">It is frozen: only its status changes.</p>;
  return (
    <form
      key={document.version}
      class="form"
      onInput={() => setEdited(document)}
      onSubmit={(event) => {
        event.preventDefault();
        const form = event.currentTarget;
        void send(async () => {
          const patch = patchOf(document, form);
          if (Object.keys(patch).length === 0) return 'Nothing is different.';
          const headers = { 'if-match': `"${document.version}"` };
          await api.send(path, { method: 'PATCH', body: patch, headers });
          setEdited(undefined);
          onChanged();
          return 'Saved.';
        });
      }}
    >
      {TEXTS.map(([name, label, isRequired]) => (
        <Field key={name} label={label}>
          <input name={name} defaultValue={document[name] ?? ''} required={isRequired} />
        </Field>
      ))}
      <label class="row">
        <span>Traits, as JSON</span>
        <textarea name="attributes" rows={6} spellcheck={false} defaultValue={traitsText(document)} />
      </label>
      {document.version !== newest.version && (
        <p class="note warn row">
          Version {newest.version} exists by now, so that this cannot be saved.{' '}
          <button type="button" onClick={() => setEdited(undefined)}>
            Discard it, and edit version {newest.version}
          </button>
        </p>
      )}
      <div class="buttons row">
        <button type="submit" class="primary" disabled={isBusy}>
          Save as version {document.version + 1}
        </button>
        <ActionButton
          text="Freeze"
          question="It can never be edited again. Only its status still changes."
          act={`${path}/freeze`}
          onDone={onChanged}
        />
      </div>
      {said}
    </form>
  );
}

/** The trait Status is that of the document, and not edited here. */
const traitsText = ({ attributes }: Metadata) =>
  JSON.stringify(
    attributes.filter(({ traitType }) => traitType !== 'Status'),
    null,
    1,
  );

/** What of the document the form changes; null removes a text. @throws when the traits are no JSON. */
function patchOf(document: Metadata, form: HTMLFormElement): Record<string, unknown> {
  const patch: Record<string, unknown> = {};
  for (const [name] of TEXTS) {
    const text = fieldText(form, name);
    if (text !== (document[name] ?? '')) patch[name] = text === '' ? null : text;
  }
  const traits = fieldText(form, 'attributes');
  if (traits !== traitsText(document)) patch['attributes'] = JSON.parse(traits);
  return patch;
}

function Versions({ live }: { readonly live: Live<List<MetadataVersion>> }) {
  const { items = [] } = live.data ?? {};
  return (
    <Panel title="Earlier versions" live={live} isWide>
      {items.length === 0 && <p class="muted">None: it was never changed.</p>}
      {items.map(({ version, currentStatus, replacedAt, replacedByKeyId, standardFields }) => (
        <details key={version}>
          <summary>
            Version {version}
            {currentStatus === null ? '' : `, ${currentStatus}`}, until {formatMoment(replacedAt)}
            {replacedByKeyId === null ? '' : `, replaced with the key ${replacedByKeyId}`}
          </summary>
          <pre tabindex={0}>{JSON.stringify(standardFields, null, 2)}</pre>
        </details>
      ))}
    </Panel>
  );
}
