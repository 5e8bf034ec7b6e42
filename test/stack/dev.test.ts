import { existsSync } from 'node:fs';
import { mkdtemp, readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createTestClient, http, parseEther, publicActions, type Address } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCorporate } from '../../scripts/accounts/run-corporate.ts';
import { runningStackSettings, type StackInfo, stackInfoSchema } from '../../stack/stack-files.ts';
import { processesUsing } from './support/processes.ts';
import { runCommand } from './support/run-command.ts';
import { type RunningScript, runScript } from './support/run-script.ts';
import { removeStackDirectory } from '../record/record-stack.ts';

const DEV = new URL('../../scripts/dev.ts', import.meta.url);
/** Below the ports of other tests, with what follows it; another one than a run beside this one has. */
const FIXED_PORT = String(9_000 + (process.pid % 900));
const patience = { timeout: 100_000, interval: 50 };

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'stack-dev-'));
});
afterAll(async () => {
  await removeStackDirectory(dataDir);
});

const chain = (url: string) => createTestClient({ mode: 'anvil', transport: http(url) }).extend(publicActions);

const dev = (args: readonly string[] = [], env: Record<string, string> = {}) =>
  runScript(DEV, args, { PORT: '0', STACK_DIR: dataDir, ...env });

/** The contents of stack.json, once it exists. */
async function ready(run: RunningScript): Promise<StackInfo> {
  const file = join(dataDir, 'stack.json');
  while (!existsSync(file)) {
    if (run.child.exitCode !== null) throw new Error(`It ended: ${run.output()}`);
    await delay(50);
  }
  return stackInfoSchema.strict().parse(JSON.parse(await readFile(file, 'utf8')));
}

async function corporate(args: readonly string[]): Promise<Record<string, string>> {
  const run = await runCommand(runCorporate, [...args, '--json'], { STACK_DIR: dataDir });
  expect(run).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^\{/),
    output: expect.stringMatching(/^Database: [\w.:]+\/\w+ \(local stack\)$/m),
  });
  return JSON.parse(run.stdout) as Record<string, string>;
}

describe('npm run dev', () => {
  it('starts the service on the given chains, keeps its data and ports across restarts, and stops every process on request', async () => {
    const first = dev([], { PORT: FIXED_PORT });
    const info = await ready(first);
    expect(info.pid).toBe(first.child.pid);
    expect((await stat(join(dataDir, 'stack.json'))).mode & 0o777).toBe(0o600);
    expect((await fetch(`${info.baseUrl}/health`)).status).toBe(200);
    expect(info.baseUrl).toBe(`http://127.0.0.1:${FIXED_PORT}`);
    await expect.poll(() => first.output(), patience).toMatch(/portal +http\S+\/portal\n +its key +key_live_/);
    for (const shown of ['/docs', '/console', info.adminSecret]) expect(first.output()).toContain(shown);

    expect(Object.keys(info.rpcUrls)).toEqual(['43113', '43114']);
    for (const chainId of ['43114', '43113'] as const) {
      const client = chain(info.rpcUrls[chainId] ?? '');
      expect(await client.getChainId()).toBe(Number(chainId));
      const balance = await client.getBalance({ address: info.walletAddress as `0x${string}` });
      expect(balance).toBe(parseEther('1000'));
    }

    const account = await corporate(['--name', 'Acme', '--corporate-id', 'acme']);
    expect(account).toEqual({
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
      corporateId: 'acme',
      walletAddress: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
      secretManagerKeyId: '/dapp/dev/corp/acme/wallet',
      webhookSecret: expect.stringMatching(/^whsec_/),
    });
    expect(await corporate(['--corporate-id', 'acme', '--webhook-url', 'http://127.0.0.1:9/hook'])).toEqual(account);

    const second = dev();
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain(`already runs on ${dataDir}`);

    first.child.kill('SIGTERM');
    expect(await first.ended).toBe(0);
    expect(processesUsing(dataDir)).toEqual([]);
    expect(existsSync(join(dataDir, 'stack.json'))).toBe(false);

    const third = dev([], { PORT: FIXED_PORT });
    const again = await ready(third);
    expect(again).toMatchObject({
      baseUrl: info.baseUrl,
      rpcUrls: info.rpcUrls,
      databaseUrl: info.databaseUrl,
      apiKey: info.apiKey,
      adminSecret: info.adminSecret,
      walletAddress: info.walletAddress,
    });
    expect(await corporate(['--corporate-id', 'acme'])).toEqual(account);

    third.child.kill('SIGKILL');
    await third.ended;
    await expect.poll(() => processesUsing(dataDir), patience).toEqual([]);
    expect(existsSync(join(dataDir, 'stack.json'))).toBe(false);

    const fresh = dev(['--fresh', '--kms', '--distance', '40'], { ALLOWED_CHAIN_IDS: '43114, 137' });
    const empty = await ready(fresh);
    expect(empty.walletAddress).not.toBe(info.walletAddress);
    expect(Object.keys(empty.rpcUrls)).toEqual(['137', '43114']);
    const polygon = chain(empty.rpcUrls['137'] ?? '');
    expect(await polygon.getChainId()).toBe(137);
    expect(await polygon.getBalance({ address: empty.walletAddress as Address })).toBe(parseEther('1000'));
    expect(fresh.output()).toContain('40 ms from its database and nodes');
    // The Worker's way is longer than that of scripts.
    const farUrl = runningStackSettings(dataDir)?.worker['RPC_URL_137'] ?? '';
    expect(farUrl).not.toBe(empty.rpcUrls['137']);
    expect(await chain(farUrl).getChainId()).toBe(137);
    expect(await corporate(['--corporate-id', 'demo'])).toMatchObject({
      walletAddress: empty.walletAddress,
      secretManagerKeyId: expect.stringMatching(/^arn:aws:kms:/),
      relayerAddress: expect.stringMatching(/^0x/),
    });
    fresh.child.kill('SIGINT');
    expect(await fresh.ended).toBe(0);
    expect(processesUsing(dataDir)).toEqual([]);
  });

  it('refuses a chain without a definition, and lists those that have one', async () => {
    const run = dev([], { ALLOWED_CHAIN_IDS: '43114,5' });
    expect(await run.ended).toBe(1);
    expect(run.output()).toContain('ALLOWED_CHAIN_IDS must be a comma-separated list of 43114,43113,137,80002');
  });

  it('stops cleanly during its start', async () => {
    const run = dev();
    await expect.poll(() => run.output(), patience).toContain('Starting');
    await expect.poll(() => processesUsing(dataDir).length, patience).toBeGreaterThan(0);
    run.child.kill('SIGTERM');
    expect(await run.ended).toBe(0);
    expect(processesUsing(dataDir)).toEqual([]);
  });

  it('reports a port that is in use and what to do', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? String(address?.port) : '';
    const run = dev([], { PORT: port });
    expect(await run.ended).toBe(1);
    expect(run.output()).toContain(`Port ${port} is in use by another program. Set PORT to another port`);
    server.close();
  });

  it('reports invalid settings', async () => {
    const run = dev([], { PORT: 'http' });
    expect(await run.ended).toBe(1);
    expect(run.output()).toContain('PORT must be a number');
    const far = dev(['--distance', 'far']);
    expect(await far.ended).toBe(1);
    expect(far.output()).toContain('--distance must be a number of milliseconds');
  });
});
