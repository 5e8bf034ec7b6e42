import { and, eq, isNull, lte, or, sql } from 'drizzle-orm';
import type { SystemDb } from '../platform/database/client.ts';
import { webhookEndpoints } from '../platform/database/schema.ts';

/** The secrets of an endpoint as they are stored. */
export interface StoredSecrets {
  readonly id: string;
  readonly secret: string;
  readonly secretPrevious: string | null;
}

/** Secrets that another key than this one has encrypted, each with the number of all of them. */
export async function secretsOfOtherKeys(
  db: SystemDb,
  keyId: string,
  { limit, offset }: { readonly limit: number; readonly offset: number },
) {
  const { id, secret, secretPrevious } = webhookEndpoints;
  return await db.sql
    .select({ row: { id, secret, secretPrevious }, total: sql`count(*) over ()`.mapWith(Number) })
    .from(webhookEndpoints)
    .where(or(sql`not starts_with(${secret}, ${`${keyId}.`})`, sql`not starts_with(${secretPrevious}, ${`${keyId}.`})`))
    .orderBy(id)
    .limit(limit)
    .offset(offset);
}

/** Stores the same secrets in another form, unless they have been rotated since they were read. */
export async function replaceSecrets(db: SystemDb, before: StoredSecrets, after: StoredSecrets): Promise<void> {
  const { secret, secretPrevious } = webhookEndpoints;
  await db.sql
    .update(webhookEndpoints)
    .set({ secret: after.secret, secretPrevious: after.secretPrevious })
    .where(
      and(
        eq(webhookEndpoints.id, before.id),
        eq(secret, before.secret),
        before.secretPrevious === null ? isNull(secretPrevious) : eq(secretPrevious, before.secretPrevious),
      ),
    );
}

/** Deletes former secrets that sign no longer. */
export async function removeExpiredSecrets(db: SystemDb, now: Date): Promise<void> {
  await db.sql
    .update(webhookEndpoints)
    .set({ secretPrevious: null, secretPreviousExpiresAt: null })
    .where(lte(webhookEndpoints.secretPreviousExpiresAt, now));
}
