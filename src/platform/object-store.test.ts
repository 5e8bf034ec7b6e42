import { afterEach, expect, it, vi } from 'vitest';
import { endlessBody } from '../../test/fixtures/endless-body.ts';
import { createLog } from '../core/log.ts';
import { storeObject } from './object-store.ts';

afterEach(() => vi.restoreAllMocks());

it('reads a reply of the store up to its limit and no further', async () => {
  const endless = endlessBody();
  vi.spyOn(globalThis, 'fetch').mockImplementation(() => Promise.resolve(new Response(endless.body)));
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  const settings = { AWS_REGION: 'r', AWS_ACCESS_KEY_ID: 'k', AWS_SECRET_ACCESS_KEY: 's', S3_BUCKET: 'b' };
  async function* content() {
    yield await Promise.resolve(new Uint8Array(5 * 1_024 * 1_024));
  }
  const stored = storeObject(settings, { key: 'a', mediaType: 'image/png', content: content() }, createLog(String));
  await expect(stored).rejects.toThrow();
  expect(endless.bytes).toBeGreaterThan(0);
  expect(endless.bytes).toBeLessThan(512 * 1_024);
});
