import { useState } from 'preact/hooks';
import { chainTitle } from '../shared/chains.ts';
import { Field } from '../shared/form.tsx';
import { HashPager } from '../shared/hash-pager.tsx';
import { Age, Panel, State } from '../shared/parts.tsx';
import { RecordTable, type Column } from '../shared/record-table.tsx';
import { useApi } from '../shared/service-api.ts';
import { useLive } from '../shared/use-live.ts';
import { useSending } from '../shared/use-sending.tsx';
import { NO_CONTRACT, useContractChoice, useTokenContracts } from './contract-choice.tsx';
import { downloadFile } from './download-file.ts';
import type { Contract, Import, List, ListedImport } from './replies.ts';
import { links, type Query } from './route.ts';

type ImportKind = ListedImport['kind'];

const KINDS: Readonly<Record<ImportKind, string>> = {
  tokens: 'Documents, and a mint of each',
  mints: 'Mints of existing documents',
  metadata: 'Documents',
};
const isKind = (text: string): text is ImportKind => Object.hasOwn(KINDS, text);

/** The published schemas of documents. */
const SCHEMAS = ['opensea_flexible@1.0.0', 'ticket_schema@1.0.0', 'coupon_schema@1.0.0', 'cert_schema@1.0.0'];

const COLUMNS: readonly Column<ListedImport>[] = [
  ['State', ({ status }) => <State name={status} />],
  ['Rows', ({ id, rows }) => <a href={links.import(id)}>{rows.toLocaleString('en')}</a>, 'number'],
  ['What', ({ kind }) => KINDS[kind]],
  ['Chain', ({ chainId }) => chainTitle(chainId)],
  ['Accepted', ({ accepted }) => accepted.toLocaleString('en'), 'number'],
  ['Refused', ({ refused }) => refused.toLocaleString('en'), 'number'],
  [
    'Uploaded',
    ({ createdAt }) => (
      <>
        <Age at={createdAt} /> ago
      </>
    ),
  ],
];

/** The form to upload a file, and the imports of the account. */
export function ImportsView({ query }: { readonly query: Query }) {
  const cursor = query.before ? `&cursor=${encodeURIComponent(query.before)}` : '';
  const live = useLive<List<ListedImport>>(`/imports?limit=25${cursor}`, 15);
  const { live: liveContracts, contracts } = useTokenContracts();
  return (
    <>
      <h1>Import</h1>
      <Panel title="A file" live={liveContracts}>
        <UploadForm contracts={contracts} />
      </Panel>
      <Panel title="Newest first" live={live}>
        <RecordTable
          label="Imports"
          items={live.data?.items ?? []}
          idOf={({ id }) => id}
          columns={COLUMNS}
          empty="No file was uploaded."
        />
        <HashPager query={query} next={live.data?.nextCursor ?? null} linkTo={links.imports} />
      </Panel>
    </>
  );
}

function UploadForm({ contracts }: { readonly contracts: readonly Contract[] }) {
  const api = useApi();
  const { isBusy, said, send } = useSending();
  const [kind, setKind] = useState<ImportKind>('tokens');
  const [schema, setSchema] = useState('opensea_flexible@1.0.0');
  const [file, setFile] = useState<File>();
  const { contract, field } = useContractChoice(contracts, '');
  if (contract === undefined) return NO_CONTRACT;
  const upload = (chosen: File) =>
    send(async () => {
      const target = new URLSearchParams({ kind, chainId: contract.chainId });
      if (kind !== 'metadata') target.set('contractAddress', contract.contractAddress ?? '');
      const isLines = /\.(?:jsonl|ndjson)$/i.test(chosen.name);
      const { id } = await api.send<Import>(`/imports?${target.toString()}`, {
        method: 'POST',
        body: chosen,
        headers: { 'content-type': isLines ? 'application/x-ndjson' : 'text/csv' },
      });
      location.hash = links.import(id);
      return 'Uploaded.';
    });
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (file !== undefined) void upload(file);
      }}
    >
      <Field label="What a row creates">
        <select onChange={({ currentTarget: { value } }) => isKind(value) && setKind(value)}>
          {Object.entries(KINDS).map(([name, text]) => (
            <option key={name} value={name} selected={name === kind}>
              {text}
            </option>
          ))}
        </select>
      </Field>
      {field(kind === 'metadata' ? 'For the chain of the contract' : 'Contract')}
      {kind !== 'mints' && (
        <Field label="Schema, for the template">
          <select onChange={(event) => setSchema(event.currentTarget.value)}>
            {SCHEMAS.map((name) => (
              <option key={name} value={name} selected={name === schema}>
                {name}
              </option>
            ))}
          </select>
        </Field>
      )}
      <Field label="File: CSV in UTF-8, or JSON lines">
        <input
          type="file"
          required
          accept=".csv,.tsv,.txt,.jsonl,.ndjson,text/csv"
          onChange={(event) => setFile(event.currentTarget.files?.[0])}
        />
      </Field>
      <div class="buttons row">
        <button type="submit" class="primary" disabled={isBusy}>
          Upload and check
        </button>
        <button
          type="button"
          disabled={isBusy}
          onClick={() => {
            const query = new URLSearchParams({ kind, schema });
            void send(
              async () => await downloadFile(api, `/imports/template?${query.toString()}`, `template-${kind}.csv`),
            );
          }}
        >
          Template
        </button>
      </div>
      <p class="muted row">Nothing is created until you have seen the result of the check and start the import.</p>
      {said}
    </form>
  );
}
