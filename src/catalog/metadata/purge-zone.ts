import { z } from 'zod';
import { readText, sendRequest } from '../../core/send-request.ts';
import type { Services } from '../../services.ts';

const TIMEOUT_MS = 5_000;
/** The longest reply that is read, in bytes. */
const REPLY_BYTES = 64 * 1_024;

const replySchema = z.object({ success: z.boolean(), errors: z.array(z.unknown()).optional() });

/**
 * Purges a URL from Cloudflare's caches if a zone is configured. Otherwise, or if the purge fails, cached copies expire
 * by their age. A failure is logged, never thrown.
 */
export async function purgeZone({ settings, log }: Pick<Services, 'settings' | 'log'>, url: string): Promise<void> {
  const { CLOUDFLARE_API_URL: api, CLOUDFLARE_ZONE_ID: zone, CLOUDFLARE_API_TOKEN: token } = settings;
  if (zone === undefined || token === undefined) return;
  try {
    const reply = await sendRequest(`${api.replace(/\/+$/, '')}/zones/${zone}/purge_cache`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ files: [url] }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const { success, errors } = replySchema.parse(JSON.parse(await readText(reply, REPLY_BYTES)));
    if (!success) log.warn('metadata.purge_failed', { url, status: reply.status, errors });
  } catch (error) {
    log.warn('metadata.purge_failed', { url, error });
  }
}
