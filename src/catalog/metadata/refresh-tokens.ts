import type { Token } from './token-documents.store.ts';
import { publicUrl } from './document-cache.ts';
import { refreshDocuments } from './public-document.ts';
import { purgeZone } from './purge-zone.ts';

/**
 * Updates the caches after what the public sees of tokens has changed. The change is committed, so a failure, which
 * leaves a cache outdated for a while, is only logged.
 */
export async function refreshTokens(
  services: Parameters<typeof refreshDocuments>[0],
  tokens: readonly Token[],
): Promise<void> {
  const byUrl = new Map(
    tokens.map(({ contractAddress, tokenId }) => {
      const token = { contractAddress, tokenId };
      return [publicUrl(services.settings, token), token] as const;
    }),
  );
  const refresh = refreshDocuments(services, [...byUrl.values()]).catch((error: unknown) =>
    services.log.error('metadata.refresh_failed', { urls: [...byUrl.keys()], error }),
  );
  await Promise.all([refresh, ...Array.from(byUrl.keys(), (url) => purgeZone(services, url))]);
}
