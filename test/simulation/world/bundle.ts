import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileFunction } from 'node:vm';
import { build, type BuildOptions, type Plugin } from 'esbuild';
import { sharedModules } from './shared-modules.ts';
import { readWranglerConfig } from './wrangler-config.ts';

/** The runtime globals replaced in an isolate; all others are Node's. */
export interface RuntimeGlobals {
  readonly globalThis: object;
  readonly self: object;
  readonly Date: unknown;
  readonly Math: unknown;
  readonly crypto: unknown;
  readonly performance: unknown;
  readonly scheduler: unknown;
  readonly fetch: unknown;
  readonly AbortSignal: unknown;
  readonly console: unknown;
  readonly caches: unknown;
  readonly navigator: unknown;
  readonly setTimeout: unknown;
  readonly clearTimeout: unknown;
  readonly setInterval: unknown;
  readonly clearInterval: unknown;
  readonly setImmediate: unknown;
  readonly process: unknown;
  readonly WebSocket: unknown;
}

/** Evaluates the product's code again, with separate module state. */
export type Bundle = (globals: RuntimeGlobals, workersModule: object) => Record<string, unknown>;

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const GLOBALS: readonly (keyof RuntimeGlobals)[] = [
  ...(['globalThis', 'self', 'Date', 'Math', 'crypto', 'performance', 'scheduler', 'fetch', 'AbortSignal'] as const),
  ...(['console', 'caches', 'navigator', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const),
  ...(['setImmediate', 'process', 'WebSocket'] as const),
];
const WORKERS_MODULE = 'cloudflare:workers';
const OPTIONS = {
  absWorkingDir: ROOT,
  bundle: true,
  write: false,
  format: 'cjs',
  // As wrangler resolves packages.
  platform: 'browser',
  mainFields: ['browser', 'module', 'main'],
  conditions: ['workerd', 'worker', 'browser'],
  external: [WORKERS_MODULE],
  target: 'es2024',
  // Dynamic imports become requires, because their modules are already evaluated.
  supported: { 'dynamic-import': false },
  logLevel: 'error',
} satisfies BuildOptions;

/**
 * Lets drizzle remember what `is` finds for a class: it compares names along the chain of classes, a hundred times in
 * each statement that is built.
 */
const rememberedClasses: Plugin = {
  name: 'remembered classes',
  setup(esbuild) {
    esbuild.onLoad({ filter: /node_modules\/drizzle-orm\/entity\.js$/ }, ({ path }) => ({
      contents: `${readFileSync(path, 'utf8').replace('function is(', 'function compare(')}
        const found = new WeakMap();
        function is(value, type) {
          if (!value || typeof value !== 'object') return false;
          const prototype = Object.getPrototypeOf(value);
          let known = found.get(type);
          if (known === undefined) found.set(type, (known = new WeakMap()));
          let result = known.get(prototype);
          if (result === undefined) known.set(prototype, (result = compare(value, type)));
          return result;
        }`,
    }));
  },
};

/**
 * Builds the HTTP API when an isolate gets its first request: many isolates never do, and its routes and schemas are
 * most of what is evaluated.
 */
const lateApi: Plugin = {
  name: 'late api',
  setup(esbuild) {
    esbuild.onLoad({ filter: /\/src\/worker\.ts$/ }, ({ path }) => {
      let contents = readFileSync(path, 'utf8');
      for (const [find, put] of [
        ["import { createApp } from './app.ts';", ''],
        ['const app = createApp();', 'let app;'],
        ['app.fetch(', "(app ??= require('./app.ts').createApp()).fetch("],
      ] as const) {
        if (!contents.includes(find)) throw new Error(`src/worker.ts has no "${find}"`);
        contents = contents.replace(find, put);
      }
      return { contents, loader: 'ts' };
    });
  },
};

/**
 * Bundles the Worker as it is deployed. Its free names are bound to the arguments of {@link Bundle}, so that time,
 * randomness and network are simulated; any import except the platform's own module fails.
 * @param plugins Transform sources while they are read.
 */
export async function bundleWorker(plugins: Plugin[] = []): Promise<Bundle> {
  const entry = { entryPoints: [readWranglerConfig().main] };
  const { metafile } = await build({ ...OPTIONS, ...entry, plugins, metafile: true, outdir: 'nowhere' });
  const shared = sharedModules(metafile.inputs, (path) => readFileSync(ROOT + path, 'utf8'));
  const used = new Set<string>();
  const withoutShared: Plugin = {
    name: 'shared modules',
    setup(esbuild) {
      esbuild.onResolve({ filter: /./ }, async ({ path: name, kind, pluginData, ...where }) => {
        if (kind === 'entry-point' || pluginData === withoutShared) return undefined;
        const { path, errors } = await esbuild.resolve(name, { ...where, kind, pluginData: withoutShared });
        // Packages are outside of the project where node_modules is a link.
        if (!shared.has(relative(ROOT, path))) return undefined;
        used.add(path);
        return { path, errors, external: true };
      });
    },
  };
  const evaluate = await compile(entry, [...plugins, lateApi, withoutShared]);
  const modules = await evaluateShared([...used].toSorted(), plugins);
  return (globals, workersModule) =>
    evaluate(globals, (name) => {
      if (name === WORKERS_MODULE) return workersModule;
      const found = modules[name];
      if (found === undefined) throw new Error(`The runtime has no module ${name}`);
      return found;
    });
}

const refused = (what: string) => () => {
  throw new Error(`A module that isolates share uses ${what}`);
};

async function evaluateShared(names: readonly string[], plugins: Plugin[]): Promise<Record<string, unknown>> {
  const contents = names.map((name) => `exports[${JSON.stringify(name)}] = require(${JSON.stringify(name)});`);
  const evaluate = await compile({ stdin: { contents: contents.join('\n'), resolveDir: ROOT } }, [
    ...plugins,
    rememberedClasses,
  ]);
  const denied = Object.fromEntries(GLOBALS.map((name) => [name, refused(name)]));
  class TimelessDate extends Date {
    constructor(...parameters: [] | [number]) {
      super(...(parameters as [number]));
      if (parameters.length === 0) refused('Date')();
    }

    static override now = refused('Date.now');
  }
  const math = Object.create(Math, { random: { value: refused('Math.random') } }) as Math;
  const globals = { ...denied, Date: TimelessDate, Math: math, AbortSignal, console, process: undefined };
  const visible = Object.entries(globals).map(([key, value]) => [key, { value, writable: true }]);
  const scope = Object.create(globalThis, Object.fromEntries(visible) as PropertyDescriptorMap) as object;
  return evaluate({ ...globals, globalThis: scope, self: scope } as unknown as RuntimeGlobals, (name) => {
    throw new Error(`The runtime has no module ${name}`);
  });
}

/** Bundles the operator's command that compares the database with the chains, to run where the Worker does. */
export async function bundleComparison(plugins: Plugin[] = []): Promise<Bundle> {
  const evaluate = await compile({ entryPoints: ['cli/compare/compare-database.ts'] }, plugins);
  return (globals, workersModule) => evaluate(globals, () => workersModule);
}

type Evaluate = (globals: RuntimeGlobals, load: (name: string) => unknown) => Record<string, unknown>;

async function compile(entry: Pick<BuildOptions, 'entryPoints' | 'stdin'>, plugins: Plugin[]): Promise<Evaluate> {
  const { outputFiles } = await build({
    ...OPTIONS,
    ...entry,
    plugins,
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error('The bundle is empty');
  const evaluate = compileFunction(file.text, ['require', 'module', 'exports', ...GLOBALS], {
    filename: `${ROOT}${entry.stdin === undefined ? 'worker' : 'shared'}-bundle.js`,
  }) as (...parameters: unknown[]) => void;
  return (globals, load) => {
    const target: { exports: Record<string, unknown> } = { exports: {} };
    evaluate(load, target, target.exports, ...GLOBALS.map((name) => globals[name]));
    return target.exports;
  };
}
