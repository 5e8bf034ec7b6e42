import { z } from 'zod';
import { DomainError } from '../../core/domain-error.ts';
import { textIssue } from '../../core/text-issue.ts';
import type { TenantServices } from '../../services.ts';
import { getMetadata } from './get-metadata.ts';
import { updateStatus } from './metadata.store.ts';
import type { Metadata } from './metadata.store.ts';
import { refreshTokens } from './refresh-tokens.ts';

const MAX_LENGTH = 64;

export const statusInput = z
  .object({
    status: z
      .string()
      // Code points, as JSON Schema counts: an emoji is one character.
      .refine((text) => text !== '' && Array.from(text).length <= MAX_LENGTH, `must have 1 to ${MAX_LENGTH} characters`)
      .refine((text) => textIssue(text) === undefined, 'must be valid Unicode without U+0000')
      .meta({ minLength: 1, maxLength: MAX_LENGTH, description: 'The new status', example: 'Redeemed' }),
  })
  .meta({ id: 'SetMetadataStatus' });

/**
 * Sets a document's status in all of its places, and updates the public document.
 * @throws {DomainError} as {@link getMetadata}; `conflict` for a certificate.
 */
export async function setStatus(
  services: TenantServices,
  id: string,
  { status }: z.output<typeof statusInput>,
): Promise<Metadata> {
  const { db, clock } = services;
  const changed = await updateStatus(db, id, status, new Date(clock.now()));
  if (changed === undefined) {
    await getMetadata(services, id);
    throw new DomainError('conflict', 'The metadata of a certificate never changes');
  }
  const { contractAddress, tokenId } = changed;
  if (contractAddress !== null && tokenId !== null) await refreshTokens(services, [{ contractAddress, tokenId }]);
  return changed;
}
