/**
 * A setting as text. Vars in wrangler.toml can also be numbers and booleans, which are read as their text.
 * @returns undefined for any other value, such as a binding.
 */
export function settingText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}
