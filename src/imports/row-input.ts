import type { InputIssue } from '../core/domain-error.ts';
import type { ImportedRow } from '../platform/database/vocabulary/import.ts';
import { repeatedMember } from '../core/repeated-member.ts';
import { traitRule } from '../catalog/metadata/document.ts';
import { isRecord, valueAt } from '../catalog/metadata/json-value.ts';
import {
  BASE_SCHEMA_VERSION,
  DEFAULT_SCHEMA_VERSION,
  isSchemaVersion,
  isUtilityType,
  schemaOf,
  type SchemaVersion,
} from '../catalog/metadata/schemas.ts';
import { documentColumn, fieldOf, type Column } from './columns.ts';

/** What a row says, in the form of requests. */
export interface RowInput {
  readonly row: number;
  /** Undefined if the row cannot be read. */
  readonly input: Readonly<Record<string, unknown>> | undefined;
  /** What is wrong with the row before it is validated; paths are names of columns. */
  readonly issues: readonly InputIssue[];
  /** The column of a path in a document; null: the whole row. */
  readonly columnOf: (path: string) => string | null;
}

/** Whether a cell is a number as JSON writes it, without an exponent, and keeps all its digits. */
function isNumber(cell: string): boolean {
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(cell) && (cell.includes('.') || Number.isSafeInteger(Number(cell)));
}

/** Reads a line of JSON lines. */
export function lineInput({ row, cells: [line = ''] }: ImportedRow): RowInput {
  const { input, issue } = parsed(line);
  return { row, input, issues: issue === undefined ? [] : [issue], columnOf: fieldOf };
}

function parsed(line: string): { readonly input?: Readonly<Record<string, unknown>>; readonly issue?: InputIssue } {
  const notJson = { path: '', message: 'must be a JSON object', code: 'wrong_type' } as const;
  try {
    const input: unknown = JSON.parse(line);
    if (!isRecord(input)) return { issue: notJson };
    const path = repeatedMember(line);
    return path === undefined
      ? { input }
      : { input, issue: { path, message: 'can only be given once', code: 'not_allowed' } };
  } catch {
    return { issue: notJson };
  }
}

/**
 * Reads a row of CSV. An empty cell is a field that is absent. A cell is a number if the name of its column says so, or
 * the schema of the row's document does not let it be a text; otherwise it is a text.
 */
export function csvInput(columns: readonly Column[], { row, cells }: ImportedRow): RowInput {
  const filled = columns.flatMap((column, index) => {
    const cell = cells[index] ?? '';
    return cell === '' ? [] : [{ column, cell }];
  });
  const traits = filled.filter(({ column }) => 'trait' in column.at);
  const columnOf = (path: string) => documentColumn(path, { columns, traits: traits.map(({ column }) => column) });
  if (cells.length !== columns.length) {
    const message = `has ${cells.length} cells, and the header ${columns.length}`;
    return { row, input: undefined, issues: [{ path: '', message }], columnOf };
  }
  const issues = filled
    .filter(({ column, cell }) => column.isNumber && !isNumber(cell))
    .map(({ column }) => ({ path: column.name, message: 'must be a number', code: 'wrong_type' as const }));
  const textAt = (name: string) => filled.find(({ column }) => column.name === name)?.cell;
  const version = versionOf(textAt('schemaVersion'), textAt('utility.type'));
  const input: Record<string, unknown> = {};
  for (const { column, cell } of filled) {
    if ('path' in column.at) setAt(input, column.at.path, valueOf(cell, column, version));
  }
  if (traits.length > 0) {
    input['attributes'] = traits.map(({ column, cell }) => ({
      traitType: 'trait' in column.at ? column.at.trait : '',
      value: valueOf(cell, column, version),
    }));
  }
  return { row, input, issues, columnOf };
}

function versionOf(named: string | undefined, type: string | undefined): SchemaVersion {
  if (isSchemaVersion(named)) return named;
  return isUtilityType(type) ? DEFAULT_SCHEMA_VERSION[type] : BASE_SCHEMA_VERSION;
}

function valueOf(cell: string, { at, isNumber: isNumberByName }: Column, version: SchemaVersion): unknown {
  if ((isNumberByName || isNumberBySchema(at, version)) && isNumber(cell)) return Number(cell);
  return cell;
}

/** Whether the schema lets a value be a number, and no text. */
export function isNumberBySchema(at: Column['at'], version: SchemaVersion): boolean {
  const types = new Set([typeOf(at, version)].flat());
  return (types.has('number') || types.has('integer')) && !types.has('string');
}

function typeOf(at: Column['at'], version: SchemaVersion): unknown {
  if ('trait' in at) return valueAt(traitRule(at.trait, version), 'properties', 'value', 'type');
  if (at.path[0] === 'amount') return 'integer';
  return valueAt(schemaOf(version), ...at.path.flatMap((key) => ['properties', key]), 'type');
}

/** Sets a member of nested objects; no path of a file is the beginning of another. */
function setAt(root: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [key = '', ...rest] = path;
  if (rest.length === 0) {
    root[key] = value;
    return;
  }
  const inner = Object.hasOwn(root, key) ? root[key] : undefined;
  const child = isRecord(inner) ? inner : {};
  root[key] = child;
  setAt(child, rest, value);
}
