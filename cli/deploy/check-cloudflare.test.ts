import { afterEach, expect, it, vi } from 'vitest';
import { type CloudflareApi, startCloudflareApi } from '../../test/fixtures/cloudflare-api.ts';
import { checkCloudflare } from './check-cloudflare.ts';
import { readDeployment } from './deployment.ts';
import { writeEdge } from './edge-configuration.ts';

let cloudflare: CloudflareApi;
afterEach(async () => {
  vi.unstubAllEnvs();
  await cloudflare.stop();
});

it('says once that Cloudflare does not accept the token, which is not shown', async () => {
  cloudflare = await startCloudflareApi();
  for (const [name, value] of Object.entries(cloudflare.environment)) vi.stubEnv(name, value);
  vi.stubEnv('CLOUDFLARE_API_TOKEN', 'a-wrong-token');
  const deployment = readDeployment('staging', undefined, 'api.example.com');
  const findings = await checkCloudflare(deployment, writeEdge(deployment.configuration));
  expect(findings.map(({ what }) => what)).toEqual([
    expect.stringMatching(/^Cloudflare cannot be queried: .*Authentication error/),
  ]);
  expect(findings.filter(({ blocks }) => !blocks)).toEqual([]);
  expect(JSON.stringify(findings)).not.toContain('a-wrong-token');
});
