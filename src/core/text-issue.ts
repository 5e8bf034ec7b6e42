/** Why PostgreSQL cannot store a text; undefined when it can. */
export function textIssue(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain the character U+0000';
  return text.isWellFormed() ? undefined : 'must be valid Unicode: it has a lone surrogate';
}
