/** What a spreadsheet takes for a formula, or for a part of one (OWASP, CSV Injection). */
const FORMULA = /^[=+\-@＝＋－＠\t\r\n]/;

/**
 * A line of CSV (RFC 4180). A cell that a spreadsheet would run as a formula gets an apostrophe in front, which shows
 * it as text.
 */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(text: string): string {
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return /[",;\t\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
