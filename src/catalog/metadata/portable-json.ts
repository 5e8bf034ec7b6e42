import type { InputFault } from '../../core/domain-error.ts';
import { textFault } from '../../core/text-fault.ts';
import { childPath } from './json-path.ts';

/** Deep enough for any document a person writes; what is deeper is an attack on whoever reads it. */
const MAX_DEPTH = 64;
/** The longest key, and the longest path of a value, in UTF-16 code units: every fault repeats the path of its place. */
export const MAX_KEY_LENGTH = 256;
const MAX_PATH_LENGTH = 2_048;
/** Outside of these, the JSON libraries of some languages (Java's are the first) write a fraction with an exponent. */
const SMALLEST_FRACTION = 1e-3;
const LARGEST_FRACTION = 1e7;

interface Node {
  readonly path: string;
  /** 0 for the document itself. */
  readonly depth: number;
  readonly value: unknown;
}

/** What cannot be stored and served as it is: some texts, numbers without an end, depth, long keys and long paths. */
export function* storageFaults(document: unknown): Generator<InputFault> {
  for (const node of nodesOf({ path: '$', depth: 0, value: document })) {
    for (const message of storageFaultsAt(node)) yield { path: node.path, message };
  }
}

function storageFaultsAt(node: Node): Iterable<string> {
  const { depth, value } = node;
  const messages = new Set<string>();
  if (typeof value === 'string') {
    const reason = textFault(value);
    if (reason !== undefined) messages.add(reason);
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) messages.add('must be a number that fits into 64 bits of floating point');
  } else if (isContainer(value)) {
    const keys = Object.keys(value);
    for (const reason of keys.map(textFault)) if (reason !== undefined) messages.add(`has a key that ${reason}`);
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
 * What a program in another language could write differently when it parses a certificate and writes it canonically, so
 * that its hash would not agree: some numbers, and the order of some keys.
 */
export function* portabilityFaults(document: unknown): Generator<InputFault> {
  for (const { path, value } of nodesOf({ path: '$', depth: 0, value: document })) {
    if (typeof value === 'number' && Number.isFinite(value) && !isPortable(value)) {
      yield {
        path,
        message:
          `is a number that not every language writes the same way: a certificate takes whole numbers up to ` +
          `${Number.MAX_SAFE_INTEGER} and fractions from ${SMALLEST_FRACTION} up to ${LARGEST_FRACTION}, ` +
          `of either sign; give it as a string`,
      };
    }
    if (isContainer(value) && !Array.isArray(value) && hasAmbiguousOrder(Object.keys(value))) {
      yield {
        path,
        message:
          'has keys that not every language sorts the same way: those with characters from U+10000 on ' +
          'beside those that begin alike and go on with characters from U+E000 to U+FFFF',
      };
    }
  }
}

function isPortable(value: number): boolean {
  if (Number.isInteger(value)) return Number.isSafeInteger(value);
  const size = Math.abs(value);
  return size >= SMALLEST_FRACTION && size < LARGEST_FRACTION;
}

/** RFC 8785 sorts keys by UTF-16 code units; most languages, asked to sort, do it by code points. */
function hasAmbiguousOrder(keys: readonly string[]): boolean {
  const byCodeUnits = keys.toSorted();
  return byCodeUnits.some((key, index) => compareCodePoints(byCodeUnits[index - 1] ?? '', key) > 0);
}

function compareCodePoints(a: string, b: string): number {
  let index = 0;
  while (index < a.length && a[index] === b[index]) index += 1;
  // Where they part in the second half of a pair, the first half that they share says nothing of their order.
  return (a.codePointAt(index) ?? -1) - (b.codePointAt(index) ?? -1);
}

/** A value and all that is in it, as far down as documents may go and as long as paths may be. */
function* nodesOf(node: Node): Generator<Node> {
  yield node;
  const { depth, value } = node;
  if (!isContainer(value) || depth === MAX_DEPTH) return;
  for (const [key, member] of Object.entries(value)) {
    if (isWithinBounds(node, key)) yield* nodesOf({ path: pathIn(node, key), depth: depth + 1, value: member });
  }
}

/** Whether the member that a container has under a key is looked at: its path can be told. */
function isWithinBounds(container: Node, key: string): boolean {
  return key.length <= MAX_KEY_LENGTH && pathIn(container, key).length <= MAX_PATH_LENGTH;
}

function pathIn({ path, value }: Node, key: string): string {
  return childPath(path, Array.isArray(value) ? Number(key) : key);
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
