import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it('docs/reliability.md names, for each attack, tests that exist', () => {
  const text = readFileSync('docs/reliability.md', 'utf8');
  const tests = Array.from(text.matchAll(/`([\w/.-]+\.test\.ts)`: "([^"]+)"/g), ([, file = '', title = '']) => ({
    file,
    title,
  }));
  expect(tests.length).toBeGreaterThan(20);
  expect(tests.filter(({ file, title }) => !readFileSync(file, 'utf8').includes(title))).toEqual([]);
});
