/** Whether a JSON value is an object: no array, not null. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What stands where these keys and indexes lead in a JSON value; undefined where nothing does. */
export function valueAt(root: unknown, ...keys: readonly (string | number)[]): unknown {
  return keys.reduce<unknown>(
    (node, key) =>
      typeof node === 'object' && node !== null && Object.hasOwn(node, key) ? Reflect.get(node, key) : undefined,
    root,
  );
}
