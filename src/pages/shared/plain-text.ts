/** Unicode's embeddings, overrides and isolates, which change in which order others are shown. */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g;

/** A text of anyone without what reverses it: `\u202e` shows `gnp.exe` as `exe.png`, and so would all after it. */
export function plainText(text: string): string {
  return text.replaceAll(DIRECTIONS, '');
}
