import { existsSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEther, type Address } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runningStackSettings } from '../../cli/local-stack/stack-files.ts';
import { removeStackDirectory } from '../record/record-stack.ts';
import { corporateOf, localChain as chain, patience, readyStack, runDev } from './support/dev.ts';
import { processesUsing } from './support/processes.ts';
import type { RunningScript } from './support/run-script.ts';

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
  it('starts afresh, on the given chains, with its keys in KMS, at the given distance', async () => {
    const earlier = join(dataDir, 'earlier');
    await writeFile(earlier, '');
    const fresh = dev(['--fresh', '--kms', '--distance', '40'], { ALLOWED_CHAIN_IDS: '43114, 137' });
    const empty = await ready(fresh);
    expect(existsSync(earlier)).toBe(false);
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
