import type { InputIssue } from '../../core/domain-error.ts';
import { textIssue } from '../../core/text-issue.ts';
import { childPath } from './json-path.ts';

/** Deep enough for any real document. Deeper nesting is an attack on parsers. */
const MAX_DEPTH = 64;
/** Outside this range, JSON libraries of some languages (Java first) write a fraction with an exponent. */
const SMALLEST_FRACTION = 1e-3;
const LARGEST_FRACTION = 1e7;

interface Node {
  readonly path: string;
  /** 0 for the document itself. */
  readonly depth: number;
  readonly value: unknown;
}

/** What cannot be stored and served unchanged: invalid text, infinite numbers, deep nesting. */
export function storageIssues(document: unknown): InputIssue[] {
  const issues: InputIssue[] = [];
  for (const { path, depth, value } of nodesOf({ path: '$', depth: 0, value: document })) {
    const issue = (message: string) => issues.push({ path, message });
    if (typeof value === 'string') {
      const reason = textIssue(value);
      if (reason !== undefined) issue(reason);
    } else if (typeof value === 'number') {
      if (!Number.isFinite(value)) issue('must be a number that fits into a 64-bit float');
    } else if (isContainer(value)) {
      const keys = Object.keys(value);
      for (const reason of new Set(keys.map(textIssue))) if (reason !== undefined) issue(`has a key that ${reason}`);
      if (depth === MAX_DEPTH && keys.length > 0) issue(`must not be nested deeper than ${MAX_DEPTH} levels`);
    }
  }
  return issues;
}

/**
 * What programs in other languages could serialise differently when they canonicalise a certificate, which would change its
 * hash: some numbers, and the order of some keys.
 */
export function portabilityIssues(document: unknown): InputIssue[] {
  const issues: InputIssue[] = [];
  for (const { path, value } of nodesOf({ path: '$', depth: 0, value: document })) {
    if (typeof value === 'number' && Number.isFinite(value) && !isPortable(value)) {
      issues.push({
        path,
        message:
          `is a number that not every language writes the same way: a certificate may have whole numbers up to ` +
          `${Number.MAX_SAFE_INTEGER} and fractions from ${SMALLEST_FRACTION} up to ${LARGEST_FRACTION}, ` +
          `of either sign; send it as a string`,
      });
    }
    if (isContainer(value) && !Array.isArray(value) && hasAmbiguousOrder(Object.keys(value))) {
      issues.push({
        path,
        message:
          'has keys that not every language sorts the same way: where they first differ, one has a character from ' +
          'U+10000 on and another a character from U+E000 to U+FFFF',
      });
    }
  }
  return issues;
}

function isPortable(value: number): boolean {
  if (Number.isInteger(value)) return Number.isSafeInteger(value);
  const size = Math.abs(value);
  return size >= SMALLEST_FRACTION && size < LARGEST_FRACTION;
}

/** RFC 8785 sorts keys by UTF-16 code units; most languages sort by code points. */
function hasAmbiguousOrder(keys: readonly string[]): boolean {
  const byCodeUnits = keys.toSorted();
  const byCodePoints = keys.toSorted((a, b) => compareCodePoints(a, b));
  return byCodeUnits.some((key, index) => key !== byCodePoints[index]);
}

function compareCodePoints(a: string, b: string): number {
  const [left, right] = [Array.from(a), Array.from(b)];
  for (const [index, character] of left.entries()) {
    const difference = (character.codePointAt(0) ?? 0) - (right[index]?.codePointAt(0) ?? -1);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** A value and its descendants, down to the maximum depth. */
function* nodesOf(node: Node): Generator<Node> {
  yield node;
  const { path, depth, value } = node;
  if (!isContainer(value) || depth === MAX_DEPTH) return;
  const inList = Array.isArray(value);
  for (const [key, member] of Object.entries(value)) {
    yield* nodesOf({ path: childPath(path, inList ? Number(key) : key), depth: depth + 1, value: member });
  }
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
