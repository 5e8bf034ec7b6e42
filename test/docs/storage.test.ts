import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { describeTables } from '../../scripts/storage/describe-tables.ts';

/** Without what the formatter aligns and wraps. */
const textOf = (markdown: string) => markdown.replaceAll(/-{3,}/g, '---').replaceAll(/\s+/g, ' ').trim();

it('src/platform/database/README.md says what the tables are: npm run docs:storage writes it', () => {
  expect(textOf(readFileSync('src/platform/database/README.md', 'utf8'))).toBe(textOf(describeTables()));
});

it('every table is written by something', () => {
  expect(describeTables()).not.toContain('Written by nothing');
});
