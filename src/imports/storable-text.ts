/** A text that PostgreSQL can store as JSON: what it cannot is shown as U+FFFD. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}
