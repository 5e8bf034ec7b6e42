import { waitUntil } from 'cloudflare:workers';
import type { TenantServices } from '../services.ts';

/** Has an import worked on. Call it after the commit: the cleanup job finds one whose message was lost. */
export function wakeImport({ queues, log }: Pick<TenantServices, 'queues' | 'log'>, id: string): void {
  const sent = queues.wakeImports(new Map([[id, 0]]));
  waitUntil(sent.catch((error: unknown) => log.error('import.not_queued', { importId: id, error })));
}
