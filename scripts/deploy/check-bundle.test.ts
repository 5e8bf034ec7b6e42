import { expect, it } from 'vitest';
import { checkBundle } from './check-bundle.ts';

it('builds the Worker, and finds one that is larger than the limit', async () => {
  const { bytes, findings } = await checkBundle(['--env', 'staging'], 1_000);
  expect(bytes).toBeGreaterThan(100_000);
  expect(findings).toEqual([
    {
      what: `The Worker has ${bytes} bytes compressed; the most is 1000`,
      command: 'npx wrangler deploy --dry-run --env staging --metafile',
      blocks: true,
    },
  ]);
});

it('reports why the Worker cannot be built', async () => {
  const { bytes, findings } = await checkBundle(['--env', 'no-such-environment']);
  expect(bytes).toBeUndefined();
  expect(findings).toEqual([expect.objectContaining({ what: expect.stringContaining('no-such-environment') })]);
});
