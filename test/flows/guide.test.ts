import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chainClient, newClient, stack } from '../fixtures/client.ts';
import { makeKey } from '../fixtures/keys.ts';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const MODULES = join(PROJECT, 'node_modules');
const TIMEOUT_MS = 100_000;
/** openapi-typescript uses the compiler's API, which TypeScript 7, the project's compiler, does not have. */
const WITH_TYPESCRIPT_5 = `data:text/javascript,import { registerHooks } from 'node:module';
registerHooks({ resolve: (name, context, next) => next(name === 'typescript' ? 'typescript-5' : name, context) });`;
const STRICT = {
  target: 'es2024',
  module: 'nodenext',
  types: ['node'],
  noEmit: true,
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noPropertyAccessFromIndexSignature: true,
  erasableSyntaxOnly: true,
  verbatimModuleSyntax: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
};
const run = promisify(execFile);

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'nft-guide-'));
  await symlink(MODULES, join(directory, 'node_modules'));
  const guide = await readFile(join(PROJECT, 'docs/guide.md'), 'utf8');
  for (const [, name = '', program = ''] of guide.matchAll(/^```\w+ (guide\.\w+)\n([\s\S]*?)^```$/gm)) {
    await writeFile(join(directory, name), program);
  }
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** Runs a program of the guide for a new account. @returns its output and the address of its first contract. */
async function follow(command: string, args: readonly string[]) {
  const scopes = ['read', 'metadata', 'mint', 'transfer', 'deploy'];
  const { key } = await makeKey(await newClient(), { scopes });
  const { stdout } = await run(command, args, {
    cwd: directory,
    timeout: TIMEOUT_MS,
    env: { ...process.env, NFT_URL: stack.url, NFT_KEY: key, RPC_URL: stack.rpcUrls['43114'] ?? '' },
  });
  return stdout;
}

/** A mint, a transfer and a check, as the chain has them. */
async function expectSteps(output: string): Promise<void> {
  const [, contract = '', owner = ''] =
    /^Minted: token 1 of (0x\w{40})\nTransferred: token 1 belongs to (0x\w{40})\nGenuine: 0x[0-9a-f]{64}\n$/.exec(
      output,
    ) ?? [];
  const holder = await chainClient().readContract({
    address: contract as `0x${string}`,
    abi: [
      {
        type: 'function',
        name: 'ownerOf',
        stateMutability: 'view',
        inputs: [{ type: 'uint256' }],
        outputs: [{ type: 'address' }],
      },
    ],
    functionName: 'ownerOf',
    args: [1n],
  });
  expect(holder.toLowerCase()).toBe(owner.toLowerCase());
}

describe('the guide leads from a key to a mint, a gasless transfer and a checked certificate', () => {
  it('in curl', { timeout: TIMEOUT_MS }, async () => {
    await expectSteps(await follow('bash', ['guide.sh']));
  });

  it('in Python, with the standard library alone', { timeout: TIMEOUT_MS }, async () => {
    await expectSteps(await follow('python3', ['-I', 'guide.py']));
  });

  it(
    'in TypeScript, with a generated client, strictly compiled and without a cast',
    { timeout: TIMEOUT_MS },
    async () => {
      const program = await readFile(join(directory, 'guide.ts'), 'utf8');
      expect(program.replaceAll('as const', '')).not.toMatch(/\bas\b|: any\b|<any>|@ts-|!\./);

      await writeFile(join(directory, 'openapi.json'), await (await fetch(`${stack.url}/openapi.json`)).text());
      const generator = join(MODULES, 'openapi-typescript/bin/cli.js');
      const options = ['--default-non-nullable=false', '-o', 'openapi.ts'];
      await run(process.execPath, ['--import', WITH_TYPESCRIPT_5, generator, 'openapi.json', ...options], {
        cwd: directory,
      });

      await writeFile(join(directory, 'package.json'), JSON.stringify({ type: 'module' }));
      await writeFile(
        join(directory, 'tsconfig.json'),
        JSON.stringify({ compilerOptions: STRICT, files: ['guide.ts'] }),
      );
      const { stdout } = await run(join(MODULES, '.bin/tsc'), ['-p', '.'], { cwd: directory }).catch(
        (error: unknown) => error as { stdout: string },
      );
      expect(stdout).toBe('');

      await expectSteps(await follow(process.execPath, ['guide.ts']));
    },
  );
});
