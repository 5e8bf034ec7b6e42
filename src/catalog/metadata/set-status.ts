import { z } from 'zod';
import { DomainError, missing } from '../../core/domain-error.ts';
import { textFault } from '../../core/text-fault.ts';
import type { TenantServices } from '../../services.ts';
import { findMetadata, updateStatus } from './metadata.store.ts';
import type { Metadata, Token } from './metadata.store.ts';
import { publicUrl, refreshDocuments } from './public-document.ts';
import { purgeZone } from './purge-zone.ts';

const LONGEST_STATUS = 64;

export const statusInput = z
  .object({
    status: z
      .string()
      // In characters, as the schemas count: an emoji is one.
      .refine(
        (text) => text !== '' && Array.from(text).length <= LONGEST_STATUS,
        `must have 1 to ${LONGEST_STATUS} characters`,
      )
      .refine((text) => textFault(text) === undefined, 'must be valid Unicode without U+0000')
      .meta({ minLength: 1, maxLength: LONGEST_STATUS, example: 'Redeemed' }),
  })
  .meta({ id: 'SetMetadataStatus' });

/**
 * Sets the status of a document that is no certificate, in all its places at once, and has it served from now on.
 * @throws {DomainError} `missing` when the account has no such document; `conflict` for a certificate.
 */
export async function setStatus(
  services: TenantServices,
  id: string,
  { status }: z.output<typeof statusInput>,
): Promise<Metadata> {
  const { db, clock } = services;
  const changed = await updateStatus(db, id, status, new Date(clock.now()));
  if (changed === undefined) {
    if ((await findMetadata(db, id)) === undefined) throw missing('Metadata');
    throw new DomainError('conflict', 'The metadata of a certificate never changes');
  }
  const { contractAddress, tokenId } = changed;
  if (contractAddress !== null && tokenId !== null) await publish(services, { contractAddress, tokenId });
  return changed;
}

/** The change is committed: a cache that cannot be told of it, and so is old for a time, is no failure of the request. */
async function publish(services: TenantServices, token: Token): Promise<void> {
  const refresh = refreshDocuments(services, [token]).catch((error: unknown) =>
    services.log.error('metadata.refresh_failed', { ...token, error }),
  );
  await Promise.all([refresh, purgeZone(services, publicUrl(services, token))]);
}
