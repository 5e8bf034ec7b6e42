import { format } from 'node:util';

/** What the tests of a worker print is kept from the first import on, whichever of its files run. */
interface PrintedLine {
  readonly level: 'debug' | 'info' | 'log' | 'warn' | 'error';
  readonly text: string;
}

/** Prints after all. */
export const print = console.error.bind(console);

/** The lines since they were last taken out. */
export const printed: PrintedLine[] = [];

for (const level of ['debug', 'info', 'log', 'warn', 'error'] as const) {
  console[level] = (...values: unknown[]) => void printed.push({ level, text: format(...values) });
}
