import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { Random } from '../../simulation/world/random.ts';
import { countUnfinished } from '../support/ledger.ts';
import { RuntimeMemory } from '../support/runtime-memory.ts';
import { MixedTraffic } from './mixed-traffic.ts';
import { startSoakStack, type SoakStack } from './soak-stack.ts';
import { TimedRequests, percentileOf } from './timed-requests.ts';
import { commandLine } from '../../../cli/command-line.ts';

const USAGE = `npm run soak:load [-- --minutes N] [--seed N]

Mixed traffic over 64 connections, and again for half as long while one account floods the service and the wallet of another one is stuck:
docs/reliability.md.
  --minutes  how long (default 10)
  --seed     of the requests (default: a random one, which is printed)
Example:
  npm run soak:load -- --minutes 2`;

const { values } = commandLine(USAGE, { minutes: { type: 'string', default: '10' }, seed: { type: 'string' } });
const minutes = Number(values.minutes);
const seed = values.seed ?? String(randomInt(1_000_000_000));

const MINUTE_MS = 60_000;
const CONNECTIONS = 64;
const ACCOUNTS = 4;
/** Of the connections, in the second part. */
const FLOODING = 16;
const SAMPLE_MS = 5_000;
/** How long the work that is left at the end may take. */
const DRAIN_MS = 5 * MINUTE_MS;
const MAX_HEAP_MB = 64;
const MB = 2 ** 20;

const eventSchema = z.object({ type: z.string(), data: z.record(z.string(), z.unknown()) });

/** A webhook server that reports the orders whose mints have ended. */
async function receiveEnds(report: (orderId: string) => void) {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      response.writeHead(204).end();
      const { type, data } = eventSchema.parse(JSON.parse(Buffer.concat(chunks).toString()));
      if (type.startsWith('mint.')) report(String(data['id']));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server on a TCP port has this kind of address
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/soak`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

interface Soak {
  readonly stack: SoakStack;
  readonly memory: RuntimeMemory;
  readonly requests: TimedRequests;
  readonly traffics: readonly MixedTraffic[];
}

/** What a part of the run has measured. */
interface Part {
  /** When it began and ended, in milliseconds since the start. */
  readonly from: number;
  readonly to: number;
  /** Milliseconds: the 99th percentile of requests in the first and in the last minute. */
  readonly first: number;
  readonly last: number;
  /**
   * Megabytes of the runtime: the median of the second minute, or of the first if there is no other, and of the last.
   */
  readonly memory: readonly [number, number];
}

async function measure({ memory, requests }: Soak, milliseconds: number): Promise<Part> {
  const from = requests.now();
  const to = from + milliseconds;
  const samples: { readonly at: number; readonly memory: number }[] = [];
  while (requests.now() < to) {
    samples.push({ at: requests.now(), memory: memory.resident() / MB });
    await delay(Math.min(SAMPLE_MS, Math.max(0, to - requests.now())));
  }
  const memoryIn = (start: number) =>
    percentileOf(
      0.5,
      samples.filter(({ at }) => at >= start && at < start + MINUTE_MS).map((sample) => sample.memory),
    );
  return {
    from,
    to,
    first: requests.percentile(0.99, from, from + MINUTE_MS),
    last: requests.percentile(0.99, to - MINUTE_MS, to),
    memory: [memoryIn(Math.min(from + MINUTE_MS, to - MINUTE_MS)), memoryIn(to - MINUTE_MS)],
  };
}

/** The median of the milliseconds from an order of the part to its webhook, once all have ended. */
function journeyOf({ requests, traffics }: Soak, { from, to }: Part): number {
  const journeys = traffics
    .flatMap(({ journeys: own }) => [...own.values()])
    .filter(({ acceptedAt }) => acceptedAt >= from && acceptedAt < to)
    .map(({ acceptedAt, endedAt = requests.now() }) => endedAt - acceptedAt);
  return percentileOf(0.5, journeys);
}

/** Milliseconds until no work was left. @throws when it takes too long. */
async function drained(stack: SoakStack): Promise<number> {
  const started = performance.now();
  while ((await countUnfinished(stack)) > 0) {
    if (performance.now() - started > DRAIN_MS)
      throw new Error(`${await countUnfinished(stack)} transactions and deliveries are still unfinished`);
    await delay(100);
  }
  return performance.now() - started;
}

function print(name: string, { first, last, memory }: Part): void {
  console.log(`${name} (load average ${loadavg()[0]?.toFixed(1)})`);
  console.log(
    `  requests, p99            ${first.toFixed(0)} ms in the first minute, ${last.toFixed(0)} ms in the last`,
  );
  console.log(
    `  memory of the runtime    ${memory[0].toFixed(0)} MB after the first minute, ${memory[1].toFixed(0)} MB in the last`,
  );
}

/**
 * Ends a part: stops its traffic, and waits until no work is left.
 * @returns the median from an order to its webhook, in milliseconds.
 */
async function finish(run: Soak, part: Part, traffics: readonly MixedTraffic[]): Promise<number> {
  const { stack, requests } = run;
  await Promise.all(traffics.map((traffic) => traffic.stop()));
  stack.recover();
  const seconds = (await drained(stack)) / 1_000;
  const journey = journeyOf(run, part);
  console.log(`  from order to webhook    p50 ${journey.toFixed(0)} ms`);
  console.log(`  the backlog drained in   ${seconds.toFixed(1)} s`);
  console.log(`  requests so far          ${requests.answered.length}`);
  console.log(`  errors                   ${errorsOf(requests).join('\n') || 'none'}`);
  return journey;
}

const errorsOf = ({ errors }: TimedRequests) => Array.from(errors, ([error, count]) => `${count} times ${error}`);

async function soak(dataDir: string): Promise<string[]> {
  const traffics: MixedTraffic[] = [];
  const receiver = await receiveEnds((orderId) => {
    for (const traffic of traffics) traffic.received(orderId);
  });
  const stack = await startSoakStack(dataDir);
  try {
    const memory = await RuntimeMemory.open({ ...stack, dataDir });
    const requests = new TimedRequests(stack.baseUrl);
    const random = new Random(seed);
    const trafficOf = async (name: string) => {
      const corporateId = await stack.createAccount(name, `${receiver.url}/${name}`);
      const traffic = new MixedTraffic(corporateId, stack, requests, random.fork(name));
      await traffic.prepare();
      return traffic;
    };
    for (let index = 1; index <= ACCOUNTS; index += 1) traffics.push(await trafficOf(`account-${index}`));
    const [flooding, stuck] = [await trafficOf('flooding'), await trafficOf('stuck')];
    const run = { stack, memory, requests, traffics };

    for (const traffic of traffics) traffic.begin(CONNECTIONS / ACCOUNTS);
    const alone = await measure(run, minutes * MINUTE_MS);
    print('Mixed traffic', alone);
    const journey = await finish(run, alone, traffics);

    stack.lose(stuck.contract);
    for (const traffic of traffics) traffic.begin((CONNECTIONS - FLOODING) / ACCOUNTS);
    flooding.flood(FLOODING - 1);
    stuck.mintSteadily();
    const disturbed = await measure(run, Math.max(MINUTE_MS, (minutes / 2) * MINUTE_MS));
    print('One account floods, and one wallet is stuck', disturbed);
    const disturbedJourney = await finish(run, disturbed, [...traffics, flooding, stuck]);
    const heap = (await memory.collectedHeap()) / MB;
    memory.close();
    console.log(`Heap after a collection    ${heap.toFixed(1)} MB`);
    console.log(`${requests.answered.length} requests, ${requests.limited} of them refused by a rate limit`);
    return [
      ...errorsOf(requests),
      ...(alone.last > 2 * alone.first ? ['p99 has more than doubled'] : []),
      ...(alone.memory[1] > 1.25 * alone.memory[0] ? ['The memory of the runtime has grown'] : []),
      ...(heap > MAX_HEAP_MB ? [`The heap has more than ${MAX_HEAP_MB} MB`] : []),
      ...(disturbedJourney > 2 * journey ? ['The other accounts wait more than twice as long'] : []),
    ];
  } finally {
    await stack.stop();
    receiver.close();
  }
}

console.log(`Seed ${seed}, ${minutes} minutes`);
const directory = await mkdtemp(join(tmpdir(), 'soak-load-'));
const failures = await soak(directory);
for (const failure of failures) console.log(failure);
console.log(failures.length === 0 ? 'All goals are met.' : `${failures.length} goals are missed.`);
if (failures.length > 0) process.exitCode = 1;
else await rm(directory, { recursive: true, force: true });
process.exit();
