import type { Plugin } from 'esbuild';
import { z } from 'zod';
import { importBundled } from '../import-bundled.ts';
import type { ApiDocument } from '../site/api-document.ts';

/** Where the local stack serves the API by default. */
const LOCAL_ORIGIN = 'http://127.0.0.1:8787';

const appModule = z.object({
  createApp: z.custom<() => unknown>((value) => typeof value === 'function'),
  documentOf: z.custom<(app: unknown, origin: string) => ApiDocument>((value) => typeof value === 'function'),
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
export async function readApiDocument(): Promise<ApiDocument> {
  const app = await importBundled('src/app.ts', {
    plugins: [withoutPlatform],
    // Bundled for Node.js it would need `require`.
    external: ['jsonld'],
  });
  const { createApp, documentOf } = appModule.parse(app);
  return documentOf(createApp(), LOCAL_ORIGIN);
}
