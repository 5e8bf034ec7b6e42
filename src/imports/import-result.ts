import type { ImportFault } from '../platform/database/vocabulary/import.ts';
import type { TenantServices } from '../services.ts';
import { csvLine } from './csv-line.ts';
import type { Import } from './imports.store.ts';
import { idsThere, nextChunks, orderResults } from './results.store.ts';
import { idsOfRows, type RowIds } from './row-ids.ts';

const COLUMNS = ['row', 'status', 'metadataId', 'orderId', 'tokenId', 'txHash', 'error'];
/** How many chunks are read at once. */
const READ_CHUNKS = 10;

interface ResultRow {
  readonly row: number;
  /** Undefined: it was not run. */
  readonly ids: RowIds | undefined;
  readonly refusals: readonly ImportFault[];
}

/** What has become of every row of an import so far, as CSV, in pieces. */
export async function* writeResult({ db }: TenantServices, { id, kind }: Import): AsyncGenerator<string> {
  yield csvLine(COLUMNS);
  for (let after = -1; ;) {
    const chunks = await nextChunks(db, id, after, READ_CHUNKS);
    const last = chunks.at(-1);
    if (last === undefined) return;
    after = last.place;
    const rows = chunks.flatMap(({ place, numbers, runAt, refusals }) => {
      const ids = runAt === null ? [] : idsOfRows(id, place, runAt, numbers.length);
      return numbers.map((row, index): ResultRow => ({
        row,
        ids: ids[index],
        refusals: refusals.filter((refusal) => refusal.row === row),
      }));
    });
    const ids = rows.flatMap((row) => row.ids ?? []);
    const [documents, orders] = await Promise.all([
      kind === 'mints'
        ? []
        : idsThere(
            db,
            'metadata',
            ids.map(({ metadataId }) => metadataId),
          ),
      kind === 'metadata'
        ? []
        : orderResults(
            db,
            ids.map(({ orderId }) => orderId),
          ),
    ]);
    const made = { documents: new Set(documents), orders: new Map(orders.map((order) => [order.id, order])) };
    yield rows.map((row) => csvLine(cellsOf(row, made))).join('');
  }
}

interface Made {
  readonly documents: ReadonlySet<string>;
  readonly orders: ReadonlyMap<string, Awaited<ReturnType<typeof orderResults>>[number]>;
}

/** What was made counts, whatever else is known of the row. */
function cellsOf({ row, ids, refusals }: ResultRow, { documents, orders }: Made): string[] {
  const order = orders.get(ids?.orderId ?? '');
  const document = documents.has(ids?.metadataId ?? '') ? ids?.metadataId : undefined;
  const status =
    order?.status ?? (refusals.length > 0 ? 'REFUSED' : document === undefined ? 'NOT_ACCEPTED' : 'CREATED');
  const error = order === undefined ? refusals.map(textOf).join('; ') : order.errorMessage;
  const { id, metadataId, tokenId, txHash } = order ?? { id: '', metadataId: document, tokenId: null, txHash: null };
  return [String(row), status, metadataId ?? '', id, tokenId ?? '', txHash ?? '', error ?? ''];
}

function textOf({ column, message }: ImportFault): string {
  return column === null ? message : `${column}: ${message}`;
}
