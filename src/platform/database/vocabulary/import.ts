import type { IssueCode } from '../../../core/error-codes.ts';
import type { Trace } from '../../../core/trace.ts';

/**
 * What the rows of an import make:
 * - `metadata`: documents
 * - `mints`: mints of documents that are there
 * - `tokens`: a document and its mint
 */
export const IMPORT_KINDS = ['metadata', 'mints', 'tokens'] as const;

export type ImportKind = (typeof IMPORT_KINDS)[number];

/**
 * How an import stands:
 * - `UPLOADING`: its file is being read
 * - `CHECKING`: its rows are being checked; nothing is made
 * - `CHECKED`: it can be started
 * - `RUNNING`: its rows are being accepted or refused
 * - `PAUSED`: it can be resumed
 * - `COMPLETED`: every row is accepted or refused
 * - `CANCELLED`: the rows that were not accepted never will be
 */
export const IMPORT_STATUSES = [
  'UPLOADING',
  'CHECKING',
  'CHECKED',
  'RUNNING',
  'PAUSED',
  'COMPLETED',
  'CANCELLED',
] as const;

export type ImportStatus = (typeof IMPORT_STATUSES)[number];

/** The states in which the service works on an import. */
export const ACTIVE_IMPORT_STATUSES = ['CHECKING', 'RUNNING'] as const satisfies readonly ImportStatus[];

/** Those in which it waits for its account. */
export const IDLE_IMPORT_STATUSES = ['UPLOADING', 'CHECKED', 'PAUSED'] as const satisfies readonly ImportStatus[];

/** Those in which it can never go on. */
export const ENDED_IMPORT_STATUSES = ['COMPLETED', 'CANCELLED'] as const satisfies readonly ImportStatus[];

/** A row of a file: its number as a spreadsheet or an editor shows it, and its cells; of JSON lines, the line. */
export interface ImportedRow {
  readonly row: number;
  readonly cells: readonly string[];
}

/** One thing wrong with a row. */
export interface ImportFault {
  readonly row: number;
  /** The column, or the field of a JSON line; null: the whole row. */
  readonly column: string | null;
  readonly code: IssueCode;
  readonly message: string;
}

/** That a row uses a token or a document. Two rows of one file must not use one resource for different holders. */
export interface ImportedUse {
  readonly row: number;
  readonly column: string;
  readonly resource: string;
  readonly holder: string;
  /** Whether the row has a fault of its own. */
  readonly isFaulty: boolean;
}

/** Who uploaded, started or resumed an import, for whom its rows are checked and accepted. */
export interface ImportCaller {
  /** The id of a key of the account; null: a global API key. */
  readonly keyId: string | null;
  readonly address: string | null;
  readonly requestId: string | null;
  readonly trace: Trace;
  /** Scheme and host that the request was sent to. */
  readonly origin: string;
}

/** Why an import does not go on for now. */
export interface ImportWait {
  readonly message: string;
  /** ISO 8601, UTC; null: until it is resumed. */
  readonly until: string | null;
}
