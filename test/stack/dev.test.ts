import { existsSync } from 'node:fs';
import { mkdtemp, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEther } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { corporateOf, localChain as chain, patience, readyStack, runDev } from './support/dev.ts';
import { processesUsing } from './support/processes.ts';
import type { RunningScript } from './support/run-script.ts';
import { removeStackDirectory } from '../record/record-stack.ts';

/** Below the ports of other tests, with what follows it; another one than a run beside this one has. */
const FIXED_PORT = String(9_000 + (process.pid % 900));

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'stack-dev-'));
});
afterAll(async () => {
  await removeStackDirectory(dataDir);
});

const dev = (args?: readonly string[], env?: Record<string, string>) => runDev(dataDir, args, env);
const ready = (run: RunningScript) => readyStack(dataDir, run);
const corporate = (args: readonly string[]) => corporateOf(dataDir, args);

describe('npm run dev', () => {
  it('starts the service, keeps its data and ports across restarts, and stops every process on request', async () => {
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
  });
});
