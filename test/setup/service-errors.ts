import { afterAll, afterEach } from 'vitest';
import { missingErrors, startFile, unexpectedErrors } from '../record/service-errors.ts';

// A setup file runs before each test file, what it imports once.
startFile();

afterEach(() => {
  const errors = unexpectedErrors();
  if (errors.length > 0) throw new Error(`The service logged errors that nobody expects:\n${errors.join('\n')}`);
});

afterAll(() => {
  const missing = missingErrors();
  if (missing.length > 0) throw new Error(`The service did not log these errors: ${missing.join(', ')}`);
});
