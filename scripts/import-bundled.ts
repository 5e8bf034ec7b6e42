import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type BuildOptions } from 'esbuild';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/**
 * Imports a module that Node.js cannot import as it is, by bundling it.
 * @param entry From the root of the repository.
 */
export async function importBundled(entry: string, options: BuildOptions = {}): Promise<unknown> {
  // Inside of the repository, so that packages that are not bundled are found.
  const directory = await mkdtemp(join(ROOT, 'node_modules/.bundled-'));
  try {
    const outfile = join(directory, 'module.mjs');
    await build({
      entryPoints: [join(ROOT, entry)],
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      logLevel: 'error',
      ...options,
    });
    const module: unknown = await import(pathToFileURL(outfile).href);
    return module;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
