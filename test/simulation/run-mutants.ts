// npm run simulate:mutants -- [--seeds N] [--jobs N] [--only TEXT]: runs each mutant until a seed catches it.
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isWanted } from './is-wanted.ts';
import { mutants, type Mutant } from './mutants.ts';
import type { Result } from './run-seeds.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '2000' },
    jobs: { type: 'string', default: String(Math.min(4, availableParallelism())) },
    only: { type: 'string', default: '' },
  },
});
const most = Number(values.seeds);
const waiting = mutants.filter(({ name }) => name.includes(values.only));
let missed = 0;

/** @returns the first seed that catches the mutant and the violated invariant; undefined if none does. */
async function hunt(mutant: Mutant): Promise<Result | undefined> {
  for (let first = 1; first <= most; first += SEEDS_A_PROCESS) {
    const caught = await huntFrom(mutant, first, Math.min(most, first + SEEDS_A_PROCESS - 1));
    if (caught !== undefined) return caught;
  }
  return undefined;
}

/** A mutant may leave memory behind. */
const SEEDS_A_PROCESS = 200;

function huntFrom(mutant: Mutant, first: number, last: number): Promise<Result | undefined> {
  const { name, conditions, isPostgres = false } = mutant;
  return new Promise((resolve, reject) => {
    const child = fork(
      fileURLToPath(new URL('run-seeds.ts', import.meta.url)),
      ['false', 'false', String(conditions !== undefined), String(isPostgres), name],
      {
        execArgv: ['--no-warnings', '--max-semi-space-size=64'],
      },
    );
    let seed = first - 1;
    child.on('message', (message: Result | 'ready') => {
      const isCaught = message !== 'ready' && message.violation !== undefined;
      do seed += 1;
      while (seed <= last && !isWanted(seed, mutant));
      if (isCaught || seed > last) {
        child.kill();
        resolve(isCaught ? message : undefined);
        return;
      }
      child.send(seed);
    });
    child.on('exit', (code, signal) => {
      if (!child.killed) reject(new Error(`A process that runs "${name}" ended with ${code ?? signal}`));
    });
  });
}

async function work(): Promise<void> {
  for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
    const caught = await hunt(mutant);
    if (caught === undefined) missed += 1;
    const invariant = caught?.violation?.split(':')[0];
    console.log(`| ${mutant.name} | ${caught === undefined ? 'missed' : `${invariant} | ${caught.seed}`} |`);
  }
}

await Promise.all(Array.from({ length: Number(values.jobs) }, work));
if (missed > 0) {
  console.log(`${missed} mutants were not caught within ${most} seeds.`);
  process.exitCode = 1;
}
