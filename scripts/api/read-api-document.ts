import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { z } from 'zod';

/** Where the local stack serves the API by default. */
const LOCAL_ORIGIN = 'http://127.0.0.1:8787';

const appModule = z.object({
  createApp: z.custom<() => unknown>((value) => typeof value === 'function'),
  documentOf: z.custom<(app: unknown, origin: string) => object>((value) => typeof value === 'function'),
});

/** The app imports the platform's module; nothing of it is called while the document is made. */
const withoutPlatform: Plugin = {
  name: 'without the platform',
  setup(esbuild) {
    esbuild.onResolve({ filter: /^cloudflare:/ }, ({ path }) => ({ path, namespace: 'platform' }));
    esbuild.onLoad({ filter: /.*/, namespace: 'platform' }, () => ({
      contents: 'export const tracing = undefined, waitUntil = undefined;',
    }));
  },
};

/** The API document as the Worker of these sources serves it. */
export async function readApiDocument(): Promise<object> {
  const directory = await mkdtemp(join(tmpdir(), 'nft-api-'));
  try {
    const outfile = join(directory, 'app.mjs');
    await build({
      entryPoints: [fileURLToPath(new URL('../../src/app.ts', import.meta.url))],
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      logLevel: 'error',
      plugins: [withoutPlatform],
    });
    const { createApp, documentOf } = appModule.parse(await import(pathToFileURL(outfile).href));
    return documentOf(createApp(), LOCAL_ORIGIN);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
