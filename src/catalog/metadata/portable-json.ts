import type { InputFault } from '../../core/domain-error.ts';
import { textFault } from '../../core/text-fault.ts';
import { childPath } from './json-path.ts';

/** Deep enough for any document a person writes; what is deeper is an attack on whoever reads it. */
const MAX_DEPTH = 64;
/** Outside of these, the JSON libraries of some languages (Java's are the first) write a fraction with an exponent. */
const SMALLEST_FRACTION = 1e-3;
const LARGEST_FRACTION = 1e7;

interface Node {
  readonly path: string;
  /** 0 for the document itself. */
  readonly depth: number;
  readonly value: unknown;
}

/** What cannot be stored and served as it is: some texts, numbers without an end, and depth. */
export function storageFaults(document: unknown): InputFault[] {
  const faults: InputFault[] = [];
  for (const { path, depth, value } of nodesOf({ path: '$', depth: 0, value: document })) {
    const fault = (message: string) => faults.push({ path, message });
    if (typeof value === 'string') {
      const reason = textFault(value);
      if (reason !== undefined) fault(reason);
    } else if (typeof value === 'number') {
      if (!Number.isFinite(value)) fault('must be a number that fits into 64 bits of floating point');
    } else if (isContainer(value)) {
      const keys = Object.keys(value);
      for (const reason of new Set(keys.map(textFault))) if (reason !== undefined) fault(`has a key that ${reason}`);
      if (depth === MAX_DEPTH && keys.length > 0) fault(`must not be nested deeper than ${MAX_DEPTH} levels`);
    }
  }
  return faults;
}

/**
 * What a program in another language could write differently when it parses a certificate and writes it canonically, so
 * that its hash would not agree: some numbers, and the order of some keys.
 */
export function portabilityFaults(document: unknown): InputFault[] {
  const faults: InputFault[] = [];
  for (const { path, value } of nodesOf({ path: '$', depth: 0, value: document })) {
    if (typeof value === 'number' && Number.isFinite(value) && !isPortable(value)) {
      faults.push({
        path,
        message:
          `is a number that not every language writes the same way: a certificate takes whole numbers up to ` +
          `${Number.MAX_SAFE_INTEGER} and fractions from ${SMALLEST_FRACTION} up to ${LARGEST_FRACTION}, ` +
          `of either sign; give it as a string`,
      });
    }
    if (isContainer(value) && !Array.isArray(value) && hasAmbiguousOrder(Object.keys(value))) {
      faults.push({
        path,
        message:
          'has keys that not every language sorts the same way: those with characters from U+10000 on ' +
          'beside those that begin alike and go on with characters from U+E000 to U+FFFF',
      });
    }
  }
  return faults;
}

function isPortable(value: number): boolean {
  if (Number.isInteger(value)) return Number.isSafeInteger(value);
  const size = Math.abs(value);
  return size >= SMALLEST_FRACTION && size < LARGEST_FRACTION;
}

/** RFC 8785 sorts keys by UTF-16 code units; most languages, asked to sort, do it by code points. */
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

/** A value and all that is in it, as far down as documents may go. */
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
