import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { commandLine } from '../cli/command-line.ts';
import { repositoryRoot } from './contracts/compile-solidity.ts';
import { BATCH_GAS } from '../src/orders/mint/batch-gas.ts';
import { batchSize } from './contracts/measure-batches.ts';
import { type Gas, type MeasuredGas, type Operation, measureGas, operations } from './contracts/measure-gas.ts';

const USAGE = `npm run contracts:gas [-- --check]

Measures the gas of deployments, mints, transfers, relayed mints, relayed transfers and batches on a local chain, compares it with
OpenZeppelin's minimal contracts, and writes the tables, and the gas limit of a batch, to docs/contracts.md.
  --check  write nothing, and fail if a mint or transfer of a standard contract costs more than 10 % above the baseline
Examples:
  npm run contracts:gas
  npm run contracts:gas -- --check`;

const documentPath = path.join(repositoryRoot, 'docs/contracts.md');
const startMarker = '<!-- gas-table:start -->';
const endMarker = '<!-- gas-table:end -->';
const limitPercent = 10;
const limited: readonly Operation[] = ['mint', 'transfer'];

const thousands = (gas: bigint | undefined): string => (gas === undefined ? '-' : gas.toLocaleString('en-US'));

/** How far `ours` is above `theirs`, in percent; undefined if either was not measured. */
function percentAbove(ours: bigint | undefined, theirs: bigint | undefined): number | undefined {
  return ours === undefined || theirs === undefined ? undefined : (Number(ours) / Number(theirs) - 1) * 100;
}

function difference(ours: bigint | undefined, theirs: bigint | undefined): string {
  const percent = percentAbove(ours, theirs);
  return percent === undefined ? '-' : `${percent < 0 ? '' : '+'}${percent.toFixed(1)} %`;
}

/** A Markdown table with aligned columns, as the formatter writes it: the first is text, the others are numbers. */
function markdownTable(rows: readonly (readonly string[])[]): string {
  const columns = rows[0]?.length ?? 0;
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const lines = rows.map((row) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))),
  );
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return lines
    .toSpliced(1, 0, rule)
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

function operationsTable(gas: MeasuredGas): string {
  const heading = ['operation', 'Standard721', 'OZ ERC-721', 'above', 'Standard1155', 'OZ ERC-1155', 'above'];
  const rows = operations.map((operation) => [
    operation,
    thousands(gas.standard721[operation]),
    thousands(gas.baseline721[operation]),
    difference(gas.standard721[operation], gas.baseline721[operation]),
    thousands(gas.standard1155[operation]),
    thousands(gas.baseline1155[operation]),
    difference(gas.standard1155[operation], gas.baseline1155[operation]),
    thousands(gas.certificate721[operation]),
    thousands(gas.certificate1155[operation]),
  ]);
  return [
    markdownTable([[...heading, 'Certificate721', 'Certificate1155'], ...rows]),
    '',
    `Deploying the forwarder: ${thousands(gas.forwarder)}. OpenZeppelin's own: ${thousands(gas.baselineForwarder)}.`,
  ].join('\n');
}

function batchesTable({ batches }: MeasuredGas): string {
  const heading = ['a mint', 'alone', `one of ${batchSize}, each to another holder`, 'all to one holder'];
  const rows = batches.map(({ name, alone, toMany, toOne }) => [name, ...[alone, toMany, toOne].map(thousands)]);
  return markdownTable([heading, ...rows]);
}

/** The gas limit of a batch, and what each item adds to it. */
function limitsTable(): string {
  const { base, item, word, derivedWord } = BATCH_GAS;
  const standards = ['721', '1155'] as const;
  const table = markdownTable([
    ['contract', 'for each item', 'for each 32 bytes of its URI', 'of a derived URI'],
    ...standards.map((standard) => [`Standard${standard}`, thousands(item.standard[standard]), '-', '-']),
    ...standards.map((standard) => [
      `Certificate${standard}`,
      thousands(item.certificate[standard]),
      thousands(word[standard]),
      thousands(derivedWord[standard]),
    ]),
  ]);
  return `The gas limit of a batch: ${thousands(base)}, and\n\n${table}`;
}

/** The mints and transfers that exceed the limit, one line each. */
function exceedances(name: string, ours: Gas, theirs: Gas): string[] {
  return limited.flatMap((operation) => {
    const percent = percentAbove(ours[operation], theirs[operation]);
    if (percent === undefined) return [`${name}: ${operation} was not measured`];
    return percent <= limitPercent
      ? []
      : [`${name}: ${operation} is ${percent.toFixed(1)} % above the baseline, more than ${limitPercent} %`];
  });
}

/** Replaces the text between the markers. @throws Error when a marker is missing. */
function withTable(document: string, content: string): string {
  const start = document.indexOf(startMarker);
  const end = document.indexOf(endMarker);
  if (start === -1 || end < start) throw new Error(`${documentPath} has no ${startMarker} and ${endMarker}`);
  return `${document.slice(0, start + startMarker.length)}\n\n${content}\n\n${document.slice(end)}`;
}

const { values } = commandLine(USAGE, { check: { type: 'boolean', default: false } });

const gas = await measureGas();
const content = [operationsTable(gas), batchesTable(gas), limitsTable()].join('\n\n');
console.log(content);
if (!values.check) writeFileSync(documentPath, withTable(readFileSync(documentPath, 'utf8'), content));

const found = [
  ...exceedances('Standard721', gas.standard721, gas.baseline721),
  ...exceedances('Standard1155', gas.standard1155, gas.baseline1155),
];
if (found.length > 0) {
  console.error(found.join('\n'));
  process.exitCode = 1;
}
