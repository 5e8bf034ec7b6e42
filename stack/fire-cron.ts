import { z } from 'zod';

const TIMEOUT_MS = 5 * 60_000;

const resultSchema = z.object({ outcome: z.string() });

/** The jobs of wrangler.toml, by their cron triggers. */
const CRONS = { cleanup: '*/10 * * * *', index: '* * * * *' };

/**
 * Fires a cron trigger of wrangler.toml once, which `wrangler dev` does not do by itself.
 * @param scheduledTime In milliseconds since 1970; the cleanup job measures idle time up to it.
 * @throws when the job fails or takes longer than five minutes, or when the signal aborts.
 */
export async function fireCron(
  baseUrl: string,
  scheduledTime: number,
  signal?: AbortSignal,
  job: keyof typeof CRONS = 'cleanup',
): Promise<void> {
  const query = new URLSearchParams({ cron: CRONS[job], time: String(scheduledTime), format: 'json' });
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(`${baseUrl}/cdn-cgi/local/scheduled?${query.toString()}`, {
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
  });
  const { outcome } = resultSchema.parse(await response.json());
  if (outcome !== 'ok') throw new Error(`The ${job} job failed: outcome ${outcome}`);
}
