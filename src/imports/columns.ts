import type { ImportKind } from '../platform/database/vocabulary/import.ts';
import { DomainError, type InputIssue, invalidInput, listedIssues } from '../core/domain-error.ts';
import { textIssue } from '../core/fields.ts';
import { unknownName } from '../core/validation-messages.ts';
import { requestNameOf, UTILITY_KEYS } from '../catalog/metadata/document.ts';
import { mapTexts, TEXT_KEYS } from '../catalog/metadata/document-texts.ts';
import { childPath } from '../catalog/metadata/json-value.ts';

interface MintField {
  readonly name: 'receiverAddress' | 'tokenId' | 'amount' | 'metadataId' | 'tokenUri' | 'metadataHash';
  readonly isRequired: boolean;
}

const TOKEN: readonly MintField[] = [
  { name: 'receiverAddress', isRequired: true },
  { name: 'tokenId', isRequired: true },
  { name: 'amount', isRequired: false },
];

/** The fields of POST /minting/order that the rows of each kind have; the import has the chain and the contract. */
export const MINT_FIELDS = {
  metadata: [],
  mints: [
    ...TOKEN,
    { name: 'metadataId', isRequired: true },
    { name: 'tokenUri', isRequired: false },
    { name: 'metadataHash', isRequired: false },
  ],
  tokens: TOKEN,
} as const satisfies Record<ImportKind, readonly MintField[]>;

const ATTRIBUTE = 'attributes.';
const DATA = 'utility.data.';
/** Behind the name of a column whose cells are numbers although they could be texts. */
export const NUMBER = ':number';
const MAX_COLUMNS = 500;

/** A column of a file: what its cells are. */
export interface Column {
  /** As the file has it. */
  readonly name: string;
  /** Where the cell is in a request; of a trait, its name. */
  readonly at: { readonly trait: string } | { readonly path: readonly string[] };
  /** Whether its name says that its cells are numbers. */
  readonly isNumber: boolean;
}

const required = Object.values(mapTexts((text) => text));
const requiredTexts = Object.keys(TEXT_KEYS).filter((_, index) => required[index]?.isRequired === true);
const DOCUMENT_COLUMNS = [...Object.keys(TEXT_KEYS), 'schemaVersion', 'utility.type', 'utility.validationUrl'];

/** The columns that every file of a kind must have. */
function requiredColumns(kind: ImportKind): string[] {
  const ofDocument = kind === 'mints' ? [] : [...requiredTexts, 'utility.type'];
  return [...MINT_FIELDS[kind].filter(({ isRequired }) => isRequired).map(({ name }) => name), ...ofDocument];
}

/**
 * The columns of a file, by its header.
 * @throws {DomainError} `invalid` with every column that is unknown, missing or there twice.
 */
export function columnsOf(kind: ImportKind, header: readonly string[]): Column[] {
  if (header.length > MAX_COLUMNS) throw new DomainError('too_large', `The file has more than ${MAX_COLUMNS} columns`);
  const known = [...MINT_FIELDS[kind].map(({ name }) => name), ...(kind === 'mints' ? [] : DOCUMENT_COLUMNS)];
  const columns = header.map((text) => columnOf(text.trim(), known, kind));
  const issues = columns.flatMap((column, index) => ('issue' in column ? [column.issue] : issuesOf(column, index)));
  const missing = requiredColumns(kind)
    .filter((name) => !header.some((text) => text.trim() === name))
    .map((path): InputIssue => ({ path, message: 'must be one of the columns', code: 'required' }));
  if (issues.length + missing.length > 0) throw invalidInput(listedIssues([...missing, ...issues]));
  return columns.flatMap((column) => ('issue' in column ? [] : [column]));

  /** The issues of a column that another one before it contradicts. */
  function issuesOf({ name, at }: Column, index: number): InputIssue[] {
    const key = keyOf(at);
    const isTwice = columns.slice(0, index).some((other) => {
      if ('issue' in other) return false;
      const [one, two] = [`${keyOf(other.at)}\n`, `${key}\n`];
      return one.startsWith(two) || two.startsWith(one);
    });
    return isTwice ? [{ path: name, message: 'can only be given once', code: 'not_allowed' }] : [];
  }
}

function keyOf(at: Column['at']): string {
  return 'trait' in at ? `@${at.trait}` : at.path.join('\n');
}

function columnOf(name: string, known: readonly string[], kind: ImportKind): Column | { readonly issue: InputIssue } {
  if (known.includes(name)) return { name, at: { path: name.split('.') }, isNumber: false };
  const unstorable = textIssue(name);
  if (unstorable !== undefined) return { issue: { path: name, message: unstorable } };
  const isNumber = name.endsWith(NUMBER);
  const bare = isNumber ? name.slice(0, -NUMBER.length) : name;
  if (kind !== 'mints') {
    const trait = bare.startsWith(ATTRIBUTE) ? bare.slice(ATTRIBUTE.length) : '';
    if (trait !== '') return { name, at: { trait }, isNumber };
    const path = bare.split('.');
    if (bare.startsWith(DATA) && path.every((key) => key !== '' && key !== '__proto__')) {
      return { name, at: { path }, isNumber };
    }
  }
  return { issue: unknownName(name, known, 'column') };
}

/** The column of a path in a document, `$.utility.data.seat`, by the columns of the row's traits, in their order. */
export function documentColumn(
  path: string,
  { columns, traits }: { readonly columns: readonly Column[]; readonly traits: readonly Column[] },
): string | null {
  const [, index] = /^\$\.attributes\[(\d+)\]/.exec(path) ?? [];
  // The Status trait is a copy.
  if (index !== undefined) return traits[Number(index)]?.name ?? `${DATA}status`;
  const column = columns.find(({ at }) => 'path' in at && documentPath(at.path) === path);
  return column?.name ?? fieldOf(path);
}

function documentPath([first = '', second = '', ...rest]: readonly string[]): string {
  const texts: Readonly<Record<string, string>> = TEXT_KEYS;
  const ofUtility: Readonly<Record<string, string>> = UTILITY_KEYS;
  const keys = first === 'utility' ? [first, ofUtility[second] ?? second, ...rest] : [texts[first] ?? first];
  return keys.reduce<string>(childPath, '$');
}

/** The field of a request at a path of a document; null for the whole. */
export function fieldOf(path: string): string | null {
  const name = requestNameOf(path);
  const field = path.replace(/^\$\.?/, '');
  if (field === '') return null;
  return name === undefined ? field : field.replace(/\w+$/, name);
}
