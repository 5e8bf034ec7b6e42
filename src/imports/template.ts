import type { ImportKind } from '../platform/database/vocabulary/import.ts';
import { contentOf } from '../catalog/metadata/document.ts';
import { isRecord } from '../catalog/metadata/json-value.ts';
import { DEFAULT_SCHEMA_VERSION, SCHEMA_EXAMPLES, type SchemaVersion } from '../catalog/metadata/schemas.ts';
import { type Column, MINT_FIELDS, NUMBER } from './columns.ts';
import { csvLine } from './csv-line.ts';
import { isNumberBySchema } from './row-input.ts';

/** Has spreadsheets read the file as UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF';

const MINT_EXAMPLES = {
  receiverAddress: '0x8ba1f109551bD432803012645Ac136ddd64DBA72',
  tokenId: '1',
  amount: '',
  metadataId: '0190f3c1a2b4d5e6f7a8b9c0',
  tokenUri: '',
  metadataHash: '',
};

/** A file with the columns of a kind, and of the documents of a schema, with one row as an example. */
export function templateOf(kind: ImportKind, schema: SchemaVersion = DEFAULT_SCHEMA_VERSION.Flexible): string {
  const mint = MINT_FIELDS[kind].map(({ name }): [string, string] => [name, MINT_EXAMPLES[name]]);
  const columns = [...mint, ...(kind === 'mints' ? [] : documentCells(schema))];
  return BYTE_ORDER_MARK + csvLine(columns.map(([name]) => name)) + csvLine(columns.map(([, cell]) => cell));
}

function documentCells(schema: SchemaVersion): [string, string][] {
  const { attributes, utility, ...texts } = contentOf(SCHEMA_EXAMPLES[schema]);
  const cell = (name: string, at: Column['at'], value: unknown): [string, string] => {
    const isMarked = typeof value === 'number' && !isNumberBySchema(at, schema);
    return [isMarked ? `${name}${NUMBER}` : name, String(value)];
  };
  return [
    ...leavesOf({ ...texts, utility }).map(({ path, value }) => cell(path.join('.'), { path }, value)),
    // The Status trait is a copy.
    ...attributes
      .filter(({ traitType }) => traitType !== 'Status')
      .map(({ traitType, value }) => cell(`attributes.${traitType}`, { trait: traitType }, value)),
    ['schemaVersion', schema],
  ];
}

function leavesOf(
  value: unknown,
  path: readonly string[] = [],
): { readonly path: readonly string[]; readonly value: unknown }[] {
  return isRecord(value)
    ? Object.entries(value).flatMap(([key, member]) => leavesOf(member, [...path, key]))
    : [{ path, value }];
}
