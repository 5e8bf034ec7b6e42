import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient, verifyWebhook, type ConnectionError } from '../../clients/typescript/src/index.ts';
import project from '../../package.json' with { type: 'json' };
import { startBuiltWorkers } from '../fixtures/built-worker.ts';
import { createMetadata, newClient, stack } from '../fixtures/client.ts';
import { commandsOf, runInShell } from '../fixtures/document-commands.ts';
import { expectSteps } from '../fixtures/guide-steps.ts';
import { HOSTILE_MODES, startHostileServer, type HostileServer } from '../fixtures/hostile-server.ts';
import { makeKey } from '../fixtures/keys.ts';
import { startWebhookReceiver } from '../fixtures/webhook-receiver.ts';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
const MODULES = join(REPOSITORY, 'node_modules');
const TIMEOUT_MS = 100_000;
const run = promisify(execFile);

/** `npm` without a network: what the guide installs from the registry is there already. */
const NPM = `#!/bin/sh
case "$*" in
  install) ;;
  'install viem typescript@5 @types/node')
    mkdir -p node_modules/.bin node_modules/@types
    ln -s '${MODULES}/viem' node_modules/viem
    ln -s '${MODULES}/@types/node' node_modules/@types/node
    ln -s '${MODULES}/typescript-5/bin/tsc' node_modules/.bin/tsc ;;
  *) PATH="\${PATH#*:}" exec npm "$@" ;;
esac
`;

let directory: string;
/** An empty project, in which the client is installed. */
let projectDirectory: string;
let makePackage = '';
let installPackage = '';
let runProgram = '';

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'nft-client-'));
  projectDirectory = await mkdtemp(join(directory, 'project-'));
  await writeFile(join(projectDirectory, 'package.json'), '{"type":"module"}');
  await writeFile(join(directory, 'npm'), NPM);
  await chmod(join(directory, 'npm'), 0o755);
  await copyFile(join(REPOSITORY, 'docs/programs/guide-client.ts'), join(projectDirectory, 'guide-client.ts'));
  [makePackage = '', installPackage = '', runProgram = ''] = await commandsOf('docs/client.md');
  await follow(makePackage, REPOSITORY);
  await follow(installPackage);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** Runs commands of the guide. @returns what they print. */
async function follow(commands: string, cwd = projectDirectory, env: Readonly<Record<string, string>> = {}) {
  const { code, stdout, stderr } = await runInShell(`set -e\n${commands}`, {
    cwd,
    timeout: TIMEOUT_MS,
    env: {
      PATH: [directory, dirname(process.execPath), process.env['PATH']].join(delimiter),
      HOME: directory,
      PROJECT: projectDirectory,
      npm_config_offline: 'true',
      npm_config_audit: 'false',
      ...env,
    },
  });
  if (code !== 0) throw new Error(`${stdout}${stderr}`);
  return stdout;
}

it('the guide of the client leads from a key to a checked certificate', { timeout: TIMEOUT_MS }, async () => {
  const program = await readFile(join(projectDirectory, 'guide-client.ts'), 'utf8');
  expect(program).not.toMatch(/\bas\b|: any\b|<any>|@ts-|!\./);
  const scopes = ['read', 'metadata', 'mint', 'transfer', 'deploy'];
  const { key } = await makeKey(await newClient(), { scopes });
  const env = { NFT_URL: stack.url, NFT_KEY: key, RPC_URL: stack.rpcUrls['43114'] ?? '' };
  await expectSteps(await follow(runProgram, projectDirectory, env));
});

it('what the guide and the readme show compiles, and a wrong field does not', { timeout: TIMEOUT_MS }, async () => {
  const wrong = "\n// @ts-expect-error\nawait nft.getContract({ name: 'x' });";
  const files = ['docs/client.md', 'clients/typescript/README.md'];
  for (const [index, file] of files.entries()) {
    const blocks = (await readFile(join(REPOSITORY, file), 'utf8')).matchAll(/^```ts\n([\s\S]*?)^```/gm);
    const code = Array.from(blocks, ([, block]) => block).join('\n');
    await writeFile(join(projectDirectory, `example-${index}.ts`), `${code}${wrong}`);
  }
  const [command = ''] = /^npx tsc .*guide-client\.ts$/m.exec(runProgram) ?? [];
  const compiled = await follow(`${command.replace('guide-client.ts', 'example-0.ts example-1.ts')} --lib es2024,dom`);
  expect(compiled).toBe('');
});

it('the package has what it needs, no more, and the version and licence of the service', async () => {
  const installed = join(projectDirectory, 'node_modules/nft-issuance-client');
  const files = await readdir(installed);
  expect(files.toSorted()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
  const built = await readdir(join(installed, 'dist'));
  expect(built.filter((file) => !/\.(?:js|d\.ts)$/.test(file))).toEqual([]);
  const manifest: Record<string, unknown> = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
  expect(manifest).toMatchObject({ version: project.version, license: project.license });
  expect(Object.keys(manifest).filter((field) => /dependencies/i.test(field))).toEqual([]);
  const [licence, ofService] = await Promise.all(
    [installed, REPOSITORY].map((folder) => readFile(join(folder, 'LICENSE'), 'utf8')),
  );
  expect(licence).toBe(ofService);
});

it('the package runs in Workers without the modules of Node.js', { timeout: TIMEOUT_MS }, async () => {
  await writeFile(
    join(projectDirectory, 'worker.mjs'),
    `import { createClient, verifyWebhook } from 'nft-issuance-client';
    export default {
      async fetch(request) {
        const { baseUrl, key, id } = await request.json();
        const nft = createClient({ baseUrl, key });
        const { items } = await nft.listMetadata();
        const found = await nft.getContract({ id }).catch((error) => error.name);
        const event = await verifyWebhook('{}', request.headers, 'whsec_AAAA').catch((error) => error.name);
        return Response.json([items, found, event]);
      },
    };`,
  );
  // For no platform, so that a module of any is not found.
  const bundle = ['worker.mjs', '--bundle', '--format=esm', '--platform=neutral', '--conditions=import'];
  const { stdout: script } = await run(join(MODULES, '.bin/esbuild'), bundle, { cwd: projectDirectory });
  expect(script).not.toMatch(/\b(?:Buffer|process|global|__dirname|require)\b/);

  const worker = await startBuiltWorkers([{ name: 'caller', modules: true, script, compatibilityDate: '2026-10-23' }]);
  try {
    const { key } = await makeKey(await newClient(), { scopes: ['read'] });
    const body = JSON.stringify({ baseUrl: stack.url, key, id: '0'.repeat(24) });
    const reply = await fetch(worker.url, { method: 'POST', body });
    expect(await reply.json()).toEqual([[], 'NotFoundError', 'WebhookVerificationError']);
  } finally {
    await worker.stop();
  }
});

it('the client goes through real pages, and verifies what the service signs with two secrets', async () => {
  const account = await newClient();
  const { key } = await makeKey(account, { scopes: ['read', 'webhooks'] });
  const nft = createClient({ baseUrl: stack.url, key });

  const created = [await createMetadata(account), await createMetadata(account), await createMetadata(account)];
  const listed: string[] = [];
  for await (const { _id } of nft.listMetadata({ limit: 1 })) listed.push(_id);
  expect(listed).toEqual(created.toReversed());

  const receiver = await startWebhookReceiver();
  try {
    const endpoint = await nft.createWebhookEndpoint({ url: receiver.url });
    const rotated = await nft.rotateWebhookSecret({ id: endpoint.id });
    await nft.testWebhookEndpoint({ id: endpoint.id });
    await expect.poll(() => receiver.deliveries.length).toBe(1);
    const { body = '', headers = {} } = receiver.deliveries[0] ?? {};
    for (const secret of [endpoint.secret, rotated.secret]) {
      expect(await verifyWebhook(body, headers, secret)).toMatchObject({
        type: 'webhook.test',
        id: headers['webhook-id'],
      });
    }
  } finally {
    await receiver.close();
  }
});

describe('a client of a service that is hostile', () => {
  let server: HostileServer;
  beforeAll(async () => {
    server = await startHostileServer();
  });
  afterAll(() => server.stop());

  /** What each ends as. What is JSON is a reply, of whatever form. */
  const ENDS: Readonly<Record<(typeof HOSTILE_MODES)[number], string>> = {
    drip: 'timeout',
    'drip-headers': 'timeout',
    informational: 'timeout',
    silent: 'timeout',
    flood: 'too_large',
    headers: 'network',
    bomb: 'too_large',
    'not-gzip': 'network',
    nested: 'a reply',
    truncated: 'network',
    loop: 'redirect',
    redirect: 'redirect',
  };

  it.each(HOSTILE_MODES)('comes to an end, and lets go of it: %s', async (mode) => {
    const key = 'key_live_0123456789abcdef';
    const timeoutMs = ENDS[mode] === 'timeout' ? 300 : 60_000;
    const nft = createClient({ baseUrl: `${server.url}/${mode}`, key, timeoutMs, maxRetries: 0 });
    const ended = await nft.getLimits().then(
      () => 'a reply',
      (error: ConnectionError) => {
        expect(JSON.stringify([error.stack, Object.entries(error)])).not.toContain(key);
        return error.reason;
      },
    );
    expect([server.requests.get(mode), ended]).toEqual([1, ENDS[mode]]);
    await expect.poll(() => server.open()).toBe(0);
    expect(server.strayed).toEqual([]);
  });
});
