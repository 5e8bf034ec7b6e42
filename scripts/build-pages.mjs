// Builds the pages in src/pages/ into dist/pages/. Each folder with an index.html is a page; other folders hold what
// pages share. That of the site is the template of its pages, which scripts/site/build-site.ts writes. This is plain
// JavaScript, since scripts/setup.mjs runs it on every supported Node.js.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const sources = join(root, 'src/pages');
/** What the pages are made from: the site shows the documents and describes the app. */
const sourceFolders = ['docs', 'schemas', 'scripts/api', 'scripts/site', 'src'];
const sourceFiles = ['CHANGELOG.md', 'package-lock.json', 'scripts/build-pages.mjs', 'scripts/import-bundled.ts'];
const output = join(root, 'dist/pages');
/** Has the hash of what was built. It is not beside the pages, where it would be uploaded. */
const stamp = join(root, 'dist/pages.sources');

const filesIn = (folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file));

function hashOfSources() {
  const hash = createHash('sha256');
  const files = [...sourceFolders.flatMap(filesIn), ...sourceFiles].filter((file) => !file.endsWith('.test.ts'));
  // oxlint-disable-next-line typescript/require-array-sort-compare -- texts
  for (const file of files.toSorted()) {
    if (!statSync(join(root, file)).isFile()) continue;
    hash.update(`${file}\0`);
    hash.update(readFileSync(join(root, file)));
    hash.update('\0');
  }
  return hash.digest('hex');
}

/** Builds the pages unless dist/pages/ is up to date. */
export async function buildPages() {
  const hash = hashOfSources();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  rmSync(stamp, { force: true });
  mkdirSync(output, { recursive: true });
  // The folder itself stays: a running local stack watches it.
  for (const built of readdirSync(output)) rmSync(join(output, built), { recursive: true });
  for (const page of readdirSync(sources)) {
    if (existsSync(join(sources, page, 'index.html'))) await buildPage(page);
  }
  copyFileSync(join(sources, 'shared/icon.svg'), join(output, 'icon.svg'));
  buildSite();
  writeFileSync(stamp, hash);
}

/** It is TypeScript, which only the installed Node.js runs. @throws if it fails; its message is on stderr. */
function buildSite() {
  const node = join(root, 'node_modules/.bin/node');
  const { status } = spawnSync(node, [join(root, 'scripts/site/build-site.ts')], {
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error('The site cannot be built; see the message above.');
}

/**
 * Bundles the script and the style sheet that index.html names. Those with the attribute `inline` become part of
 * index.html; the others are written beside it. A comment `shared/head.html` becomes that file. In the
 * Content-Security-Policy, `{scripts}` and `{styles}` become the hashes of what is inline, or 'self'.
 */
async function buildPage(page) {
  const directory = join(output, page);
  mkdirSync(directory);
  const bundle = async (file) => {
    // Not installed yet when scripts/setup.mjs starts.
    const { build } = await import('esbuild');
    const { outputFiles } = await build({
      entryPoints: [join(sources, page, file)],
      outdir: directory,
      tsconfig: join(sources, 'tsconfig.json'),
      bundle: true,
      minify: true,
      write: false,
      format: 'esm',
      target: 'es2022',
      legalComments: 'inline',
      logLevel: 'warning',
    });
    return outputFiles;
  };
  const allowed = { scripts: [], styles: [] };
  const include = async (kind, file, isInline, tag, inlineTag) => {
    const files = await bundle(file);
    if (!isInline) {
      for (const { path, contents } of files) writeFileSync(path, contents);
      allowed[kind].push("'self'");
      return tag(`/pages/${page}/${file.replace(/\.tsx?$/, '.js')}`);
    }
    const [{ text }] = files;
    allowed[kind].push(`'sha256-${createHash('sha256').update(text).digest('base64')}'`);
    return inlineTag(text);
  };

  const icon = encodeURIComponent(readFileSync(join(sources, 'shared/icon.svg'), 'utf8').trim());
  const head = readFileSync(join(sources, 'shared/head.html'), 'utf8').trim().replace('{icon}', icon);
  let html = readFileSync(join(sources, page, 'index.html'), 'utf8').replace('<!-- shared/head.html -->', head);
  const replace = async (pattern, replacement) => {
    for (const match of html.matchAll(pattern)) {
      const text = await replacement(match);
      html = html.replace(match[0], () => text);
    }
  };
  await replace(/<link rel="stylesheet" href="([\w.-]+)"( inline)? \/>/g, ([, file, isInline]) =>
    include(
      'styles',
      file,
      isInline,
      (url) => `<link rel="stylesheet" href="${url}">`,
      (text) => `<style>${text}</style>`,
    ),
  );
  await replace(/<script type="module" src="([\w.-]+)"( inline)?><\/script>/g, ([, file, isInline]) =>
    include(
      'scripts',
      file,
      isInline,
      (url) => `<script type="module" src="${url}"></script>`,
      (text) => `<script type="module">${text}</script>`,
    ),
  );
  for (const [kind, values] of Object.entries(allowed)) html = html.replace(`{${kind}}`, values.join(' ') || "'none'");
  writeFileSync(join(directory, 'index.html'), html);
}
