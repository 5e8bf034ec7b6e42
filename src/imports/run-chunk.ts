import { DomainError, isTemporary } from '../core/domain-error.ts';
import type { ImportFault, ImportedUse } from '../platform/database/vocabulary/import.ts';
import { insertMetadata } from '../catalog/metadata/metadata.store.ts';
import { UNLISTED_STATUS } from '../catalog/metadata/create-metadata.ts';
import { acceptMints } from '../orders/mint/accept-mints.ts';
import type { TenantServices } from '../services.ts';
import { type CheckedRow, checkRows, type IdentifiedRow, type ImportTarget } from './check-rows.ts';
import { rivalFault, rowFault } from './row-fault.ts';
import { idsThere } from './results.store.ts';

/** How many reasons for which a row is refused are kept. */
export const KEPT_REFUSALS = 3;

/** How the rows of a chunk have ended. */
export interface ChunkRun {
  readonly accepted: number;
  readonly refused: number;
  /** Why, for each refused row. */
  readonly refusals: readonly ImportFault[];
  /** Why some rows could be neither accepted nor refused: the chunk is to be run again. */
  readonly notNow: DomainError | undefined;
}

/**
 * Makes what the rows of a chunk are for, as POST /metadata and POST /minting/orders/batch do. What an earlier run has
 * made is there, and is not made again.
 * @param servicesForChange Makes the services for one change.
 * @param chunk `faulty` are the faults for which its rows are left out, whatever has become of them since the check.
 */
export async function runChunk(
  servicesForChange: () => TenantServices,
  target: ImportTarget,
  { rows, faulty }: { readonly rows: readonly IdentifiedRow[]; readonly faulty: readonly ImportFault[] },
): Promise<ChunkRun> {
  const services = servicesForChange();
  const there = await rowsThere(services, target, rows);
  const leftOut = new Set(faulty.map(({ row }) => row));
  const left = rows.filter(({ row }) => !there.has(row) && !leftOut.has(row));
  let checked: readonly CheckedRow[];
  try {
    checked = await checkRows(services, target, left);
  } catch (error) {
    if (isTemporary(error)) {
      return { accepted: there.size, refused: 0, refusals: [], notNow: error };
    }
    throw error;
  }
  const results = await make(servicesForChange, withoutRivals(checked));
  const found = results.flatMap((result) => (result instanceof DomainError ? [] : result.slice(0, KEPT_REFUSALS)));
  // What another run of the chunk has made meanwhile is in the way of the same rows.
  const made = found.length === 0 ? there : await rowsThere(services, target, left);
  const refusals = [...faulty, ...found.filter(({ row }) => !made.has(row))];
  const refused = new Set(refusals.map(({ row }) => row)).size;
  const notNow = results.find((result) => result instanceof DomainError);
  const waiting = results.filter((result) => result instanceof DomainError).length;
  return { accepted: rows.length - refused - waiting, refused, refusals, notNow };
}

/** The numbers of the rows that are made. */
async function rowsThere(
  { db }: TenantServices,
  { kind }: ImportTarget,
  rows: readonly IdentifiedRow[],
): Promise<ReadonlySet<number>> {
  const madeId = ({ ids }: IdentifiedRow) => (kind === 'metadata' ? ids.metadataId : ids.orderId);
  const ids = new Set(await idsThere(db, kind, rows.map(madeId)));
  return new Set(rows.filter((row) => ids.has(madeId(row))).map(({ row }) => row));
}

/** Refuses the rows that use what an earlier one of the chunk uses: each finds it free. */
function withoutRivals(checked: readonly CheckedRow[]): CheckedRow[] {
  const firsts = new Map<string, ImportedUse>();
  return checked.map((one) => {
    const rival = one.uses.find(({ resource, holder }) => (firsts.get(resource)?.holder ?? holder) !== holder);
    if (one.faults.length > 0) return one;
    if (rival !== undefined) {
      const faults = [rivalFault(rival, firsts.get(rival.resource)?.row ?? 0)];
      return { ...one, faults, document: undefined, order: undefined };
    }
    for (const use of one.uses) if (!firsts.has(use.resource)) firsts.set(use.resource, use);
    return one;
  });
}

/** What has become of a row: none of these faults, or why it cannot be told yet. */
type RowResult = readonly ImportFault[] | DomainError;

/** Makes what rows without faults are for. */
async function make(servicesForChange: () => TenantServices, checked: readonly CheckedRow[]): Promise<RowResult[]> {
  const documents = checked.flatMap(({ document }) => document ?? []);
  const stored = documents.length === 0 ? [] : await insertMetadata(servicesForChange().db, documents);
  const isStored = new Set(stored.map(({ id }) => id));
  const orders = checked.flatMap(({ document, order }) =>
    order === undefined || (document !== undefined && !isStored.has(document.id)) ? [] : [order],
  );
  const accepted = orders.length === 0 ? undefined : await acceptMints(servicesForChange(), orders);
  return checked.map(({ row, faults, document, order }): RowResult => {
    if (faults.length > 0) return faults;
    if (document !== undefined && !isStored.has(document.id)) {
      return [{ row, column: 'utility.data.status', code: UNLISTED_STATUS.code, message: UNLISTED_STATUS.message }];
    }
    const result = order === undefined ? undefined : accepted?.get(order.id);
    return result instanceof DomainError ? rowRefusal(row, result) : [];
  });
}

/** A refusal that may pass is none yet. */
function rowRefusal(row: number, refusal: DomainError): RowResult {
  const { message, issues } = refusal;
  if (isTemporary(refusal)) return refusal;
  return (issues ?? [{ path: '', message }]).map((issue) => rowFault(row, issue));
}
