// Runs seeds in a separate process, for run.ts and run-mutants.ts: receives each seed as a message and replies with its
// result.
import { mutants } from './mutants.ts';
import { mutate } from './mutate.ts';
import { simulate } from './simulate.ts';
import { bundleComparison, bundleWorker } from './world/bundle.ts';
import { Database } from './world/database.ts';
import { ManyConnections } from './world/many-connections.ts';
import { OneConnection } from './world/one-connection.ts';

/** The result of a seed. */
export interface Result {
  readonly seed: number;
  readonly hash: string;
  readonly orders: number;
  readonly violation: string | undefined;
  /** The end of the trace after a violation, or the whole trace if requested. */
  readonly trace: readonly string[];
}

const TRACE_LINES = 150;

const [isCalm = 'false', wholeTrace = 'false', isRich = 'false', isPostgres = 'false', mutantName] =
  process.argv.slice(2);
const mutant = mutants.find(({ name }) => name === mutantName);
const plugins = mutant === undefined ? [] : [mutate(mutant)];
const bundle = await bundleWorker(plugins);
const comparison = isRich === 'true' ? await bundleComparison(plugins) : undefined;
const database = await Database.start(await (isPostgres === 'true' ? ManyConnections.start() : OneConnection.start()));

process.on('message', (seed: number) => {
  void (async () => {
    const { violation, hash, trace, orders } = await simulate({
      seed: String(seed),
      bundle,
      database,
      isCalm: isCalm === 'true',
      comparison,
    });
    const shown = wholeTrace === 'true' ? trace : violation === undefined ? [] : trace.slice(-TRACE_LINES);
    process.send?.({ seed, hash, orders, violation: violation?.message, trace: shown } satisfies Result);
  })();
});
// The parent process has exited.
process.on('disconnect', () => process.exit());
process.send?.('ready');
