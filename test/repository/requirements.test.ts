import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const text = readFileSync('test/requirements.md', 'utf8');

interface Requirement {
  readonly what: string;
  readonly tests: readonly { readonly file: string; readonly title: string }[];
}

/** Bullets, each followed by the tests that prove it: a path in backticks and the title as the file has it. */
const requirements: Requirement[] = text
  .split(/\n(?=- |## )/)
  .filter((block) => block.startsWith('- '))
  .map((block) => ({
    what: block.slice(2, block.search(/\n {2}`[^`]+` › /)).replaceAll(/\n +/g, ' '),
    tests: Array.from(block.matchAll(/^ {2}`([^`]+)` › (.+)$/gm), ([, file = '', title = '']) => ({ file, title })),
  }));

const sources = new Map<string, string>();

function sourceOf(file: string): string {
  const source = sources.get(file) ?? (existsSync(file) ? readFileSync(file, 'utf8').replaceAll(/\(\s+/g, '(') : '');
  sources.set(file, source);
  return source;
}

/** The files that `npm test` runs if a requirement names them. */
const FIRST =
  /^(?:src|cli|scripts|stack|test\/(?:client|contracts|docs|engine|flows|repository|schemas|stack))\/.*\.test\.ts$/;

const hasTest = ({ file, title }: { file: string; title: string }) =>
  FIRST.test(file) && ["'", '"', '`'].some((quote) => sourceOf(file).includes(`(${quote}${title}${quote}`));

describe('every requirement', () => {
  it('names a test that proves it', () => {
    expect(requirements.length).toBeGreaterThan(250);
    expect(text.match(/^(?: +[-*]|\*) .*/gm) ?? [], 'bullets of another form').toEqual([]);
    expect(requirements.filter(({ tests }) => tests.length === 0).map(({ what }) => what)).toEqual([]);
  });

  it('names tests that exist', () => {
    expect(requirements.flatMap(({ tests }) => tests.filter((test) => !hasTest(test)))).toEqual([]);
  });
});
