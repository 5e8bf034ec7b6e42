import type { TenantServices } from '../../services.ts';
import type { Metadata } from './metadata.store.ts';
import { publicUrl, refreshDocuments } from './public-document.ts';
import { purgeZone } from './purge-zone.ts';

/**
 * Updates the caches after a change of a document that is linked to a token. The change is committed, so a failure, which leaves a cache
 * outdated for a while, is only logged.
 */
export async function publishChange(
  services: TenantServices,
  { contractAddress, tokenId }: Pick<Metadata, 'contractAddress' | 'tokenId'>,
): Promise<void> {
  if (contractAddress === null || tokenId === null) return;
  const token = { contractAddress, tokenId };
  const refresh = refreshDocuments(services, [token]).catch((error: unknown) =>
    services.log.error('metadata.refresh_failed', { ...token, error }),
  );
  await Promise.all([refresh, purgeZone(services, publicUrl(services, token))]);
}
