import { requireChainOf } from '../../accounts/chains-of-actor.ts';
import { notFound } from '../../core/domain-error.ts';
import type { TenantServices } from '../../services.ts';
import { findMetadata } from './metadata.store.ts';
import type { Metadata } from './metadata.store.ts';

/**
 * Reads a metadata document of the account.
 * @throws {DomainError} `not-found` when it has none with this id; `forbidden` when the key is not for its chain.
 */
export async function getMetadata({ db, actor }: TenantServices, id: string): Promise<Metadata> {
  const metadata = await findMetadata(db, id);
  if (metadata === undefined) throw notFound('Metadata');
  requireChainOf(actor, metadata.chainId);
  return metadata;
}
