/**
 * A setting as text. Vars of wrangler.toml can be numbers and booleans too: they mean what they look like.
 * @returns undefined for what is none of these: a binding, say.
 */
export function settingText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}
