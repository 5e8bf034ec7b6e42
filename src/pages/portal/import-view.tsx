import { ActionButton } from '../shared/action-button.tsx';
import { chainTitle } from '../shared/chains.ts';
import { formatMoment } from '../shared/format.ts';
import { Panel, State } from '../shared/parts.tsx';
import { RecordTable, type Column } from '../shared/record-table.tsx';
import { useApi } from '../shared/service-api.ts';
import { useLive } from '../shared/use-live.ts';
import { useSending } from '../shared/use-sending.tsx';
import { downloadFile } from './download-file.ts';
import type { Import } from './replies.ts';

/** An import: how far it is, what its check has found, and what can be done with it. */
export function ImportView({ id }: { readonly id: string }) {
  const path = `/imports/${encodeURIComponent(id)}`;
  const live = useLive<Import>(path, 2);
  const one = live.data;
  return (
    <>
      <h1>Import</h1>
      <p class="muted mono wrap">{id}</p>
      <Panel title="Progress" live={live}>
        {one !== undefined && <Progress one={one} path={path} onChanged={live.refresh} />}
      </Panel>
      {one !== undefined && one.faultCount > 0 && <Faults one={one} />}
      {one !== undefined && one.preview.length > 0 && <Preview one={one} />}
    </>
  );
}

const number = (value: number) => value.toLocaleString('en');

function Progress({
  one,
  path,
  onChanged,
}: {
  readonly one: Import;
  readonly path: string;
  readonly onChanged: () => void;
}) {
  const api = useApi();
  const { isBusy, said, send } = useSending();
  const { id, kind, status, chainId, contractAddress, rows, rowsChecked, faultyRows, accepted, refused, waiting } = one;
  const isChecking = status === 'UPLOADING' || status === 'CHECKING';
  const done = isChecking ? rowsChecked : accepted + refused;
  const start = (skipFaulty: boolean) => async () => await api.post(`${path}/start`, { skipFaulty });
  return (
    <>
      <p>
        <State name={status} /> {number(rows)} rows of {kind} on {chainTitle(chainId)}
        {contractAddress !== null && (
          <>
            , contract <span class="mono wrap">{contractAddress}</span>
          </>
        )}
      </p>
      <label class="row">
        <span>{isChecking ? 'Checked' : 'Accepted or refused'}</span>
        <progress max={Math.max(1, rows)} value={done} />
      </label>
      <p role="status">
        {isChecking
          ? `${number(rowsChecked)} of ${number(rows)} rows are checked`
          : `${number(accepted)} rows accepted, ${number(refused)} rejected, ${number(rows - accepted - refused)} left`}
        {faultyRows === 0 ? '' : `; ${number(faultyRows)} have faults`}.
      </p>
      {waiting !== null && (
        <p class="note warn">
          It waits: {waiting.message}
          {waiting.until === null ? '' : `. It retries at ${formatMoment(waiting.until)}`}.
        </p>
      )}
      <div class="buttons">
        {status === 'CHECKED' && (
          <ActionButton
            text={faultyRows === 0 ? 'Start' : 'Start without the rows that have faults'}
            question={`${number(rows - faultyRows)} rows are accepted, one after the other. A mint cannot be undone.`}
            isDisabled={faultyRows === rows}
            act={start(faultyRows > 0)}
            onDone={onChanged}
          />
        )}
        {(status === 'RUNNING' || status === 'PAUSED') && (
          <button
            type="button"
            disabled={isBusy}
            onClick={() =>
              void send(async () => {
                await api.post(`${path}/${status === 'RUNNING' ? 'pause' : 'resume'}`);
                onChanged();
                return '';
              })
            }
          >
            {status === 'RUNNING' ? 'Pause' : 'Resume'}
          </button>
        )}
        {status !== 'COMPLETED' && status !== 'CANCELLED' && (
          <ActionButton
            text="Cancel"
            question="No further row is accepted. What was accepted stays."
            act={`${path}/cancel`}
            onDone={onChanged}
          />
        )}
        {one.startedAt !== null && (
          <button
            type="button"
            disabled={isBusy}
            onClick={() => void send(async () => await downloadFile(api, `${path}/result`, `import-${id}.csv`))}
          >
            Result
          </button>
        )}
      </div>
      {said}
    </>
  );
}

type Fault = Import['faults'][number];

const FAULT_COLUMNS: readonly Column<Fault & { readonly place: number }>[] = [
  ['Row', ({ row }) => number(row), 'number'],
  ['Column', ({ column }) => column ?? 'the whole row', 'wrap'],
  ['What is wrong', ({ message }) => message, 'wrap'],
];
/** So many faults are shown: enough to see what is wrong with a file. */
const SHOWN_FAULTS = 100;

function Faults({ one: { faults, faultCount } }: { readonly one: Import }) {
  const shown = faults.slice(0, SHOWN_FAULTS).map((fault, place) => ({ ...fault, place }));
  return (
    <Panel title={`${number(faultCount)} faults`}>
      {faultCount > shown.length && <p class="muted">The first {shown.length}.</p>}
      <RecordTable
        label="Faults"
        items={shown}
        idOf={({ place }) => String(place)}
        columns={FAULT_COLUMNS}
        empty="None."
      />
    </Panel>
  );
}

/** The first rows, as the service has read them. */
function Preview({ one: { columns, preview } }: { readonly one: Import }) {
  const titles = columns ?? ['Line'];
  const cells = titles.map((title, index): Column<Import['preview'][number]> => [
    title,
    (row) => row.cells[index],
    'wrap',
  ]);
  return (
    <Panel title="The first rows">
      <RecordTable
        label="The first rows"
        items={preview}
        idOf={({ row }) => String(row)}
        columns={[['Row', ({ row }) => row, 'number'], ...cells]}
        empty="None."
      />
    </Panel>
  );
}
