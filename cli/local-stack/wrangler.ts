import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The script of wrangler's command. */
export const WRANGLER = fileURLToPath(new URL('../../node_modules/wrangler/bin/wrangler.js', import.meta.url));

/** Where Node.js keeps wrangler compiled, in place of compiling it at each start, which takes half of the start. */
export const COMPILE_CACHE = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../node_modules/.cache/wrangler', import.meta.url)),
};

/**
 * Our environment for a wrangler that keeps its files in a directory, without anything that points it to an account or
 * to another stack. Its temporary files are deleted first, since a killed wrangler leaves some behind.
 */
export function wranglerEnvironment(directory: string): Record<string, string> {
  const temporary = join(directory, 'tmp');
  rmSync(temporary, { recursive: true, force: true });
  mkdirSync(temporary, { recursive: true });
  const inherited = Object.entries(process.env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !/^(?:CLOUDFLARE|WRANGLER|MINIFLARE|CF)_/.test(entry[0]),
  );
  return {
    ...Object.fromEntries(inherited),
    ...COMPILE_CACHE,
    CI: 'true',
    NO_COLOR: '1',
    FORCE_COLOR: '0',
    WRANGLER_SEND_METRICS: 'false',
    WRANGLER_SEND_ERROR_REPORTS: 'false',
    WRANGLER_HIDE_BANNER: 'true',
    WRANGLER_WRITE_LOGS: 'false',
    WRANGLER_CACHE_DIR: join(directory, 'cache'),
    WRANGLER_LOG_PATH: join(directory, 'logs'),
    // Workers on one machine discover each other through the registry; those of two stacks must not.
    WRANGLER_REGISTRY_PATH: join(directory, 'registry'),
    XDG_CONFIG_HOME: join(directory, 'config'),
    TMPDIR: temporary,
    // It would fetch a sample of Request.cf from the network.
    CLOUDFLARE_CF_FETCH_ENABLED: 'false',
    // They would store a trace of every request.
    X_LOCAL_EXPLORER: 'false',
    X_LOCAL_OBSERVABILITY: 'false',
    // Requests pass through several isolates of wrangler's own, each of which V8 would let gather tens of megabytes of
    // garbage; what the garbage holds outside of the heap is a multiple of that.
    MINIFLARE_WORKERD_V8_FLAGS: '--max-semi-space-size=4 --initial-heap-size=4',
  };
}
