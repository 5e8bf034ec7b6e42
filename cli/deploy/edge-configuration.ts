import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isPublicSetting } from '../../src/platform/public-settings.ts';
import type { Configuration } from './deployment.ts';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));

/** The edge: the Worker that callers reach, in front of the core. */
export interface Edge {
  readonly name: string;
  /** The options of wrangler that choose it. */
  readonly wranglerOptions: readonly string[];
}

/**
 * The edge's configuration, from that of the core, which wrangler.toml has. It gets the pages, the core, and of the
 * vars those that are public: no secret, database, queue or Durable Object.
 * @internal Exported for its unit test.
 */
export function edgeConfiguration(core: Configuration) {
  return {
    name: `${core.name}-edge`,
    main: join(PROJECT, 'src/edge.ts'),
    compatibility_date: core.compatibility_date,
    compatibility_flags: core.compatibility_flags,
    workers_dev: false,
    preview_urls: false,
    vars: Object.fromEntries(Object.entries(core.vars).filter(([name]) => isPublicSetting(name))),
    assets: { ...core.assets, directory: join(PROJECT, 'dist/pages') },
    services: [{ binding: 'CORE', service: core.name }],
    observability: core.observability,
  };
}

/** Writes the edge's configuration into a directory, for wrangler. */
export function writeEdge(core: Configuration, directory = join(PROJECT, 'dist')): Edge {
  const configuration = edgeConfiguration(core);
  const file = join(directory, `${configuration.name}.json`);
  mkdirSync(directory, { recursive: true });
  writeFileSync(file, JSON.stringify(configuration, null, 2));
  // Without an environment on the command line, wrangler takes the shell's CLOUDFLARE_ENV.
  return { name: configuration.name, wranglerOptions: ['--config', file, '--env', ''] };
}
