// npm run simulate -- [--seed N] [--seeds N] [--minutes N] [--themes A,B] [--jobs N] [--trace] [--calm] [--rich]
// [--conditions A,B] [--postgres]:
// docs/reliability.md.
import { fork } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isWanted } from './is-wanted.ts';
import type { Result } from './run-seeds.ts';
import { CONDITIONS, type Condition } from './world/conditions.ts';
import { THEME_NAMES, type ThemeName } from './world/faults.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string' },
    minutes: { type: 'string' },
    themes: { type: 'string' },
    conditions: { type: 'string' },
    jobs: { type: 'string' },
    trace: { type: 'boolean', default: false },
    calm: { type: 'boolean', default: false },
    rich: { type: 'boolean', default: false },
    postgres: { type: 'boolean', default: false },
  },
});

const first = values.seed === undefined ? randomInt(1_000_000_000) : Number(values.seed);
// With a time limit and no number: as many as there is time for.
const unbounded = values.minutes === undefined ? 200 : Infinity;
const count = Number(values.seeds ?? (values.seed === undefined ? unbounded : 1));
const until = values.minutes === undefined ? Infinity : Date.now() + Number(values.minutes) * 60_000;
const jobs = Math.min(count, Number(values.jobs ?? Math.min(4, availableParallelism())));

/** Only seeds with one of these run; undefined: all. */
const themes = values.themes?.split(',').map(themeOf);
/** Only seeds of rich worlds in which all of these hold run; undefined: all. */
const conditions = values.conditions?.split(',').map(conditionOf);
const isRich = values.rich || conditions !== undefined;

const failed: number[] = [];
let [next, begun, ran, orders, deadlocks] = [first, 0, 0, 0, 0];

function themeOf(name: string): ThemeName {
  const theme = THEME_NAMES.find((one) => one.replaceAll(',', '') === name.trim());
  if (theme === undefined) throw new Error(`There is no theme "${name}"; there are ${THEME_NAMES.join('; ')}`);
  return theme;
}

function conditionOf(name: string): Condition {
  const condition = CONDITIONS.find((one) => one === name.trim());
  if (condition === undefined) throw new Error(`There is no condition "${name}"; there are ${CONDITIONS.join('; ')}`);
  return condition;
}

function show({ seed, hash, orders: accepted, deadlocks: own, violation, trace }: Result): void {
  ran += 1;
  orders += accepted;
  deadlocks += own;
  if (trace.length > 0) console.log(trace.join('\n'));
  // So that a long run that is killed has said how far it came.
  if (ran % 100 === 0) console.log(`${ran} run, the last seed ${seed}, ${failed.length} failed`);
  if (values.seed !== undefined && count === 1) console.log(`seed ${seed}: ${accepted} orders, trace ${hash}`);
  if (violation === undefined) return;
  failed.push(seed);
  console.log(`seed ${seed} failed: ${violation}`);
}

/** Runs seeds one after another in a separate process until none is left. */
function work(): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = fork(
      fileURLToPath(new URL('run-seeds.ts', import.meta.url)),
      [String(values.calm), String(values.trace), String(isRich), String(values.postgres)],
      {
        // Node warns that node:sqlite is experimental.
        execArgv: ['--no-warnings', '--max-semi-space-size=64'],
      },
    );
    child.on('message', (message: Result | 'ready') => {
      if (message !== 'ready') show(message);
      while (!isWanted(next, { themes, conditions })) next += 1;
      if (begun < count && Date.now() < until) {
        child.send(next);
        next += 1;
        begun += 1;
      } else {
        child.kill();
        resolve();
      }
    });
    child.on('exit', (code, signal) => {
      if (!child.killed) reject(new Error(`A process that runs seeds ended with ${code ?? signal}`));
    });
  });
}

const started = Date.now();
// Printed first, so that a run that is killed can be repeated.
console.log(`Seeds from ${first}`);
await Promise.all(Array.from({ length: jobs }, work));
const asked = ran < count && Number.isFinite(count) ? ` of ${count}` : '';
const seconds = ((Date.now() - started) / 1_000).toFixed(0);
const tried = values.postgres ? `, ${deadlocks} deadlocks` : '';
console.log(
  `Seeds from ${first}: ${ran} run${asked}, ${orders} orders${tried}, ${failed.length} failed, ${seconds} s.`,
);
for (const seed of failed)
  console.log(
    `Again: npm run simulate -- --seed ${seed} --trace${isRich ? ' --rich' : ''}${values.postgres ? ' --postgres' : ''}`,
  );
// A run without accepted orders tests nothing.
if (failed.length > 0 || orders === 0) process.exitCode = 1;
