import { requireAllowedChain } from '../chains/allowed-chain.ts';
import { DomainError, invalidInput } from '../core/domain-error.ts';
import type { ImportKind, ImportedRow } from '../platform/database/vocabulary/import.ts';
import { missingContract } from '../catalog/contracts/missing-contract.ts';
import { findContractByAddress } from '../catalog/contracts/contracts.store.ts';
import type { LowerCaseAddress } from '../core/lower-case.ts';
import { callerOf, requireScopes, wakeImport } from './change-import.ts';
import type { TenantServices } from '../services.ts';
import { columnsOf } from './columns.ts';
import { csvRows, jsonLines, decodeText } from './file-rows.ts';
import { endUpload, type Import, insertChunks, insertImport, type NewChunk, removeUpload } from './imports.store.ts';
import { storableText } from './row-fault.ts';

export const MAX_FILE_BYTES = 100 * 1_024 * 1_024;
export const MAX_ROWS = 100_000;
/** The most bytes of files that an account has at a time. */
const MAX_ACCOUNT_BYTES = 1_024 * 1_024 * 1_024;
/** The most imports of an account that have not ended: each of them takes its turn. */
export const MAX_ACCOUNT_IMPORTS = 100;
/** As in the largest batch of orders. */
const CHUNK_ROWS = 100;
/** A chunk whose rows have so many characters as JSON gets no further row: some characters take six there. */
const CHUNK_LENGTH = 256 * 1_024;
/** Chunks that are stored at once. */
const STORED_CHUNKS = 10;
/** Rows of the preview, and the most characters of their cells. */
const PREVIEW_ROWS = 5;
const PREVIEW_LENGTH = 100;

export const FILE_FORMATS = { 'text/csv': 'csv', 'application/x-ndjson': 'jsonl' } as const;
type FileFormat = (typeof FILE_FORMATS)[keyof typeof FILE_FORMATS];

/** What the rows of a file are, and where they go. */
export interface ImportRequest {
  readonly kind: ImportKind;
  readonly chainId: string;
  readonly contractAddress?: LowerCaseAddress | undefined;
  readonly format: FileFormat;
}

/**
 * Reads a file as it arrives, and stores its rows to be checked. A file that cannot be read to its end leaves nothing.
 * @throws {DomainError} `invalid` for a file that cannot be read; `too-large`; `not-found` if the contract is not an
 *   ACTIVE one of the account; `forbidden`; `conflict` if the account has too many files.
 */
export async function acceptImport(
  services: TenantServices,
  request: ImportRequest,
  file: AsyncIterable<Uint8Array>,
): Promise<Import> {
  const { db, clock, requireStillAllowed } = services;
  await requireTarget(services, request);
  const id = services.newId();
  const { kind, chainId, contractAddress = null, format } = request;
  const caller = callerOf(services);
  const createdAt = new Date(clock.now());
  const values = { id, chainId, contractAddress, kind, caller, bytes: MAX_FILE_BYTES, createdAt };
  if (!(await insertImport(db, values, { bytes: MAX_ACCOUNT_BYTES, imports: MAX_ACCOUNT_IMPORTS }))) {
    throw new DomainError(
      'conflict',
      `The account has ${MAX_ACCOUNT_IMPORTS} unfinished imports, or 1 GB of their files: cancel some, or wait until they end`,
    );
  }
  try {
    const read = await storeRows(services, id, { kind, format }, file);
    await requireStillAllowed();
    const stored = await endUpload(db, id, read, new Date(clock.now()));
    if (stored === undefined) throw new DomainError('conflict', 'The import is CANCELLED');
    wakeImport(services, id);
    return stored;
  } catch (error) {
    await removeUpload(db, id).catch((failure: unknown) => services.log.warn('import.not_removed', { error: failure }));
    throw error;
  }
}

async function requireTarget(
  services: TenantServices,
  { kind, chainId, contractAddress }: ImportRequest,
): Promise<void> {
  requireScopes(services.actor, kind);
  requireAllowedChain(services.chains, chainId);
  if (kind === 'metadata') {
    if (contractAddress === undefined) return;
    throw invalidInput([{ path: 'contractAddress', code: 'not_allowed', message: 'must be absent for metadata' }]);
  }
  if (contractAddress === undefined) {
    throw invalidInput([{ path: 'contractAddress', code: 'required', message: 'is required' }]);
  }
  const place = { chainId, contractAddress };
  const contract = await findContractByAddress(services.db, chainId, contractAddress);
  if (contract === undefined || contract.ercStandard === 'Forwarder') throw await missingContract(services.db, place);
}

type ReadFile = Pick<Import, 'columns' | 'preview' | 'bytes' | 'rows' | 'chunks'>;

async function storeRows(
  { db, clock }: TenantServices,
  id: string,
  { kind, format }: Pick<ImportRequest, 'kind' | 'format'>,
  file: AsyncIterable<Uint8Array>,
): Promise<ReadFile> {
  const read = { columns: null as string[] | null, preview: [] as ImportedRow[], bytes: 0, rows: 0, chunks: 0 };
  const text = decodeText(counted(file, (length) => (read.bytes += length)));
  const lines = format === 'csv' ? csvRows(text) : jsonLines(text);
  if (format === 'csv') {
    const header = await lines.next();
    read.columns = columnsOf(kind, header.done === true ? [] : header.value.cells).map(({ name }) => name);
  }
  let chunks: NewChunk[] = [];
  const store = async () => {
    if (chunks.length > 0) await insertChunks(db, id, chunks, new Date(clock.now()));
    chunks = [];
  };
  for await (const rows of chunksOf(lines)) {
    read.rows += rows.length;
    if (read.rows > MAX_ROWS) throw new DomainError('too_large', `The file has more than ${MAX_ROWS} rows`);
    read.preview.push(...rows.slice(0, PREVIEW_ROWS - read.preview.length).map(shortened));
    chunks.push({ place: read.chunks, rows });
    read.chunks += 1;
    if (chunks.length === STORED_CHUNKS) await store();
  }
  await store();
  if (read.rows === 0) throw new DomainError('malformed_body', 'The file has no rows');
  return read;
}

async function* counted(file: AsyncIterable<Uint8Array>, count: (length: number) => void): AsyncGenerator<Uint8Array> {
  for await (const bytes of file) {
    count(bytes.length);
    yield bytes;
  }
}

async function* chunksOf(rows: AsyncIterable<ImportedRow>): AsyncGenerator<ImportedRow[]> {
  let chunk: ImportedRow[] = [];
  let length = 0;
  for await (const row of rows) {
    chunk.push(row);
    length += JSON.stringify(row.cells).length;
    if (chunk.length < CHUNK_ROWS && length < CHUNK_LENGTH) continue;
    yield chunk;
    chunk = [];
    length = 0;
  }
  if (chunk.length > 0) yield chunk;
}

/** As it is shown, and can be stored as JSON. */
function shortened({ row, cells }: ImportedRow): ImportedRow {
  return { row, cells: cells.map((cell) => storableText(cell.slice(0, PREVIEW_LENGTH))) };
}
