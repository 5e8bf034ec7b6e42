import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { scripts } from '../../package.json';

const run = promisify(execFile);

const commandOf = new Map(Object.entries(scripts));
const SETUP = 'node scripts/setup.mjs && ';

it('every documented npm command exists and runs the set-up first', async () => {
  const guides = (await readdir('docs')).map((name) => join('docs', name)).filter((name) => name.endsWith('.md'));
  const texts = await Promise.all(['README.md', 'CONTRIBUTING.md', ...guides].map((file) => readFile(file, 'utf8')));
  const named = texts.flatMap((text) => Array.from(text.matchAll(/\bnpm (?:run (?:-s )?([\w:]+)|(test)\b)/g)));
  const commands = new Set(named.map(([, script, test]) => script ?? test ?? ''));
  expect(commands).toContain('corporate');
  for (const name of commands) {
    expect([name, commandOf.get(name)?.startsWith(SETUP)]).toEqual([name, true]);
  }
  // npx runs what is installed, or else whatever has that name: wrangler after the `npm ci` of docs/operations.md, and openapi-typescript after the
  // `npm install` of docs/guide.md.
  const tools = texts.flatMap((text) => Array.from(text.matchAll(/\bnpx ([\w-]+)/g), ([, tool]) => tool));
  expect(new Set(tools)).toEqual(new Set(['wrangler', 'openapi-typescript']));
});

/** A command that is a program of ours. */
const PROGRAM = 'contracts:check';

it('all commands that are programs of ours start in the same way', () => {
  const programs = [...commandOf].filter(
    ([, command]) => command.startsWith(SETUP) && command.includes('node ', SETUP.length),
  );
  expect(programs.map(([name]) => name)).toContain(PROGRAM);
  for (const [, command] of programs)
    expect(command.slice(SETUP.length)).toMatch(/^exec node [\w/-]+\.ts(?: --check)?$/);
});

describe('on a fresh clone', () => {
  let clone: string;

  // A clone with the project's commands, whose only dependency is a `node` that prints its arguments.
  beforeEach(async () => {
    clone = await mkdtemp(join(tmpdir(), 'nft-clone-'));
    const manifest = { name: 'clone', version: '1.0.0', scripts, dependencies: { part: 'file:part' } };
    await Promise.all([
      mkdir(join(clone, 'scripts')),
      mkdir(join(clone, 'part')),
      mkdir(join(clone, 'src/pages'), { recursive: true }),
    ]);
    await Promise.all([
      ...['setup.mjs', 'build-pages.mjs'].map((file) => copyFile(`scripts/${file}`, join(clone, 'scripts', file))),
      writeFile(join(clone, 'package.json'), JSON.stringify(manifest)),
      writeFile(
        join(clone, 'part/package.json'),
        JSON.stringify({ name: 'part', version: '1.0.0', bin: { node: 'node.sh' } }),
      ),
      writeFile(join(clone, 'part/node.sh'), '#!/bin/sh\necho "installed node: $@"\n'),
    ]);
    await chmod(join(clone, 'part/node.sh'), 0o755);
    await run('npm', ['install', '--package-lock-only', '--offline'], { cwd: clone });
  });
  afterEach(() => rm(clone, { recursive: true }));

  const installs = async () => {
    const { stderr } = await run(process.execPath, ['scripts/setup.mjs'], { cwd: clone });
    return stderr.includes('Installing the locked dependencies');
  };

  it('the set-up installs nothing after npm ci, and again where something else is installed than the lock file says', async () => {
    await run('npm', ['ci', '--offline'], { cwd: clone });
    expect(await installs()).toBe(false);
    const record = join(clone, 'node_modules/.package-lock.json');
    await writeFile(record, (await readFile(record, 'utf8')).replace('"node_modules/part"', '"node_modules/other"'));
    expect(await installs()).toBe(true);
    expect(await installs()).toBe(false);
  });

  it('a command runs in the Node.js that was just installed, and has stdout to itself', async () => {
    const { stdout, stderr } = await run('npm', ['run', '--silent', PROGRAM, '--', '--json'], { cwd: clone });
    expect(stderr).toContain('Installing the locked dependencies');
    expect(stdout).toMatch(/^installed node: \S+ .*--json\n$/);
  });
});
