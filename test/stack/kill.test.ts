import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { createTestClient, http, publicActions } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { startBackingServices } from '../../stack/backing-services.ts';
import { processesUsing } from './support/processes.ts';
import { type RunningScript, runScript } from './support/run-script.ts';
import { removeStackDirectory } from '../record/record-stack.ts';

const patience = { timeout: 100_000, interval: 20 };

const readySchema = z.object({
  databaseUrl: z.string(),
  rpcUrl: z.string(),
  credentials: z.unknown(),
  supervisorPid: z.number(),
});

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'stack-kill-'));
});
afterAll(() => removeStackDirectory(dataDir));

/** Starts the backing services in a separate process. */
const startInProcess = () => runScript(new URL('./support/start-backing-services.ts', import.meta.url), [dataDir], {});

async function ready(run: RunningScript) {
  await expect.poll(() => run.output(), patience).toContain('\n');
  return readySchema.parse(JSON.parse(run.output()));
}

async function kill(run: RunningScript): Promise<void> {
  run.child.kill('SIGKILL');
  expect(await run.ended).toBe('SIGKILL');
}

async function query(databaseUrl: string, text: string): Promise<unknown[]> {
  const client = new Client({ connectionString: databaseUrl });
  // The server may be killed before the connection is closed.
  client.on('error', () => {});
  await client.connect();
  const { rows } = await client.query(text);
  await client.end();
  return rows;
}

const chainAt = (rpcUrl: string) => createTestClient({ mode: 'anvil', transport: http(rpcUrl) }).extend(publicActions);

/**
 * By name, what is seen of the processes of a start and of their files from then on, if the start before was killed
 * late.
 */
const MOMENTS: Readonly<Record<string, () => boolean>> = {
  'the first process has started': () => processesUsing(dataDir).length > 1,
  'the database is being initialised': () =>
    existsSync(join(dataDir, 'postgres/data')) || processesUsing(dataDir).some((command) => /\binitdb\b/.test(command)),
  'the database server starts': () => existsSync(join(dataDir, 'postgres/data/postmaster.pid')),
};

it('SIGKILL at any moment of a start leaves no process behind, and the next start works with what is there', async () => {
  for (const [name, moment] of Object.entries(MOMENTS)) {
    const run = startInProcess();
    await expect.poll(moment, { ...patience, message: name }).toBe(true);
    await kill(run);
    await expect.poll(() => processesUsing(dataDir), patience).toEqual([]);
  }
  const run = startInProcess();
  const before = await ready(run);
  expect(await query(before.databaseUrl, 'SELECT * FROM corporate_accounts')).toEqual([]);
  await query(before.databaseUrl, 'CREATE TABLE kept AS SELECT 42 AS answer');
  await chainAt(before.rpcUrl).mine({ blocks: 3 });
  await kill(run);

  await expect.poll(() => processesUsing(dataDir), patience).toEqual([]);
  const services = await startBackingServices({ dataDir, baseUrl: 'http://127.0.0.1:9' });
  expect(await query(services.databaseUrl, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  expect(await chainAt(services.rpcUrls['43114'] ?? '').getBlockNumber()).toBe(3n);
  expect(services.credentials).toEqual(before.credentials);
  await services.stop();
  expect(processesUsing(dataDir)).toEqual([]);
});

it('killing the supervisor leaves no process behind either', async () => {
  const run = startInProcess();
  const { supervisorPid } = await ready(run);
  process.kill(supervisorPid, 'SIGKILL');
  // Only the script itself is left, whose command line contains the directory.
  await expect.poll(() => processesUsing(dataDir).length, patience).toBe(1);
  await kill(run);
});
