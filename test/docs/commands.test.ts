import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, it } from 'vitest';
import { scripts } from '../../package.json';

const run = promisify(execFile);

let clone: string | undefined;
afterEach(async () => {
  if (clone !== undefined) await rm(clone, { recursive: true });
});

it('every documented npm command exists, and installs what it needs on a fresh clone', async () => {
  const guides = (await readdir('docs')).map((name) => join('docs', name)).filter((name) => name.endsWith('.md'));
  const texts = await Promise.all(['README.md', ...guides].map((file) => readFile(file, 'utf8')));
  const named = texts.flatMap((text) => Array.from(text.matchAll(/\bnpm (?:run (?:-s )?([\w:]+)|(test)\b)/g)));
  const commands = new Set(named.map(([, script, test]) => script ?? test ?? ''));
  expect(commands).toContain('corporate');
  for (const name of commands) {
    const command = new Map(Object.entries(scripts)).get(name);
    expect([name, command]).toEqual([name, expect.stringMatching(/^node scripts\/setup\.mjs && /)]);
  }
});

it('what installs the dependencies leaves stdout to the command, whose JSON another program reads', async () => {
  clone = await mkdtemp(join(tmpdir(), 'nft-clone-'));
  const manifest = { name: 'clone', version: '1.0.0', dependencies: { part: 'file:part' } };
  await Promise.all([mkdir(join(clone, 'scripts')), mkdir(join(clone, 'part'))]);
  await Promise.all([
    copyFile('scripts/setup.mjs', join(clone, 'scripts/setup.mjs')),
    writeFile(join(clone, 'package.json'), JSON.stringify(manifest)),
    writeFile(join(clone, 'part/package.json'), JSON.stringify({ name: 'part', version: '1.0.0' })),
  ]);
  await run('npm', ['install', '--package-lock-only', '--offline'], { cwd: clone });
  const { stdout, stderr } = await run(process.execPath, ['scripts/setup.mjs'], { cwd: clone });
  expect(stderr).toContain('Installing the locked dependencies');
  expect(stdout).toBe('');
  expect(await readdir(join(clone, 'node_modules'))).toContain('part');
});
