import { copyFileSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readApiDocument } from '../api/read-api-document.ts';
import { importBundled } from '../import-bundled.ts';
import type { Schema } from './api-document.ts';
import type { renderSite } from './render-site.tsx';

// Writes the pages of the site into dist/pages/site/html/. It is run by scripts/build-pages.mjs, which has built their
// template, script and style sheet in dist/pages/site/.

const root = fileURLToPath(new URL('../..', import.meta.url));
const output = join(root, 'dist/pages/site');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

const [module, document] = await Promise.all([
  importBundled('scripts/site/render-site.tsx', { packages: 'external', jsx: 'automatic', jsxImportSource: 'preact' }),
  readApiDocument(),
]);
// oxlint-disable typescript/no-unsafe-type-assertion -- the module that is typed above, and what the repository checks
const site = (module as { readonly renderSite: typeof renderSite }).renderSite({
  template: read('dist/pages/site/index.html'),
  document,
  texts: new Map(
    ['CHANGELOG.md', ...globSync('docs/**/*.{md,sh,ts,mts,mjs,py,html,json,yml}', { cwd: root }).toSorted()].map(
      (file) => [file.replaceAll('\\', '/'), read(file)],
    ),
  ),
  schemas: new Map(
    globSync('schemas/*@*.json', { cwd: root }).map((file) => [
      basename(file, '.json'),
      JSON.parse(read(file)) as Schema,
    ]),
  ),
});
// oxlint-enable typescript/no-unsafe-type-assertion
const write = (file: string, text: string) => {
  mkdirSync(dirname(join(output, file)), { recursive: true });
  writeFileSync(join(output, file), text);
};
for (const [path, html] of site.pages) write(join('html', path, 'index.html'), html);
for (const [path, text] of site.markdown) write(join('markdown', `${path}.md`), text);
write('llms.txt', site.llmsText);
// Pages that are not to be found say so themselves, which only a crawler that reads them sees.
write('robots.txt', 'User-agent: *\nAllow: /\n');
write('search.json', JSON.stringify(site.search));
for (const image of globSync('docs/images/*', { cwd: root }))
  copyFileSync(join(root, image), join(output, basename(image)));
