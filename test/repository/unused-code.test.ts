import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

const root = fileURLToPath(new URL('../..', import.meta.url));
const CONFIGURATION = ['.fallowrc.jsonc', '.fallowrc.without-tests.jsonc', 'vitest.config.ts', 'wrangler.toml'];

const CLEAN = {
  'src/worker.ts': "import { greet } from './greet.ts';\nexport default { fetch: () => new Response(greet()) };",
  'src/greet.ts': "export const greet = () => 'hello';",
  'src/greet.test.ts':
    "import { it } from 'vitest';\nimport { greet } from './greet.ts';\nit('greets', () => void greet());",
};

const manifestSchema = z.looseObject({ scripts: z.record(z.string(), z.string()) });

let project: string;
beforeEach(async () => {
  project = await mkdtemp(join(tmpdir(), 'unused-code-'));
  await Promise.all(CONFIGURATION.map((file) => cp(join(root, file), join(project, file))));
  const { scripts } = manifestSchema.parse(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')));
  const devDependencies = { '@cloudflare/vitest-pool-workers': '*', vitest: '*', wrangler: '*' };
  await writeFile(
    join(project, 'package.json'),
    JSON.stringify({ scripts: { unused: scripts['unused'] }, devDependencies }),
  );
});
afterEach(() => rm(project, { recursive: true, force: true }));

/** Runs `npm run unused` in a project with these files, this project's configuration, and no dependencies to report. */
async function unusedIn(files: Readonly<Record<string, string>>) {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(project, path)), { recursive: true });
    await writeFile(join(project, path), text);
  }
  const { status, stdout } = spawnSync('npm', ['run', '--silent', 'unused'], {
    cwd: project,
    env: { ...process.env, PATH: [join(root, 'node_modules/.bin'), process.env['PATH']].join(delimiter) },
    encoding: 'utf8',
  });
  return { status, found: stdout.trim().split('\n').filter(Boolean) };
}

describe('npm run unused', () => {
  it('passes where everything is used', async () => {
    expect(await unusedIn(CLEAN)).toEqual({ status: 0, found: [] });
  });

  it.each<[string, Record<string, string>, string]>([
    ['a file that nothing imports', { 'src/orphan.ts': 'export const orphan = 1;' }, 'unused-file:src/orphan.ts'],
    [
      'a helper of the tests that no test imports',
      { 'test/fixtures/orphan.ts': 'export const orphan = 1;' },
      'unused-export:test/fixtures/orphan.ts:1:orphan',
    ],
    [
      'an export that nothing imports',
      { 'src/greet.ts': `${CLEAN['src/greet.ts']}\nexport const part = 1;` },
      'unused-export:src/greet.ts:2:part',
    ],
    [
      'a type that nothing imports',
      { 'src/greet.ts': `${CLEAN['src/greet.ts']}\nexport type Part = string;` },
      'unused-type:src/greet.ts:2:Part',
    ],
    [
      'an export that only a test imports',
      {
        'src/greet.ts': `${CLEAN['src/greet.ts']}\nexport const part = 1;`,
        'src/greet.test.ts':
          "import { expect, it } from 'vitest';\nimport { part } from './greet.ts';\nit('is', () => expect(part).toBe(1));",
      },
      'unused-export:src/greet.ts:2:part',
    ],
    [
      'a file that only a test imports',
      {
        'src/part.ts': 'export const part = 1;',
        'test/flows/part.test.ts':
          "import { expect, it } from 'vitest';\nimport { part } from '../../src/part.ts';\nit('is', () => expect(part).toBe(1));",
      },
      'unused-file:src/part.ts',
    ],
    [
      'an exception that is no longer needed',
      {
        'src/greet.ts': `// fallow-ignore-next-line unused-export -- Tests read it.\n${CLEAN['src/greet.ts']}`,
      },
      'stale-suppression:src/greet.ts:1:// fallow-ignore-next-line unused-export -- Tests read it.',
    ],
    [
      'an exception without a reason',
      {
        'src/greet.ts': `${CLEAN['src/greet.ts']}\n// fallow-ignore-next-line unused-export\nexport const part = 1;`,
      },
      'stale-suppression:src/greet.ts:2:// fallow-ignore-next-line unused-export (suppression is missing a reason)',
    ],
  ])('fails on %s', async (_, files, finding) => {
    expect(await unusedIn({ ...CLEAN, ...files })).toEqual({ status: 1, found: [finding] });
  });
});
