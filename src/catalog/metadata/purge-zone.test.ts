import { afterEach, describe, expect, it, vi } from 'vitest';
import { createLog } from '../../core/log.ts';
import type { Services } from '../../services.ts';
import { purgeZone } from './purge-zone.ts';

afterEach(() => vi.restoreAllMocks());

/** The log of a purge through an unreachable API. */
async function loggedBy(settings: Partial<Services['settings']>): Promise<unknown[]> {
  const spy = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const all = { CLOUDFLARE_API_URL: 'http://127.0.0.1:1', ...settings } as Services['settings'];
  await purgeZone({ settings: all, log: createLog(String) }, 'https://service.example/metadata/0x1/1');
  return spy.mock.calls.map(([line]) => JSON.parse(String(line)));
}

describe('purgeZone', () => {
  it('logs a failure without the token and does not throw', async () => {
    const lines = await loggedBy({ CLOUDFLARE_ZONE_ID: 'zone', CLOUDFLARE_API_TOKEN: 'hunter2' });
    expect(lines).toMatchObject([
      { event: 'metadata.purge_failed', url: 'https://service.example/metadata/0x1/1', error: {} },
    ]);
    expect(JSON.stringify(lines)).not.toContain('hunter2');
  });

  it('does nothing when no zone is configured', async () => {
    expect(await loggedBy({})).toEqual([]);
  });
});
