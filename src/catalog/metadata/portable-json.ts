import canonicalize from 'canonicalize';
import { sha256, type Hex } from 'viem';
import type { InputIssue } from '../../core/domain-error.ts';
import { textIssue } from '../../core/fields.ts';
import { childPath } from './json-value.ts';

/** Deep enough for any real document. Deeper nesting is an attack on parsers. */
const MAX_DEPTH = 64;
/**
 * The longest key, and the longest path of a value, in UTF-16 code units: every issue repeats the path of its value.
 */
export const MAX_KEY_LENGTH = 256;
const MAX_PATH_LENGTH = 2_048;
/** Outside this range, JSON libraries of some languages (Java first) write a fraction with an exponent. */
const SMALLEST_FRACTION = 1e-3;
const LARGEST_FRACTION = 1e7;

interface Node {
  readonly path: string;
  /** 0 for the document itself. */
  readonly depth: number;
  readonly value: unknown;
}

/**
 * What cannot be stored and served unchanged: invalid text, infinite numbers, deep nesting, long keys and long paths.
 */
export function* storageIssues(document: unknown): Generator<InputIssue> {
  for (const node of nodesOf({ path: '$', depth: 0, value: document })) {
    for (const message of storageIssuesAt(node)) yield { path: node.path, message };
  }
}

function storageIssuesAt(node: Node): Iterable<string> {
  const { depth, value } = node;
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
    const unreachable = keys.filter((key) => !isWithinBounds(node, key));
    if (unreachable.some((key) => key.length > MAX_KEY_LENGTH)) {
      messages.add(`has a key that must be at most ${MAX_KEY_LENGTH} characters`);
    }
    if (unreachable.some((key) => key.length <= MAX_KEY_LENGTH)) {
      messages.add(`must not have members whose path is longer than ${MAX_PATH_LENGTH} characters`);
    }
  }
  return messages;
}

/**
 * What programs in other languages could serialise differently when they canonicalise a certificate, which would change
 * its hash: some numbers, and the order of some keys.
 */
export function* portabilityIssues(document: unknown): Generator<InputIssue> {
  for (const { path, value } of nodesOf({ path: '$', depth: 0, value: document })) {
    if (typeof value === 'number' && Number.isFinite(value) && !isPortable(value)) {
      yield {
        path,
        message:
          `is a number that not every language writes the same way: a certificate may have whole numbers up to ` +
          `${Number.MAX_SAFE_INTEGER} and fractions from ${SMALLEST_FRACTION} up to ${LARGEST_FRACTION}, ` +
          `of either sign; send it as a string`,
      };
    }
    if (isContainer(value) && !Array.isArray(value) && hasAmbiguousOrder(Object.keys(value))) {
      yield {
        path,
        message:
          'has keys that not every language sorts the same way: where they first differ, one has a character from ' +
          'U+10000 on and another a character from U+E000 to U+FFFF',
      };
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

/** A value and its descendants, down to the maximum depth and the maximum length of a path. */
function* nodesOf(node: Node): Generator<Node> {
  yield node;
  const { depth, value } = node;
  if (!isContainer(value) || depth === MAX_DEPTH) return;
  for (const [key, member] of Object.entries(value)) {
    if (isWithinBounds(node, key)) yield* nodesOf({ path: pathIn(node, key), depth: depth + 1, value: member });
  }
}

/** Whether the member under a key is checked: its path is short enough to be reported. */
function isWithinBounds(container: Node, key: string): boolean {
  return key.length <= MAX_KEY_LENGTH && pathIn(container, key).length <= MAX_PATH_LENGTH;
}

function pathIn({ path, value }: Node, key: string): string {
  return childPath(path, Array.isArray(value) ? Number(key) : key);
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
