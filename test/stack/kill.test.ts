import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { createTestClient, http, publicActions } from 'viem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Services, startServices } from '../../stack/services.ts';
import { processesUsing } from './support/processes.ts';
import { type RunningScript, runScript } from './support/run-script.ts';

const patience = { timeout: 50_000, interval: 20 };

const readySchema = z.object({
  databaseUrl: z.string(),
  rpcUrl: z.string(),
  identity: z.unknown(),
  keeperPid: z.number(),
});

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'stack-kill-'));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

/** The services, in a process of their own. */
const startApart = () => runScript(new URL('./support/start-services.ts', import.meta.url), [dataDir], {});

async function ready(run: RunningScript) {
  await expect.poll(() => run.output(), patience).toContain('\n');
  return readySchema.parse(JSON.parse(run.output()));
}

async function kill(run: RunningScript): Promise<void> {
  run.child.kill('SIGKILL');
  expect(await run.ended).toBe('SIGKILL');
}

async function startAgain(): Promise<Services> {
  await expect.poll(() => processesUsing(dataDir), patience).toEqual([]);
  return startServices({ dataDir, baseUrl: 'http://127.0.0.1:9' });
}

async function query(databaseUrl: string, text: string): Promise<unknown[]> {
  const client = new Client({ connectionString: databaseUrl });
  // The server may be killed before the connection's end is through.
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
    ['the database is being made', () => existsSync(join(dataDir, 'postgres/data.unfinished'))],
    ['the database server starts', () => existsSync(join(dataDir, 'postgres/data/postmaster.pid'))],
  ])('when %s', async (_, moment) => {
    const run = startApart();
    await expect.poll(() => moment(run), patience).toBe(true);
    await kill(run);
    const services = await startAgain();
    expect(await query(services.databaseUrl, 'SELECT * FROM corporate_accounts')).toEqual([]);
    await services.stop();
    expect(processesUsing(dataDir)).toEqual([]);
  });

  it('when everything runs, and what was committed and mined is there again', async () => {
    const run = startApart();
    const before = await ready(run);
    await query(before.databaseUrl, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await chainAt(before.rpcUrl).mine({ blocks: 3 });
    await kill(run);

    const services = await startAgain();
    expect(await query(services.databaseUrl, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
    expect(await chainAt(services.rpcUrls['43114'] ?? '').getBlockNumber()).toBe(3n);
    expect(services.identity).toEqual(before.identity);
    await services.stop();
    expect(processesUsing(dataDir)).toEqual([]);
  });
});

it('a keeper that is killed leaves no process behind either', async () => {
  const run = startApart();
  const { keeperPid } = await ready(run);
  process.kill(keeperPid, 'SIGKILL');
  // Only the script itself is left, which names the directory too.
  await expect.poll(() => processesUsing(dataDir).length, patience).toBe(1);
  await kill(run);
});
