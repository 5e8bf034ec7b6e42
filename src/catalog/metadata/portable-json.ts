import canonicalize from 'canonicalize';
import { sha256, type Hex } from 'viem';
import type { InputIssue } from '../../core/domain-error.ts';
import { textIssue } from '../../core/fields.ts';
import { childPath } from './json-value.ts';

/** What the JSON parsers of all languages can read: some refuse deeper nesting. */
const MAX_DEPTH = 64;
/** The longest path of an issue, in UTF-16 code units. */
const MAX_PATH_LENGTH = 2_048;
/** Outside this range, JSON libraries of some languages (Java first) write a fraction with an exponent. */
const SMALLEST_FRACTION = 1e-3;
const LARGEST_FRACTION = 1e7;

interface Node {
  readonly path: string;
  /** Whether the path is of a container around it, because its own is too long. */
  readonly isInside: boolean;
  /** 0 for the document itself. */
  readonly depth: number;
  readonly value: unknown;
}

const rootOf = (value: unknown): Node => ({ path: '$', isInside: false, depth: 0, value });

/** What cannot be stored and served unchanged: invalid text, infinite numbers, deep nesting. */
export function* storageIssues(document: unknown): Generator<InputIssue> {
  for (const node of nodesOf(rootOf(document))) {
    for (const message of storageIssuesAt(node)) yield issueAt(node, message);
  }
}

function issueAt({ path, isInside }: Node, message: string): InputIssue {
  return { path, message: isInside ? `has a value inside that ${message}` : message };
}

function storageIssuesAt({ depth, value }: Node): Iterable<string> {
  const messages = new Set<string>();
  if (typeof value === 'string') {
    const reason = textIssue(value);
    if (reason !== undefined) messages.add(reason);
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) messages.add('must be a number that fits into a 64-bit float');
  } else if (isContainer(value)) {
    const keys = Object.keys(value);
    for (const reason of keys.map(textIssue)) if (reason !== undefined) messages.add(`has a key that ${reason}`);
    if (depth === MAX_DEPTH && keys.length > 0) messages.add(`must not be nested deeper than ${MAX_DEPTH} levels`);
  }
  return messages;
}

/**
 * What programs in other languages could serialise differently when they canonicalise a certificate, which would change
 * its hash: some numbers, and the order of some keys.
 */
export function* portabilityIssues(document: unknown): Generator<InputIssue> {
  for (const node of nodesOf(rootOf(document))) {
    const { value } = node;
    if (typeof value === 'number' && Number.isFinite(value) && !isPortable(value)) {
      yield issueAt(
        node,
        `is a number that not every language writes the same way: a certificate may have whole numbers up to ` +
          `${Number.MAX_SAFE_INTEGER} and fractions from ${SMALLEST_FRACTION} up to ${LARGEST_FRACTION}, ` +
          `of either sign; send it as a string`,
      );
    }
    if (isContainer(value) && !Array.isArray(value) && hasAmbiguousOrder(Object.keys(value))) {
      yield issueAt(
        node,
        'has keys that not every language sorts the same way: where they first differ, one has a character from ' +
          'U+10000 on and another a character from U+E000 to U+FFFF',
      );
    }
  }
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

/** A value and its descendants, down to the maximum depth. */
function* nodesOf(node: Node): Generator<Node> {
  yield node;
  const { depth, value } = node;
  if (!isContainer(value) || depth === MAX_DEPTH) return;
  for (const [key, member] of Object.entries(value)) {
    yield* nodesOf({ ...placeIn(node, key), depth: depth + 1, value: member });
  }
}

function placeIn({ path, isInside, value }: Node, key: string): Pick<Node, 'path' | 'isInside'> {
  const own =
    isInside || key.length > MAX_PATH_LENGTH ? undefined : childPath(path, Array.isArray(value) ? Number(key) : key);
  return own === undefined || own.length > MAX_PATH_LENGTH ? { path, isInside: true } : { path: own, isInside: false };
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
