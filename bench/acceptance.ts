import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { commandLine } from '../cli/command-line.ts';
import { connectApi } from '../scripts/demo/api.ts';
import { freePort } from '../stack/ports.ts';
import { writePrivateFile } from '../cli/local-stack/private-file.ts';
import { startStack } from '../stack/stack.ts';
import { startWorker } from '../stack/worker.ts';
import { chainId, createMetadata, deployContract, receiverAddress } from './bench-resources.ts';
import { cpuOf } from './process-cpu.ts';

commandLine(
  `npm run bench:acceptance

The time to accept one mint with a hundred requests in flight, compared with a Worker that makes one INSERT over the same driver, in the same
run.
Example:
  npm run bench:acceptance`,
  {},
);

const REQUESTS = 1_000;
const IN_FLIGHT = 100;

interface Measured {
  /** Of the median request. */
  readonly milliseconds: number;
  /** Milliseconds of CPU time a request, of PostgreSQL and of the Workers runtime. */
  readonly cpu: { readonly postgres: number; readonly workerd: number };
}

/** @param request Makes one request and reads its reply. */
async function measure(request: (index: number) => Promise<unknown>): Promise<Measured> {
  const before = { postgres: cpuOf('postgres'), workerd: cpuOf('workerd') };
  const times: number[] = [];
  let next = 0;
  const caller = async () => {
    for (let index = next; index < REQUESTS; index = next) {
      next += 1;
      const started = performance.now();
      await request(index);
      times.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, caller));
  const used = (name: 'postgres' | 'workerd') => (cpuOf(name) - before[name]) / REQUESTS;
  return {
    milliseconds: times.toSorted((a, b) => a - b)[REQUESTS / 2] ?? 0,
    cpu: { postgres: used('postgres'), workerd: used('workerd') },
  };
}

async function switchChain(to: 'pause' | 'resume'): Promise<void> {
  const reply = await fetch(`${stack.info.baseUrl}/admin/chains/${chainId}/${to}`, {
    method: 'POST',
    headers: { 'x-admin-secret-key': stack.info.adminSecret },
  });
  if (!reply.ok) throw new Error(`${to} returned ${reply.status}: ${await reply.text()}`);
}

const dataDir = await mkdtemp(join(tmpdir(), 'nft-bench-'));
const stack = await startStack({ dataDir: join(dataDir, 'stack'), port: 0, fresh: true, quiet: true });
const database = new Client({ connectionString: stack.info.databaseUrl });
await database.connect();
await database.query('create table bench_inserts (id text primary key, body text not null)');
await database.query('grant insert on bench_inserts to public');
const configFile = join(dataDir, 'wrangler.toml');
const main = fileURLToPath(new URL('bare-worker.ts', import.meta.url));
writePrivateFile(configFile, `name = "bare"\nmain = ${JSON.stringify(main)}\ncompatibility_date = "2026-06-01"\n`);
const port = await freePort();
const bare = await startWorker({
  dataDir: join(dataDir, 'bare'),
  port,
  configFile,
  settings: stack.workerSettings,
  logFile: join(dataDir, 'bare.log'),
});
try {
  const api = connectApi(stack.info);
  const contractAddress = await deployContract(api);
  const metadata = await createMetadata(api, 2 * REQUESTS);
  const order = (index: number) => ({
    chainId,
    contractAddress,
    receiverAddress,
    tokenId: String(index + 1),
    metadataId: metadata[index],
  });
  const baseline = await measure(async (index) => {
    const reply = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: JSON.stringify(order(index)) });
    const text = await reply.text();
    if (reply.status !== 201) throw new Error(`The bare Worker returned ${reply.status}: ${text}`);
  });
  // While the chain is paused, orders are accepted and wait: the one thread of the local runtime does nothing else.
  await switchChain('pause');
  const alone = await measure((index) => api.post('/minting/order', order(index)));
  await switchChain('resume');
  const busy = await measure((index) => api.post('/minting/order', order(REQUESTS + index)));
  console.log(`${REQUESTS} requests, ${IN_FLIGHT} in flight, p50`);
  for (const [label, { milliseconds, cpu }] of [
    ['one INSERT          ', baseline],
    ['orders that wait    ', alone],
    ['orders carried out  ', busy],
  ] as const) {
    const times = (milliseconds / baseline.milliseconds).toFixed(1);
    const used = `CPU a request: PostgreSQL ${cpu.postgres.toFixed(1)} ms, Worker ${cpu.workerd.toFixed(1)} ms`;
    console.log(`  ${label} ${milliseconds.toFixed(0).padStart(5)} ms  ${times} times the INSERT  ${used}`);
  }
} finally {
  await bare.stop();
  await database.end();
  await stack.stop();
  await rm(dataDir, { recursive: true, force: true });
}
process.exit();
