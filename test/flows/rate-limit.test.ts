import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestHarness } from 'wrangler';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newClient, stack } from '../fixtures/client.ts';

const LIMIT = 5;

let directory: string;
let server: ReturnType<typeof createTestHarness>;
let url: URL;

beforeAll(async () => {
  // The Worker as wrangler.toml has it, but for a limit that a test can reach.
  directory = await mkdtemp(join(tmpdir(), 'nft-rate-limit-'));
  const config = await readFile(stack.configPath, 'utf8');
  const lowered = config.replace(/limit = [\d_]+, period = 60/, `limit = ${LIMIT}, period = 60`);
  const configPath = join(directory, 'wrangler.toml');
  await writeFile(configPath, lowered);
  server = createTestHarness({ workers: [{ configPath, secrets: { ...stack.settings } }] });
  ({ url } = await server.listen());
});
afterAll(async () => {
  await server.close();
  await rm(directory, { recursive: true, force: true });
});

describe('the rate limit', () => {
  it('is for each account by itself: 429 with Retry-After in the common form, while others go on', async () => {
    const [busy, calm] = await Promise.all([newClient(), newClient()]);
    const ask = (corporateId: string) =>
      fetch(new URL('/contracts', url), {
        headers: { 'x-api-key': stack.settings['GLOBAL_SECRET_KEY'] ?? '', 'x-corporate-id': corporateId },
      });
    const replies: Response[] = [];
    // A new period may begin in between: then the limit is reached a little later.
    for (let count = 0; count < 3 * LIMIT && replies.at(-1)?.status !== 429; count += 1) {
      replies.push(await ask(busy.account.corporateId));
    }
    expect(replies.length).toBeGreaterThan(LIMIT);
    const refused = replies.at(-1);
    expect(refused?.status).toBe(429);
    expect(refused?.headers.get('retry-after')).toBe('60');
    expect(await refused?.json()).toEqual({
      statusCode: 429,
      message: 'The account makes too many requests',
      timestamp: expect.any(String),
      path: '/contracts',
    });
    expect((await ask(calm.account.corporateId)).status).toBe(200);
    const health = await fetch(new URL('/health', url));
    expect(health.status).toBe(200);
  });
});
