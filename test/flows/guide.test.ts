import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newClient, stack } from '../fixtures/client.ts';
import project from '../../package.json' with { type: 'json' };
import { commandsOf, runInShell } from '../fixtures/document-commands.ts';
import { expectSteps } from '../fixtures/guide-steps.ts';
import { makeKey } from '../fixtures/keys.ts';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const MODULES = join(PROJECT, 'node_modules');
const TIMEOUT_MS = 100_000;
/** Generators use the compiler's API, which TypeScript 7, the project's compiler, does not have. */
const WITH_TYPESCRIPT_5 = `import { registerHooks } from 'node:module';
registerHooks({ resolve: (name, context, next) => next(name === 'typescript' ? 'typescript-5' : name, context) });
`;
const run = promisify(execFile);

/** Runs a generator that has the compiler's API in its directory. */
const generate = (generator: string, args: readonly string[]) =>
  run(process.execPath, ['--import', './typescript-5.mjs', join(MODULES, generator), ...args], { cwd: directory });

/** Compiles one file, with what it imports, by other options than those of the guide. @returns the compiler's errors. */
async function compile(file: string, options: object): Promise<string> {
  const { compilerOptions } = JSON.parse(await readFile(join(PROJECT, 'docs/programs/tsconfig.json'), 'utf8'));
  const changed = { compilerOptions: { ...compilerOptions, ...options }, files: [file] };
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(changed));
  const { stdout } = await run(join(MODULES, '.bin/tsc'), ['-p', '.'], { cwd: directory }).catch(
    (error: unknown) => error as { stdout: string },
  );
  return stdout;
}

/**
 * A mint with a client that @hey-api/openapi-ts has generated: by its functions alone, each field of a type of its own.
 */
const MINT_WITH_HEY_API = `
import { client } from './client/client.gen';
import { createMetadata, deployContract, getContract, getMintingOrder, orderMint } from './client';

const { NFT_URL = '', NFT_KEY = '' } = process.env;
client.setConfig({ baseUrl: NFT_URL, throwOnError: true, auth: ({ key }) => (key === 'accountKey' ? NFT_KEY : undefined) });

async function until<Resource extends { status: string }>(read: () => Promise<Resource>): Promise<Resource> {
  for (;;) {
    const resource = await read();
    if (['ACTIVE', 'CONFIRMED', 'FAILED'].includes(resource.status)) return resource;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const chainId = '43114';
const deployed = await deployContract({
  throwOnError: true,
  body: { chainId, name: 'Tickets', symbol: 'T', ercStandard: '721', contractType: 'standard' },
});
const { contractAddress } = await until(async () => (await getContract({ throwOnError: true, path: { id: deployed.data._id } })).data);
if (contractAddress == null) throw new Error('The deployment failed');
const metadata = await createMetadata({
  throwOnError: true,
  body: { chainId, name: 'Seat 1', imageUrl: 'https://example.com/a.png', utility: { type: 'Flexible', data: { status: 'Unused' } } },
});
const accepted = await orderMint({
  throwOnError: true,
  body: { chainId, contractAddress, receiverAddress: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', tokenId: '1', metadataId: metadata.data._id },
});
const order = await until(async () => (await getMintingOrder({ throwOnError: true, path: { id: accepted.data.id } })).data);
console.log(order.status, order.txHash);
`;

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'nft-guide-'));
  await cp(join(PROJECT, 'docs/programs'), directory, { recursive: true });
  await symlink(MODULES, join(directory, 'node_modules'));
  await writeFile(join(directory, 'openapi.json'), await (await fetch(`${stack.url}/openapi.json`)).text());
  await writeFile(join(directory, 'typescript-5.mjs'), WITH_TYPESCRIPT_5);
  // What the guide installs is there.
  await mkdir(join(directory, 'bin'));
  await writeFile(join(directory, 'bin/npm'), '#!/bin/sh\n[ "$*" = install ]\n', { mode: 0o755 });
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** Runs commands for a new account. @returns what they print. */
async function follow(commands: string): Promise<string> {
  const scopes = ['read', 'metadata', 'mint', 'transfer', 'deploy'];
  const { key } = await makeKey(await newClient(), { scopes });
  const { code, stdout, stderr } = await runInShell(commands, {
    cwd: directory,
    timeout: TIMEOUT_MS,
    env: {
      PATH: [join(directory, 'bin'), dirname(process.execPath), process.env['PATH']].join(delimiter),
      HOME: directory,
      NODE_OPTIONS: `--import=${pathToFileURL(join(directory, 'typescript-5.mjs')).href}`,
      NFT_URL: stack.url,
      NFT_KEY: key,
      RPC_URL: stack.rpcUrls['43114'] ?? '',
    },
  });
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

let commands: readonly string[];
beforeAll(async () => {
  commands = await commandsOf('docs/guide.md');
});
/** The commands that run a program. */
const command = (program: string) => commands.find((block) => block.trimEnd().endsWith(program)) ?? '';

describe('the guide leads from a key to a mint, a gasless transfer and a checked certificate', () => {
  it('in curl', { timeout: TIMEOUT_MS }, async () => {
    await expectSteps(await follow(command('guide.sh')));
  });

  it('in Python, with the standard library alone', { timeout: TIMEOUT_MS }, async () => {
    await expectSteps(await follow(command('guide.py')));
  });

  it(
    'in TypeScript, with a generated client, strictly compiled and without a cast',
    { timeout: TIMEOUT_MS },
    async () => {
      const program = await readFile(join(directory, 'guide.ts'), 'utf8');
      expect(program.replaceAll('as const', '')).not.toMatch(/\bas\b|: any\b|<any>|@ts-|!\./);
      const output = await follow(`set -e\n${command('guide.ts')}`);
      await expectSteps(output.slice(output.indexOf('Minted')));
    },
  );

  it('with the versions that this project is tested with', async () => {
    const guide = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'));
    const own = { ...project.dependencies, ...project.devDependencies };
    const tested = { ...own, typescript: own['typescript-5'].replace('npm:typescript@', '') };
    expect(tested).toMatchObject({ ...guide.dependencies, ...guide.devDependencies });
  });

  it.each(['guide.sh', 'guide.py', 'guide.ts'])('and %s ends at what is refused, and shows why', async (program) => {
    const ended = await runInShell(command(program).trimEnd().split('\n').at(-1) ?? '', {
      cwd: directory,
      env: { NFT_URL: stack.url, NFT_KEY: 'wrong', RPC_URL: stack.rpcUrls['43114'] ?? '' },
    });
    expect([ended.code, ended.stdout]).toEqual([1, '']);
    expect(ended.stderr).toContain('x-api-key');
  });
});

it('a client that @hey-api/openapi-ts generates compiles strictly, and mints', { timeout: TIMEOUT_MS }, async () => {
  await generate('@hey-api/openapi-ts/dist/run.mjs', ['-i', 'openapi.json', '-o', 'client', '--no-log-file']);
  await writeFile(join(directory, 'mint.ts'), MINT_WITH_HEY_API);
  // The generated files import each other without an extension, and are not written for exactOptionalPropertyTypes.
  const options = { exactOptionalPropertyTypes: false, module: 'esnext', moduleResolution: 'bundler' };
  expect(await compile('mint.ts', options)).toBe('');
  const bundle = ['mint.ts', '--bundle', '--platform=node', '--format=esm', '--outfile=mint.mjs', '--log-level=error'];
  await run(join(MODULES, '.bin/esbuild'), bundle, { cwd: directory });
  expect(await follow('node mint.mjs')).toMatch(/^CONFIRMED 0x[0-9a-f]{64}\n$/);
});
