import { afterEach, expect, it, vi } from 'vitest';
import { endlessBody } from '../../test/fixtures/endless-body.ts';
import { createLog } from '../core/log.ts';
import { storeObject } from './object-store.ts';

afterEach(() => vi.restoreAllMocks());

async function* onePart() {
  yield await Promise.resolve(new Uint8Array(5 * 1_024 * 1_024));
}

it('reads a reply of the store up to its limit and no further', async () => {
  const endless = endlessBody();
  vi.spyOn(globalThis, 'fetch').mockImplementation(() => Promise.resolve(new Response(endless.body)));
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  const settings = { AWS_REGION: 'r', AWS_ACCESS_KEY_ID: 'k', AWS_SECRET_ACCESS_KEY: 's', S3_BUCKET: 'b' };
  const stored = storeObject(settings, { key: 'a', mediaType: 'image/png', content: onePart() }, createLog(String));
  await expect(stored).rejects.toThrow('The object store sent a reply that cannot be read');
  expect(endless.bytes).toBeGreaterThan(0);
  expect(endless.bytes).toBeLessThan(512 * 1_024);
});
