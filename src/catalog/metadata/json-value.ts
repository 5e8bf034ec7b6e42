/** Whether a JSON value is an object, not an array or null. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path of keys and indexes in a JSON value; undefined if there is none. */
export function valueAt(root: unknown, ...keys: readonly (string | number)[]): unknown {
  return keys.reduce<unknown>(
    (node, key) =>
      typeof node === 'object' && node !== null && Object.hasOwn(node, key) ? Reflect.get(node, key) : undefined,
    root,
  );
}

/** The JSONPath (RFC 9535) of a child of `path`: an object's member by name, or an array's item by index. */
export function childPath(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  return /^[A-Za-z_]\w*$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
}

/** Deeper than any document may be. What is deeper in a patch is taken as it is, and validation refuses it. */
const MAX_DEPTH = 100;

/**
 * Applies a JSON Merge Patch (RFC 7396): objects are merged key by key, null removes a key, anything else replaces what
 * was there.
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
