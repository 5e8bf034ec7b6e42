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
