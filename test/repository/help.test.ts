import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { scripts } from '../../package.json';

/** What partners and operators run. */
const COMMANDS = [
  'dev',
  'demo',
  'corporate',
  'db:migrate',
  'deploy',
  'compare',
  'fence',
  'holder',
  'export',
  'import:archive',
] as const;

it.each(COMMANDS)('npm run %s -- --help says how it is used, with an example, and does nothing else', async (name) => {
  const [, file = ''] = /exec node (\S+)$/.exec(scripts[name]) ?? [];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [file, '--help'], { env: {} });
  expect(stderr).toBe('');
  expect(stdout).toMatch(new RegExp(`^npm run ${name}\\b[^]*\\nExamples?:\\n {2}.*npm run (?:-s )?${name}\\b`));
});

it('an option that a command does not have is an error with how it is used', async () => {
  const run = promisify(execFile)(process.execPath, ['scripts/demo.ts', '--fast'], { env: {} });
  await expect(run).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^Unknown option '--fast'[^]*\n\nnpm run demo\n/),
  });
});
