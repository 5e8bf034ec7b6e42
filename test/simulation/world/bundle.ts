import { fileURLToPath } from 'node:url';
import { compileFunction } from 'node:vm';
import { build } from 'esbuild';
import type { Plugin } from 'esbuild';
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

/**
 * Bundles the Worker as it is deployed. Its free names are bound to the arguments of {@link Bundle}, so that time, randomness
 * and network are simulated; any import except the platform's own module fails.
 * @param plugins Transform sources while they are read.
 */
export async function bundleWorker(plugins: Plugin[] = []): Promise<Bundle> {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: [readWranglerConfig().main],
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['workerd', 'worker', 'import', 'default'],
    external: [WORKERS_MODULE],
    target: 'es2024',
    logLevel: 'error',
    plugins,
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error('The bundle is empty');
  const evaluate = compileFunction(file.text, ['require', 'module', 'exports', ...GLOBALS], {
    filename: `${ROOT}worker-bundle.js`,
  }) as (...parameters: unknown[]) => void;

  return (globals, workersModule) => {
    const target: { exports: Record<string, unknown> } = { exports: {} };
    const load = (name: string) => {
      if (name === WORKERS_MODULE) return workersModule;
      throw new Error(`The runtime has no module ${name}`);
    };
    evaluate(load, target, target.exports, ...GLOBALS.map((name) => globals[name]));
    return target.exports;
  };
}
