import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { createTestClient, http, publicActions } from 'viem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type BackingServices, startBackingServices } from '../../stack/backing-services.ts';
import { processesUsing } from './support/processes.ts';
import { type RunningScript, runScript } from './support/run-script.ts';
import { removeStackDirectory } from '../record/record-stack.ts';

const patience = { interval: 20 };

const readySchema = z.object({
  databaseUrl: z.string(),
  rpcUrl: z.string(),
  credentials: z.unknown(),
  supervisorPid: z.number(),
});

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'stack-kill-'));
});
afterEach(() => removeStackDirectory(dataDir));

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

async function restart(): Promise<BackingServices> {
  await expect.poll(() => processesUsing(dataDir), patience).toEqual([]);
  return startBackingServices({ dataDir, baseUrl: 'http://127.0.0.1:9' });
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

describe('SIGKILL leaves no process behind, and the next start works', () => {
  it.each<[string, (run: RunningScript) => boolean]>([
    ['the first process has started', () => processesUsing(dataDir).length > 1],
    ['the database is being initialised', () => existsSync(join(dataDir, 'postgres/data.unfinished'))],
    ['the database server starts', () => existsSync(join(dataDir, 'postgres/data/postmaster.pid'))],
  ])('when %s', async (_, moment) => {
    const run = startInProcess();
    await expect.poll(() => moment(run), patience).toBe(true);
    await kill(run);
    const services = await restart();
    expect(await query(services.databaseUrl, 'SELECT * FROM corporate_accounts')).toEqual([]);
    await services.stop();
    expect(processesUsing(dataDir)).toEqual([]);
  });

  it('when everything runs; committed and mined data is still there', async () => {
    const run = startInProcess();
    const before = await ready(run);
    await query(before.databaseUrl, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await chainAt(before.rpcUrl).mine({ blocks: 3 });
    await kill(run);

    const services = await restart();
    expect(await query(services.databaseUrl, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
    expect(await chainAt(services.rpcUrls['43114'] ?? '').getBlockNumber()).toBe(3n);
    expect(services.credentials).toEqual(before.credentials);
    await services.stop();
    expect(processesUsing(dataDir)).toEqual([]);
  });
});

it('killing the supervisor leaves no process behind either', async () => {
  const run = startInProcess();
  const { supervisorPid } = await ready(run);
  process.kill(supervisorPid, 'SIGKILL');
  // Only the script itself is left, whose command line contains the directory.
  await expect.poll(() => processesUsing(dataDir).length, patience).toBe(1);
  await kill(run);
});
