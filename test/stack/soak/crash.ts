import { randomInt } from 'node:crypto';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createTestClient, http, publicActions } from 'viem';
import { z } from 'zod';
import { DEFAULT_CHAIN } from '../../../src/chains/list.ts';
import { startCronTrigger } from '../../../stack/cron-trigger.ts';
import { Random } from '../../simulation/world/random.ts';
import { startDevStack, type DevStack } from '../support/dev-stack.ts';
import { recovered } from '../support/recovered.ts';
import { countUnfinished, deliveryDifferences, differencesOf, unendedOf } from '../support/ledger.ts';
import { startEventReceiver } from './event-receiver.ts';
import { Load } from './load.ts';
import { chainFile, databasePid, nodePid, runtimePids } from './victims.ts';
import { commandLine } from '../../../cli/command-line.ts';

const USAGE = `npm run soak:crash [-- --minutes N] [--seed N]

Kills parts of the dev stack under load and compares its ledger with the chain afterwards: docs/reliability.md.
  --minutes  how long (default 10)
  --seed     decides what is killed when, not how the processes interleave (default: a random one, which is printed)
Example:
  npm run soak:crash -- --minutes 2 --seed 42`;

const { values } = commandLine(USAGE, { minutes: { type: 'string', default: '10' }, seed: { type: 'string' } });
const seed = values.seed ?? String(randomInt(1_000_000_000));
const chainId = DEFAULT_CHAIN.id;
const VICTIMS = ['runtime', 'database', 'node', 'everything'] as const;
/** How long the work that is left at the end may take. */
const FINISH_MS = 5 * 60_000;
const POLL_MS = 100;
/**
 * How long the node takes to write its file, at most. What is written later than that after it has stopped mining was
 * begun after it.
 */
const WRITING_MS = 5_000;

const chainSchema = z.object({ best_block_number: z.number() });

/**
 * Stops mining, and waits until the node's blocks are in its file, as a node's own database would have them: anvil only
 * writes them now and then, and while it mines, it writes accounts that are a block ahead of the blocks. What is in its
 * pool is lost when it is killed.
 */
async function storeBlocks(dataDir: string, { info }: DevStack): Promise<void> {
  const chain = createTestClient({ mode: 'anvil', transport: http(info.rpcUrls[chainId]) }).extend(publicActions);
  await chain.setAutomine(false);
  const file = chainFile(dataDir, chainId);
  const writtenAfter = Date.now() + WRITING_MS;
  const isStored = async () => {
    const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: 0 }));
    if (mtimeMs < writtenAfter) return false;
    const text = await readFile(file, 'utf8');
    // It may be half written.
    const parsed = chainSchema.safeParse(text.endsWith('}') ? JSON.parse(text) : undefined);
    const head = Number(await chain.getBlockNumber({ cacheTime: 0 }));
    return parsed.success && parsed.data.best_block_number >= head;
  };
  while (!(await isStored())) await delay(POLL_MS);
}

async function kill(victim: (typeof VICTIMS)[number], dataDir: string, stack: DevStack, random: Random): Promise<void> {
  if (victim === 'node' || victim === 'everything') await storeBlocks(dataDir, stack);
  if (victim === 'everything') {
    stack.run.child.kill('SIGKILL');
    return;
  }
  const pid = {
    node: () => nodePid(dataDir, chainId),
    database: () => databasePid(dataDir),
    runtime: () => random.pickAny(runtimePids(dataDir)),
  }[victim]();
  if (pid !== undefined) process.kill(pid, 'SIGKILL');
}

async function soak(dataDir: string): Promise<readonly string[]> {
  const random = new Random(seed);
  const receiver = await startEventReceiver();
  let stack = await startDevStack(dataDir);
  const load = new Load(chainId, random.fork('load'), () => stack.info);
  await load.prepare(receiver.url);
  load.begin();
  const schedule = random.fork('schedule');
  const kills = new Map<string, number>();
  const started = Date.now();
  const until = started + Number(values.minutes) * 60_000;
  while (Date.now() < until) {
    await delay(schedule.span(2_000, 20_000));
    const victim = schedule.pick(VICTIMS);
    kills.set(victim, (kills.get(victim) ?? 0) + 1);
    console.log(
      `${((Date.now() - started) / 1_000).toFixed(0)} s: kills ${victim}, ${load.accepted.length} orders accepted`,
    );
    await kill(victim, dataDir, stack, schedule);
    stack = await recovered(dataDir, stack);
  }
  await load.stop();
  // Its first run also finds what has been idle for a short time: messages that died with the runtime.
  const cleanup = startCronTrigger(stack.info.baseUrl, console.log);
  const deadline = Date.now() + FINISH_MS;
  while ((await countUnfinished(stack.info)) > 0 && Date.now() < deadline) await delay(POLL_MS);
  await cleanup.stop();
  const differences = [
    ...(await unendedOf(stack.info, load.accepted)),
    ...(await differencesOf(stack.info, chainId)),
    ...(await deliveryDifferences(stack.info, receiver.url, receiver.received)),
  ];
  const counts = Array.from(kills, ([victim, count]) => `${victim} ${count}`).join(', ');
  console.log(
    `Killed: ${counts}. ${load.accepted.length} orders accepted, ${receiver.received.size} events received in ${receiver.count()} deliveries.`,
  );
  stack.run.child.kill('SIGTERM');
  await stack.run.ended;
  receiver.close();
  return differences;
}

console.log(`Seed ${seed}, ${values.minutes} minutes`);
const directory = await mkdtemp(join(tmpdir(), 'soak-crash-'));
const differences = await soak(directory);
for (const difference of differences) console.log(difference);
console.log(`${differences.length} differences.`);
if (differences.length > 0) process.exitCode = 1;
else await rm(directory, { recursive: true, force: true });
