import { z } from 'zod';
import { ISSUE_CODES, isIssueCode } from '../core/error-codes.ts';
import { instantField, recordIdField } from '../core/fields.ts';
import { IMPORT_KINDS, IMPORT_STATUSES } from '../platform/database/vocabulary/import.ts';
import { chainIdReply, contractAddressReply } from '../core/reply-fields.ts';
import type { Import, ListedImport } from './imports.store.ts';

export const kindField = z.enum(IMPORT_KINDS);

const count = (description: string, example = 0) => z.int().meta({ description, example });

export const listedImportSchema = z
  .object({
    id: recordIdField.meta({ description: 'Id of the import' }),
    kind: kindField.meta({
      description: 'What a row creates. metadata: a document. mints: a mint. tokens: a document and its mint',
    }),
    status: z.enum(IMPORT_STATUSES).meta({
      description:
        'UPLOADING: the file is being read. CHECKING: its rows are being checked. CHECKED: it can be started. RUNNING: its rows are being accepted or rejected. PAUSED: it can be resumed. COMPLETED: every row was accepted or rejected; mints may still be under way. CANCELLED: no further row is accepted',
    }),
    chainId: chainIdReply,
    contractAddress: contractAddressReply.nullable().meta({ description: 'The contract; null for metadata' }),
    rows: count('Rows in the file, without the header and empty ones', 500),
    rowsChecked: count('Rows that were checked', 500),
    faultyRows: count('Rows with faults'),
    accepted: count('Rows that were accepted', 120),
    refused: count('Rows that were rejected; the result says why'),
    waiting: z
      .object({
        message: z
          .string()
          .meta({ description: 'Why, in words', example: 'The account has reached its limit of orders per day' }),
        until: instantField.nullable().meta({ description: 'When it retries, UTC; null: once it is resumed' }),
      })
      .nullable()
      .meta({ description: 'Why it is waiting; null if it is not' }),
    createdAt: instantField.meta({ description: 'When the upload began, UTC' }),
    startedAt: instantField.nullable().meta({ description: 'When it was started, UTC; null until then' }),
    endedAt: instantField.nullable().meta({ description: 'When it was COMPLETED or CANCELLED, UTC; null until then' }),
  })
  .meta({ id: 'ListedImport' });

export function listedImportReply(one: ListedImport): z.output<typeof listedImportSchema> {
  const { id, kind, status, chainId, contractAddress, rows, rowsChecked, faultyRows, accepted, refused, waiting } = one;
  return {
    id,
    kind,
    status,
    chainId,
    contractAddress,
    rows,
    rowsChecked,
    faultyRows,
    accepted,
    refused,
    waiting,
    createdAt: one.createdAt.toISOString(),
    startedAt: one.startedAt?.toISOString() ?? null,
    endedAt: one.endedAt?.toISOString() ?? null,
  };
}

const rowField = z.int().meta({
  description: 'Number of the row in the file: in CSV the header is row 1, in JSON lines the first line is',
  example: 2,
});

export const importSchema = listedImportSchema
  .extend({
    columns: z
      .array(z.string().meta({ description: 'Name of a column', example: 'tokenId' }))
      .nullable()
      .meta({ description: 'The columns of the file; null for JSON lines' }),
    preview: z
      .array(
        z.object({
          row: rowField,
          cells: z.array(z.string().meta({ description: 'A cell; of JSON lines, the line', example: '17' })).meta({
            description: 'The cells of the row, the first 100 characters of each',
          }),
        }),
      )
      .meta({ description: 'The first five rows, as they were read' }),
    faultCount: count('Faults that the check found'),
    faults: z
      .array(
        z.object({
          row: rowField,
          column: z.string().nullable().meta({
            description: 'The column, or the field of a JSON line; null: the whole row',
            example: 'receiverAddress',
          }),
          code: z.enum(Object.keys(ISSUE_CODES).filter(isIssueCode)).meta({
            description: 'What is wrong, for programs, as in `errors` of a rejected request',
            example: 'invalid_value',
          }),
          message: z.string().meta({ description: 'What is wrong, in words', example: 'must not be the zero address' }),
        }),
      )
      .meta({ description: 'The first 1,000 of them' }),
  })
  .meta({ id: 'Import' });

export function importReply(one: Import): z.output<typeof importSchema> {
  const { columns, preview, faultCount, faults } = one;
  return {
    ...listedImportReply(one),
    columns: columns === null ? null : [...columns],
    preview: preview.map(({ row, cells }) => ({ row, cells: [...cells] })),
    faultCount,
    faults: [...faults],
  };
}
