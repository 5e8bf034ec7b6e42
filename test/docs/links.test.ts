import { existsSync, globSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { scripts } from '../../package.json';

const documents = globSync(['*.md', 'docs/**/*.md', 'stack/*.md']);
/** Written once: what they name may have changed since. */
const isRecord = (file: string) => file === 'CHANGELOG.md' || file.startsWith('docs/decisions/');
const files = [
  ...readdirSync('.'),
  ...globSync('{src,cli,stack,scripts,bench,clients,test,contracts,docs}/**/*.*'),
].map((file) => `/${file}`);

/** The anchors of a document's headings, as GitHub makes them. */
const anchorsOf = (file: string) =>
  [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

it.each(documents)('%s links to documents and headings that exist', (document) => {
  const links = readFileSync(document, 'utf8').matchAll(/\]\((?!https?:|mailto:)([^)\s#]*)#?([^)\s]*)\)/g);
  const broken = Array.from(links).filter(([, path = '', anchor = '']) => {
    const target = path === '' ? document : join(dirname(document), path);
    return !existsSync(target) || (anchor !== '' && !anchorsOf(target).includes(anchor));
  });
  expect(broken.map(([link]) => link)).toEqual([]);
});

it.each(documents.filter((file) => !isRecord(file)))('%s names files, tests and commands that exist', (document) => {
  const text = readFileSync(document, 'utf8');
  const wordsOf = (...patterns: readonly RegExp[]) =>
    patterns.flatMap((pattern) => Array.from(text.matchAll(pattern), ([, word = '']) => word));
  const named = wordsOf(/`([\w./@-]+\.(?:tsx?|sol|[mc]js))`/g, /\b((?:src|test|docs|contracts)\/[\w./-]+\.\w+)/g);
  expect(named.filter((name) => !files.some((file) => file.endsWith(`/${name}`)))).toEqual([]);
  const tests = [...text.matchAll(/`([\w/.-]+\.test\.ts)`:\s"([^"]+)"/g)];
  expect(
    tests.filter(([, file = '', title = '']) => !readFileSync(file, 'utf8').includes(title.replaceAll(/\s+/g, ' '))),
  ).toEqual([]);
  const commands = wordsOf(/\bnpm run (?:-s )?([\w:]+)/g);
  expect(commands.filter((name) => !(name in scripts))).toEqual([]);
  const operators = wordsOf(/\bnpm run (?:-s )?nft --\s+(\w+)/g);
  expect(operators.filter((name) => !existsSync(`cli/${name}/command.ts`))).toEqual([]);
});
