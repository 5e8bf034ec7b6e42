import type { TenantServices } from '../../services.ts';
import type { Metadata } from './metadata.store.ts';
import { refreshTokens } from './refresh-tokens.ts';

/** Updates the caches after a change of a document, if it is linked to a token. */
export async function publishChange(
  services: TenantServices,
  { contractAddress, tokenId }: Pick<Metadata, 'contractAddress' | 'tokenId'>,
): Promise<void> {
  if (contractAddress !== null && tokenId !== null) await refreshTokens(services, [{ contractAddress, tokenId }]);
}
