import { expect, it } from 'vitest';
import { checkBundle } from './check-bundle.ts';

it('builds a Worker, and finds one that is larger than the limit', async () => {
  const { bytes, findings } = await checkBundle('core', ['--env', 'staging'], 1_000);
  expect(bytes).toBeGreaterThan(100_000);
  expect(findings).toEqual([
    {
      what: `The core has ${bytes} bytes compressed; the limit is 1000`,
      command: 'npx wrangler deploy --dry-run --env staging --metafile',
      blocks: true,
    },
  ]);
});

it('reports why a Worker cannot be built', async () => {
  const { bytes, findings } = await checkBundle('core', ['--env', 'no-such-environment']);
  expect(bytes).toBeUndefined();
  expect(findings).toEqual([expect.objectContaining({ what: expect.stringContaining('no-such-environment') })]);
});
