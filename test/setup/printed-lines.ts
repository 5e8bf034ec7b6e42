import { afterEach, beforeEach } from 'vitest';
// A setup file runs before each test file, what it imports once: the console is replaced once.
import { print, printed } from './printed.ts';

/**
 * What a test prints, and a hook before it, is kept, and shown only if it fails. A warning or an error fails it: one that a
 * test expects is captured by a spy on the console, and asserted.
 */
beforeEach(() => {
  failOn(printed.splice(0), false);
});

afterEach(({ task }) => {
  failOn(printed.splice(0), task.result?.state === 'fail');
});

/** @param isShown Whether all of it is shown. */
function failOn(lines: typeof printed, isShown: boolean): void {
  const faults = lines.filter(({ level }) => level === 'error' || level === 'warn');
  if (isShown || faults.length > 0) {
    for (const { level, text } of lines) print(`${level}: ${text}`);
  }
  if (faults.length > 0) throw new Error(`The test printed what it does not expect:\n${faults[0]?.text}`);
}
