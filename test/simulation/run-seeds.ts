// Runs seeds in a process of its own, for run.ts and run-mutants.ts: takes numbers as messages and answers each with
// its verdict.
import { mutants } from './mutants.ts';
import { mutate } from './mutate.ts';
import { simulate } from './simulate.ts';
import { bundleWorker } from './world/bundle.ts';
import { Database } from './world/database.ts';

/** What run.ts is told of a seed. */
export interface Result {
  readonly seed: number;
  readonly hash: string;
  readonly orders: number;
  readonly violation: string | undefined;
  /** The end of the trace, where something was violated, or all of it where it was asked for. */
  readonly trace: readonly string[];
}

const TRACE_LINES = 150;

const [isCalm = 'false', wholeTrace = 'false', mutantName] = process.argv.slice(2);
const mutant = mutants.find(({ name }) => name === mutantName);
const bundle = await bundleWorker(mutant === undefined ? [] : [mutate(mutant)]);
const database = await Database.start();

process.on('message', (seed: number) => {
  void (async () => {
    const { violation, hash, trace, orders } = await simulate({
      seed: String(seed),
      bundle,
      database,
      isCalm: isCalm === 'true',
    });
    const shown = wholeTrace === 'true' ? trace : violation === undefined ? [] : trace.slice(-TRACE_LINES);
    process.send?.({ seed, hash, orders, violation: violation?.message, trace: shown } satisfies Result);
  })();
});
// Whoever asks has ended.
process.on('disconnect', () => process.exit());
process.send?.('ready');
