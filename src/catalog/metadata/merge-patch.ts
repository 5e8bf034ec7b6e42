import { isRecord } from './json-value.ts';

/** Deeper than any document may be. What is deeper in a patch is taken as it is, and validation refuses it. */
const MAX_DEPTH = 100;

/**
 * Applies a JSON Merge Patch (RFC 7396): objects are merged key by key, null removes a key, anything else replaces what was there.
 * @param target Any JSON value. It is not changed.
 */
export function mergePatch(target: unknown, patch: unknown, depth = 0): unknown {
  if (!isRecord(patch) || depth === MAX_DEPTH) return patch;
  const merged = new Map(Object.entries(isRecord(target) ? target : {}));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, mergePatch(merged.get(key), value, depth + 1));
  }
  return Object.fromEntries(merged);
}
