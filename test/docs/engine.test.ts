import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const [, guards = ''] = readFileSync('docs/engine.md', 'utf8').split('### Guards');
const rows = guards
  .split('\n')
  .filter((line) => /^\| .*`/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()));

/** What a cell names: a file, and perhaps words of a test in it. */
const namedIn = (cell: string) =>
  [...cell.matchAll(/`([\w/.-]+)`(?:: ([^;|]+))?/g)].map(([, name = '', words]) => ({ name, words: words?.trim() }));

const testFile = (name: string) => [`test/engine/${name}.test.ts`, `${name}.test.ts`, name].find(existsSync);

describe('the guards of docs/engine.md', () => {
  it('are in files that exist', () => {
    const files = rows.flatMap(([, , guard = '']) => [...guard.matchAll(/`([\w/-]+\.ts)`/g)].map(([, name]) => name));
    expect(files.length).toBeGreaterThan(30);
    expect(files.filter((file) => !existsSync(`src/engine/${file}`))).toEqual([]);
  });

  it('have tests of the names that are given', () => {
    const tests = rows.flatMap(([, , , test = '']) => namedIn(test));
    expect(tests.length).toBeGreaterThan(30);
    const missing = tests.filter(({ name, words = '' }) => {
      const file = testFile(name);
      return file === undefined || !readFileSync(file, 'utf8').includes(words);
    });
    expect(missing).toEqual([]);
  });
});
