import { z } from 'zod';
import { listKeys as selectKeys } from '../accounts/account-keys.store.ts';
import { pageFields, pageOf, pageRange } from '../core/paging.ts';
import type { Page } from '../core/paging.ts';
import type { TenantServices } from '../services.ts';
import { keyReply } from './key-reply.ts';
import type { keyReplySchema } from './key-reply.ts';

export const keyListQuery = z.object(pageFields);

/** A page of the account's keys that are not revoked, newest first. A key sees those of its own kind. */
export async function listKeys(
  { actor, db }: TenantServices,
  query: z.output<typeof keyListQuery>,
): Promise<Page<z.output<typeof keyReplySchema>>> {
  const range = pageRange(query);
  const kind = actor.type === 'key' ? actor.key.kind : undefined;
  return pageOf(await selectKeys(db, kind, range), range, keyReply);
}
