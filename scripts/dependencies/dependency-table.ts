import type { ShippedPackage } from './shipped-packages.ts';

const HEADER = ['package', 'version', 'licence', 'part of'];

/** @returns a Markdown table of the packages, in the form that the formatter gives it. */
export function dependencyTable(shipped: readonly ShippedPackage[]): string {
  const rows = shipped.map(({ name, version, licence, parts }) => [name, version, licence ?? 'none', parts.join(', ')]);
  const widths = HEADER.map((_, column) => Math.max(...[HEADER, ...rows].map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[], filler = ' ') =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0, filler)).join(' | ')} |`;
  return [
    line(HEADER),
    line(
      HEADER.map(() => ''),
      '-',
    ),
    ...rows.map((row) => line(row)),
  ].join('\n');
}

const TABLE = /^\| package +\|.*\n(?:\|.*\n)*/m;

/** @returns the document with its table of packages replaced. */
export function withTable(document: string, table: string): string {
  if (!TABLE.test(document)) throw new Error('The document has no table of packages');
  return document.replace(TABLE, () => `${table}\n`);
}
