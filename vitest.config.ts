import { cloudflareTest } from '@cloudflare/vitest-pool-workers';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Searches what the run has left for secrets, once all else has stopped.
    globalSetup: ['test/record/global-setup.ts'],
    teardownTimeout: 120_000,
    projects: [
      {
        plugins: [cloudflareTest({ wrangler: { configPath: './wrangler.toml' } })],
        // The files of a worker share its modules: loading them again for each file takes five times as long as the tests.
        test: { name: 'unit', include: ['src/**/*.test.ts'], maxWorkers: 4, isolate: false },
      },
      {
        test: {
          name: 'parts',
          include: [
            '{operations,scripts,stack}/**/*.test.ts',
            'test/{contracts,docs,fixtures,fuzz,record,repository,schemas,simulation,stack}/**/*.test.ts',
          ],
          setupFiles: ['test/record/record-replies.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          maxWorkers: 4,
        },
      },
      {
        // The engine on Node, against a real database and a real chain: several drivers in one process, each with its own network.
        resolve: {
          alias: { 'cloudflare:workers': new URL('test/engine/cloudflare-workers.ts', import.meta.url).pathname },
        },
        test: {
          name: 'engine',
          include: ['test/engine/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 60_000,
          maxWorkers: 8,
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'flows',
          include: ['test/flows/**/*.test.ts'],
          globalSetup: ['test/flows/global-setup.ts'],
          setupFiles: ['test/record/record-replies.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          // One stack serves all flows; each file has its own account and so its own wallet.
          maxWorkers: 8,
          // Projects of one group must have as many workers.
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
