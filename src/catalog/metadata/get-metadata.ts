import { missing } from '../../core/domain-error.ts';
import type { TenantServices } from '../../services.ts';
import { findMetadata } from './metadata.store.ts';
import type { Metadata } from './metadata.store.ts';

/** Reads a metadata document of the account. @throws {DomainError} `missing` where it has none of that id. */
export async function getMetadata({ db }: TenantServices, id: string): Promise<Metadata> {
  const metadata = await findMetadata(db, id);
  if (metadata === undefined) throw missing('Metadata');
  return metadata;
}
