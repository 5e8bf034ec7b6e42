import { afterEach, beforeEach } from 'vitest';
// A setup file runs before each test file, what it imports once: the console is replaced once.
import { print, printed } from './printed.ts';

/**
 * What a test prints is kept, and shown only if it fails. A warning or an error that it prints fails it: one that a
 * test expects is captured by a spy on the console, and asserted.
 */
beforeEach(() => {
  printed.length = 0;
});

afterEach(({ task }) => {
  const lines = printed.splice(0);
  const faults = lines.filter(({ level }) => level === 'error' || level === 'warn');
  if (task.result?.state === 'fail' || faults.length > 0) {
    for (const { level, text } of lines) print(`${level}: ${text}`);
  }
  if (faults.length > 0) throw new Error(`The test printed what it does not expect:\n${faults[0]?.text}`);
});
