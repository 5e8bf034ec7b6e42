import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { scripts } from '../../package.json';

const NFT = 'cli/nft.ts';

const run = (args: readonly string[]) => promisify(execFile)(process.execPath, [...args], { env: {} });

it.each(['dev', 'demo', 'nft', 'corporate'] as const)(
  'npm run %s -- --help says how it is used, with an example, and does nothing else',
  async (name) => {
    const [, command = ''] = /exec node (.+)$/.exec(scripts[name]) ?? [];
    const { stdout, stderr } = await run([...command.split(' '), '--help']);
    expect(stderr).toBe('');
    expect(stdout).toMatch(new RegExp(`^npm run ${name}\\b[^]*\\nExamples?:\\n {2}.*npm run (?:-s )?${name}\\b`));
  },
);

it('each command that npm run nft lists says how it is used, with an example, and does nothing else', async () => {
  const { stdout: list } = await run([NFT]);
  const names = Array.from(list.matchAll(/^ {2}(\w+) {2,}\w/gm), ([, name = '']) => name);
  const commands = names.filter((name) => name !== 'corporate');
  expect(commands).toContain('compare');
  for (const name of commands) {
    const { stdout, stderr } = await run([NFT, name, '--help']);
    expect(stderr).toBe('');
    expect(stdout).toMatch(
      new RegExp(`^npm run nft -- ${name}\\b[^]*\\nExamples?:\\n {2}.*npm run (?:-s )?nft -- ${name}\\b`),
    );
  }
});

it('an unknown command is an error with those that there are', async () => {
  await expect(run([NFT, 'launch'])).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^There is no command launch\n\nnpm run nft /),
  });
});

it('an option that a command does not have is an error with how it is used', async () => {
  await expect(run(['scripts/demo.ts', '--fast'])).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^Unknown option '--fast'[^]*\n\nnpm run demo\n/),
  });
});
