import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { DEFAULT_CHAIN } from '../../../src/chains/list.ts';
import { commandLine } from '../../../cli/command-line.ts';
import { connectApi } from '../../../scripts/demo/api.ts';
import { fireCron } from '../../../stack/fire-cron.ts';
import { startDevStack, type DevStack } from '../support/dev-stack.ts';
import { countUnfinished, databaseSize, differencesOf } from '../support/ledger.ts';
import { recovered } from '../support/recovered.ts';
import { databasePid, runtimePids } from './victims.ts';

const USAGE = `npm run soak:import [-- --rows N] [--kills N]

Imports a file on the dev stack, kills parts of it meanwhile, and compares what was made with the file and the chain:
docs/imports.md.
  --rows   of the file (default 100000)
  --kills  how often the runtime or the database is killed, evenly over the rows (default 6)
Example:
  npm run soak:import -- --rows 2000 --kills 2`;

const { values } = commandLine(USAGE, {
  rows: { type: 'string', default: '100000' },
  kills: { type: 'string', default: '6' },
});
const rows = Number(values.rows);
const kills = Number(values.kills);
const chainId = DEFAULT_CHAIN.id;
const POLL_MS = 500;
const MINUTE_MS = 60_000;
/** How long the mints of the last rows may take. */
const FINISH_MS = 10 * MINUTE_MS;
const COLUMNS = 'receiverAddress,tokenId,name,imageUrl,utility.type,utility.data.status';

const importSchema = z.object({
  id: z.string(),
  status: z.string(),
  rowsChecked: z.number(),
  faultCount: z.number(),
  accepted: z.number(),
  refused: z.number(),
});

/** The bytes that the processes of the runtime hold resident. */
async function residentBytes(dataDir: string): Promise<number> {
  const statuses = await Promise.all(
    runtimePids(dataDir).map((pid) => readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')),
  );
  return statuses.reduce((sum, text) => sum + Number(/VmRSS:\s+(\d+) kB/.exec(text)?.[1] ?? 0) * 1_024, 0);
}

function* lines(receiver: string): Generator<string> {
  yield `${COLUMNS}\r\n`;
  for (let row = 1; row <= rows; row += 1) {
    yield `${receiver},${row},"Ticket ${row}, zone A",https://example.com/${row}.png,Flexible,Unused\r\n`;
  }
}

/** The import of a file, on a stack whose parts are killed. */
class ImportSoak {
  readonly #dataDir: string;
  #stack: DevStack;
  #peakBytes = 0;

  constructor(dataDir: string, stack: DevStack) {
    this.#dataDir = dataDir;
    this.#stack = stack;
  }

  /** @param body A POST of this media type; without one, a GET. */
  async #call(path: string, body?: { readonly type: string; readonly text: string }): Promise<string> {
    const { baseUrl, apiKey, corporateId } = this.#stack.info;
    const headers = { 'x-api-key': apiKey, 'x-corporate-id': corporateId };
    const post = body && { method: 'POST', headers: { ...headers, 'content-type': body.type }, body: body.text };
    const reply = await fetch(`${baseUrl}${path}`, post ?? { headers });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${path} returned ${reply.status}: ${text}`);
    return text;
  }

  async #read(id: string) {
    for (;;) {
      try {
        return importSchema.parse(JSON.parse(await this.#call(`/imports/${id}`)));
      } catch (error) {
        console.log(`Not read: ${String(error).slice(0, 200)}`);
        await delay(POLL_MS);
      }
    }
  }

  /** Waits for a status, and kills a part each time that a further share of the rows is done. */
  async #until(id: string, status: string, times: number, doneOf: (one: z.output<typeof importSchema>) => number) {
    let killed = 0;
    for (;;) {
      const one = await this.#read(id);
      this.#peakBytes = Math.max(this.#peakBytes, await residentBytes(this.#dataDir));
      if (one.status === status) return one;
      if (killed < times && doneOf(one) >= (rows * (killed + 1)) / (times + 1)) {
        killed += 1;
        await this.#kill(killed % 2 === 0 ? 'database' : 'runtime', doneOf(one));
      }
      await delay(POLL_MS);
    }
  }

  async #kill(victim: 'database' | 'runtime', done: number): Promise<void> {
    console.log(`Kills the ${victim} after ${done} rows`);
    const [pid] = victim === 'database' ? [databasePid(this.#dataDir)] : runtimePids(this.#dataDir);
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
    this.#stack = await recovered(this.#dataDir, this.#stack);
    // Messages died with the runtime.
    await fireCron(this.#stack.info.baseUrl, Date.now() + 30 * MINUTE_MS);
  }

  async run(): Promise<readonly string[]> {
    const { info } = this.#stack;
    const sizeBefore = await databaseSize(info);
    const api = connectApi(info);
    const { _id } = await api.post('/contracts/deploy', {
      name: 'Soak',
      symbol: 'SOAK',
      ercStandard: '721',
      contractType: 'standard',
    });
    const { contractAddress } = await api.result(`/contracts/${String(_id)}`);
    const file = [...lines(info.walletAddress)].join('');
    const target = new URLSearchParams({ kind: 'tokens', chainId, contractAddress: String(contractAddress) });
    const watch = stopwatch();
    const upload = { type: 'text/csv', text: file };
    const { id } = importSchema.parse(JSON.parse(await this.#call(`/imports?${target.toString()}`, upload)));
    console.log(`${rows} rows, ${megabytes(file.length)} MB: uploaded in ${watch()} s`);
    const checked = await this.#until(id, 'CHECKED', kills === 0 ? 0 : 1, ({ rowsChecked }) => rowsChecked);
    console.log(`Checked in ${watch()} s, ${checked.faultCount} faults`);
    await this.#call(`/imports/${id}/start`, { type: 'application/json', text: '{}' });
    const ended = await this.#until(id, 'COMPLETED', Math.max(0, kills - 1), ({ accepted }) => accepted);
    console.log(`Accepted in ${watch()} s: ${ended.accepted}, refused ${ended.refused}`);
    const deadline = Date.now() + FINISH_MS;
    while ((await countUnfinished(this.#stack.info)) > 0 && Date.now() < deadline) await delay(POLL_MS);
    console.log(`Mined in ${watch()} s`);
    const grown = (await databaseSize(this.#stack.info)) - sizeBefore;
    console.log(
      `The runtime held at most ${megabytes(this.#peakBytes)} MB; the database has grown by ${megabytes(grown)} MB`,
    );
    const differences = [...(await this.#resultDifferences(id)), ...(await differencesOf(this.#stack.info, chainId))];
    console.log(`Compared in ${watch()} s`);
    return differences;
  }

  /** Every row has one confirmed mint of its token, and its own document. */
  async #resultDifferences(id: string): Promise<string[]> {
    const [, ...results] = (await this.#call(`/imports/${id}/result`)).trimEnd().split('\r\n');
    const cells = results.map((line) => line.split(','));
    const differences = cells.flatMap(([row, status, , , tokenId], index) =>
      row === String(index + 2) && status === 'CONFIRMED' && tokenId === String(index + 1)
        ? []
        : [`row ${index + 2} has the result ${results[index]}`],
    );
    for (const [name, place] of [
      ['document', 2],
      ['order', 3],
    ] as const) {
      const ids = new Set(cells.map((row) => row[place]));
      if (ids.size !== rows) differences.push(`${rows} rows have ${ids.size} ids of a ${name}`);
    }
    return differences;
  }

  async stop(): Promise<void> {
    this.#stack.run.child.kill('SIGTERM');
    await this.#stack.run.ended;
  }
}

function megabytes(bytes: number): string {
  return (bytes / 1_048_576).toFixed(1);
}

/** @returns what tells the seconds since it was last asked. */
function stopwatch(): () => string {
  let last = Date.now();
  return () => {
    const before = last;
    last = Date.now();
    return ((last - before) / 1_000).toFixed(0);
  };
}

const directory = await mkdtemp(join(tmpdir(), 'soak-import-'));
const soak = new ImportSoak(directory, await startDevStack(directory));
const differences = await soak.run();
await soak.stop();
for (const difference of differences) console.log(difference);
console.log(`${differences.length} differences.`);
if (differences.length > 0) process.exitCode = 1;
else await rm(directory, { recursive: true, force: true });
