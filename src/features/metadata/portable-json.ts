import type { InputFault } from '../../http/domain-error.ts';
import { childPath } from './json-path.ts';

/** From here up, and below its counterpart, languages begin to write numbers with an exponent, each in its own way. */
const LARGEST_FRACTION = 1e15;
const SMALLEST_FRACTION = 1e-4;
/** Deep enough for any document a person writes; what is deeper is an attack on whoever reads it. */
const MAX_DEPTH = 64;

/** Texts and depths that cannot be stored and served as they are. */
export function storageFaults(value: unknown): InputFault[] {
  return faultsIn(value, '$', 0, (leaf) => {
    if (typeof leaf !== 'string') return undefined;
    if (leaf.includes('\0')) return 'must not contain the character U+0000';
    return leaf.isWellFormed() ? undefined : 'is not valid Unicode text: it has half of a surrogate pair';
  });
}

/** Numbers that another language would write differently, so that its hash of the document would not agree. */
export function numberFaults(value: unknown): InputFault[] {
  return faultsIn(value, '$', 0, (leaf) =>
    typeof leaf !== 'number' || isPortable(leaf)
      ? undefined
      : `is a number that not every language writes the same way: a certificate takes whole numbers up to ${Number.MAX_SAFE_INTEGER} and fractions from ${SMALLEST_FRACTION} to 10^15; give it as a string`,
  );
}

function isPortable(value: number): boolean {
  if (Number.isInteger(value)) return Number.isSafeInteger(value);
  const size = Math.abs(value);
  return size >= SMALLEST_FRACTION && size < LARGEST_FRACTION;
}

/** Checks every value, and every key as if it were a value. */
function faultsIn(
  value: unknown,
  path: string,
  depth: number,
  check: (leaf: unknown) => string | undefined,
): InputFault[] {
  if (depth > MAX_DEPTH) return [{ path, message: `is nested deeper than ${MAX_DEPTH} levels` }];
  if (typeof value !== 'object' || value === null) {
    const message = check(value);
    return message === undefined ? [] : [{ path, message }];
  }
  return Object.entries(value).flatMap(([key, member]) => {
    const fault = check(key);
    const own = fault === undefined ? [] : [{ path, message: `has a key that ${fault}` }];
    return [...own, ...faultsIn(member, childPath(path, key), depth + 1, check)];
  });
}
