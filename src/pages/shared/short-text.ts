/** The most characters of a name in a heading or a list. */
const MAX_NAME = 200;

/** A text of any length as a list or a heading shows it. */
export function shortText(text: string): string {
  const characters = Array.from(text.slice(0, 2 * MAX_NAME + 1));
  return characters.length > MAX_NAME ? `${characters.slice(0, MAX_NAME).join('')}…` : text;
}
