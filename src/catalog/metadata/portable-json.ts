import canonicalize from 'canonicalize';
import { sha256, type Hex } from 'viem';
import type { InputIssue } from '../../core/domain-error.ts';
import { textIssue } from '../../core/fields.ts';
import { childPath, isRecord } from './json-value.ts';

/** What the JSON parsers of all languages can read: some refuse deeper nesting. */
const MAX_DEPTH = 64;
/** The longest path of an issue, in UTF-16 code units. */
const MAX_PATH_LENGTH = 2_048;
/** Outside this range, JSON libraries of some languages (Java first) write a fraction with an exponent. */
const SMALLEST_FRACTION = 1e-3;
const LARGEST_FRACTION = 1e7;

const UNPORTABLE_NUMBER =
  'is a number that not every language writes the same way: a certificate may have whole numbers up to ' +
  `${Number.MAX_SAFE_INTEGER} and fractions from ${SMALLEST_FRACTION} up to ${LARGEST_FRACTION}, ` +
  'of either sign; send it as a string';
const AMBIGUOUS_ORDER =
  'has keys that not every language sorts the same way: where they first differ, one has a character from ' +
  'U+10000 on and another a character from U+E000 to U+FFFF';

/** A value in a document. */
interface Node {
  readonly path: string;
  /** Whether the path is of a container around it, because its own is too long. */
  readonly isInside: boolean;
  /** 0 for the document itself. */
  readonly depth: number;
  readonly value: unknown;
}

/** What is wrong with a value; of a container, with its keys and not with what is in it. */
type Rule = (node: Node) => readonly (string | undefined)[];

/** The issues of a value and of its descendants, down to the maximum depth. */
function* issuesIn(node: Node, rule: Rule): Generator<InputIssue> {
  const { path, isInside, depth, value } = node;
  for (const message of rule(node)) {
    if (message !== undefined) yield { path, message: isInside ? `has a value inside that ${message}` : message };
  }
  if (!isContainer(value) || depth === MAX_DEPTH) return;
  for (const [key, member] of Object.entries(value)) {
    const own = childPath(path, Array.isArray(value) ? Number(key) : key);
    const isTooLong = isInside || own.length > MAX_PATH_LENGTH;
    yield* issuesIn({ path: isTooLong ? path : own, isInside: isTooLong, depth: depth + 1, value: member }, rule);
  }
}

const rootOf = (value: unknown): Node => ({ path: '$', isInside: false, depth: 0, value });

/** What cannot be stored and served unchanged: invalid text, infinite numbers, deep nesting. */
export const storageIssues = (document: unknown) => issuesIn(rootOf(document), unstorable);

/**
 * What programs in other languages could serialise differently when they canonicalise a certificate, which would change
 * its hash: some numbers, and the order of some keys.
 */
export const portabilityIssues = (document: unknown) => issuesIn(rootOf(document), unportable);

function unstorable({ value, depth }: Node): (string | undefined)[] {
  if (typeof value === 'string') return [textIssue(value)];
  if (typeof value === 'number' && !Number.isFinite(value)) return ['must be a number that fits into a 64-bit float'];
  if (!isContainer(value)) return [];
  const keys = Object.keys(value);
  return [
    ...Array.from(new Set(keys.map(textIssue)), (reason) => reason && `has a key that ${reason}`),
    depth === MAX_DEPTH && keys.length > 0 ? `must not be nested deeper than ${MAX_DEPTH} levels` : undefined,
  ];
}

function unportable({ value }: Node): string[] {
  if (typeof value === 'number') return Number.isFinite(value) && !isPortable(value) ? [UNPORTABLE_NUMBER] : [];
  return isRecord(value) && hasAmbiguousOrder(Object.keys(value)) ? [AMBIGUOUS_ORDER] : [];
}

function isPortable(value: number): boolean {
  if (Number.isInteger(value)) return Number.isSafeInteger(value);
  const size = Math.abs(value);
  return size >= SMALLEST_FRACTION && size < LARGEST_FRACTION;
}

/** RFC 8785 sorts keys by UTF-16 code units; most languages sort by code points. */
function hasAmbiguousOrder(keys: readonly string[]): boolean {
  const byCodeUnits = keys.toSorted();
  return byCodeUnits.some((key, index) => compareCodePoints(byCodeUnits[index - 1] ?? '', key) > 0);
}

function compareCodePoints(a: string, b: string): number {
  let index = 0;
  while (index < a.length && a[index] === b[index]) index += 1;
  // If they first differ in the second half of a surrogate pair, the shared first half does not affect the order.
  return (a.codePointAt(index) ?? -1) - (b.codePointAt(index) ?? -1);
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Canonical JSON (RFC 8785). @param value A value that `JSON.parse` can return. */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new Error('Only JSON has a canonical form');
  return text;
}

/**
 * The hash that a certificate has on chain: SHA-256 over the canonical JSON, in UTF-8, of exactly the document that the
 * public endpoint serves.
 */
export function certificateHash(document: unknown): Hex {
  return sha256(new TextEncoder().encode(canonicalJson(document)));
}
