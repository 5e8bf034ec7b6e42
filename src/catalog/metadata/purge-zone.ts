import { z } from 'zod';
import { readText } from '../../core/read-text.ts';
import type { Services } from '../../services.ts';

const TIMEOUT_MS = 5_000;
/** The most that is read of a reply, in bytes. */
const REPLY_BYTES = 64 * 1_024;

const replySchema = z.object({ success: z.boolean(), errors: z.array(z.unknown()).optional() });

/**
 * Has Cloudflare drop what its data centers keep under this URL, where the zone is configured; where it is not, or the
 * purge fails, they drop it by its age. A failure is logged and never thrown.
 */
export async function purgeZone({ settings, log }: Pick<Services, 'settings' | 'log'>, url: string): Promise<void> {
  const { CLOUDFLARE_API_URL: api, CLOUDFLARE_ZONE_ID: zone, CLOUDFLARE_API_TOKEN: token } = settings;
  if (zone === undefined || token === undefined) return;
  try {
    const reply = await fetch(`${api.replace(/\/+$/, '')}/zones/${zone}/purge_cache`, {
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
