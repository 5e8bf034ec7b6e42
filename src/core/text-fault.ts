/** Why a text cannot be stored: PostgreSQL has no U+0000, and half of a surrogate pair is not a character. */
export function textFault(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain the character U+0000';
  return text.isWellFormed() ? undefined : 'must be valid Unicode: it has half of a surrogate pair';
}
