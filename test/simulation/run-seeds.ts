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
  readonly deadlocks: number;
  readonly violation: string | undefined;
  /** The end of the trace after a violation, or the whole trace if requested. */
  readonly trace: readonly string[];
}

const TRACE_LINES = 150;

const [isCalm = 'false', wholeTrace = 'false', isRich = 'false', isPostgres = 'false', mutantName] =
  process.argv.slice(2);
const mutant = mutants.find(({ name }) => name === mutantName);
/** In rich worlds as much is signed as a lane may have signed, and more ends at once than it checks at a time. */
const LIMITS = 'src/engine/store/read-lane.ts';
const limits = [
  { file: LIMITS, find: 'export const MAX_SIGNED = 2_000;', put: 'export const MAX_SIGNED = 12;' },
  { file: LIMITS, find: 'export const MAX_DUE = 200;', put: 'export const MAX_DUE = 3;' },
];
const edits = [...(isRich === 'true' ? limits : []), ...(mutant?.edits ?? [])];
const plugins = edits.length === 0 ? [] : [mutate({ name: mutant?.name ?? 'small limits', edits })];
const bundle = await bundleWorker(plugins);
const comparison = isRich === 'true' ? await bundleComparison(plugins) : undefined;
const database = await Database.start(await (isPostgres === 'true' ? ManyConnections.start() : OneConnection.start()));

process.on('message', (seed: number) => {
  void (async () => {
    const { violation, hash, trace, orders, deadlocks } = await simulate({
      seed: String(seed),
      bundle,
      database,
      isCalm: isCalm === 'true',
      comparison,
    });
    const shown = wholeTrace === 'true' ? trace : violation === undefined ? [] : trace.slice(-TRACE_LINES);
    process.send?.({ seed, hash, orders, deadlocks, violation: violation?.message, trace: shown } satisfies Result);
  })();
});
// The parent process has exited.
process.on('disconnect', () => process.exit());
process.send?.('ready');
