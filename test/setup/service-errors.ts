import { afterAll, afterEach, type RunnerTask } from 'vitest';
import { missingErrors, startFile, unexpectedErrors } from '../record/service-errors.ts';

// A setup file runs before each test file, what it imports once.
startFile();

afterEach(() => {
  const errors = unexpectedErrors();
  if (errors.length > 0) {
    const shown = errors.slice(0, 5).join('\n');
    throw new Error(`The service logged ${errors.length} errors that nobody expects, among them:\n${shown}`);
  }
});

// oxlint-disable-next-line eslint/no-empty-pattern -- vitest reads which fixtures a hook needs from its first parameter
afterAll(({}, file) => {
  // Of a file of which only some tests run, the others may be those with the errors.
  if (!file.tasks.every(runs)) return;
  const missing = missingErrors();
  if (missing.length > 0) throw new Error(`The service did not log these errors: ${missing.join(', ')}`);
});

function runs(task: RunnerTask): boolean {
  return task.type === 'suite' ? task.tasks.every(runs) : task.mode === 'run';
}
