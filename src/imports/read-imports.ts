import { z } from 'zod';
import { requireChainOf } from '../accounts/chains-of-actor.ts';
import { notFound } from '../core/domain-error.ts';
import { IMPORT_STATUSES } from '../platform/database/vocabulary/import.ts';
import { pageFields, pageOf, pageRange, type Page } from '../core/paging.ts';
import type { TenantServices } from '../services.ts';
import { listedImportReply, type listedImportSchema } from './import-reply.ts';
import { findImport, listImports as selectImports, type Import } from './imports.store.ts';

export const importListQuery = z.object({
  ...pageFields,
  status: z.enum(IMPORT_STATUSES).optional().meta({ description: 'Only with this status' }),
});

/** A page of the account's imports, newest first. */
export async function listImports(
  { db }: TenantServices,
  query: z.output<typeof importListQuery>,
): Promise<Page<z.output<typeof listedImportSchema>>> {
  const range = pageRange(query);
  const { rows, searchedTo } = await selectImports(db, query.status, range);
  return pageOf(rows, range, listedImportReply, searchedTo);
}

/** @throws {DomainError} `not-found` if the account has no such import; `forbidden` if the key is not for its chain. */
export async function getImport({ db, actor }: TenantServices, id: string): Promise<Import> {
  const found = await findImport(db, id);
  if (found === undefined) throw notFound('Import');
  requireChainOf(actor, found.chainId);
  return found;
}
