import { defineConfig } from 'vitest/config';

/** The pages in a real browser. Apart from the other tests, since not every machine has Chromium. */
export default defineConfig({
  test: {
    include: ['test/browser/**/*.test.ts'],
    globalSetup: ['test/record/global-setup.ts', 'test/browser/global-setup.ts'],
    setupFiles: ['test/record/setup.ts'],
    reporters: ['default', 'test/setup/repeat-reporter.ts'],
    teardownTimeout: 120_000,
    testTimeout: 300_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    maxWorkers: 2,
  },
});
