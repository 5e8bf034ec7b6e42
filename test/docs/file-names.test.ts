import { readFileSync, readdirSync } from 'node:fs';
import { expect, it } from 'vitest';

const FOLDERS = ['src', 'operations', 'stack', 'scripts', 'bench', 'test', 'contracts', 'docs'];
const files = [
  ...readdirSync('.'),
  ...FOLDERS.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
  ),
];
const guides = files.filter((file) => /^[A-Z]+\.md$|^docs\/[\w-]+\.md$|^stack\/README\.md$/.test(file));

it.each(guides)('every source file that %s names exists', (guide) => {
  const text = readFileSync(guide, 'utf8');
  const named = Array.from(text.matchAll(/`([\w./@-]+\.(?:ts|sol|mjs|cjs))`/g), ([, name = '']) => name);
  const missing = named.filter((name) => !files.some((file) => file === name || file.endsWith(`/${name}`)));
  expect(missing).toEqual([]);
});
