import { z } from 'zod';
import { instantField, recordIdField, resourceIdField, textField } from '../core/fields.ts';
import { pageFields, pageOf, pageRange } from '../core/paging.ts';
import type { Page } from '../core/paging.ts';
import type { Services, TenantServices } from '../services.ts';
import { listAuditLog } from './audit-log.store.ts';
import type { AuditEntry } from './audit-log.store.ts';

const actorField = z.enum(['key', 'global', 'admin', 'command']);

export const auditQuery = z.object({
  ...pageFields,
  actor: actorField.optional(),
  keyId: recordIdField.optional(),
  resourceId: resourceIdField.optional(),
  route: textField(200).optional().meta({ description: 'For example /minting/order' }),
  statusCode: z
    .string()
    .regex(/^\d{3}$/, 'must be an HTTP status')
    .transform(Number)
    .optional()
    .meta({ type: 'integer' }),
});

export const adminAuditQuery = auditQuery.extend({ corporateId: textField(64).optional() });

export const auditEntrySchema = z
  .object({
    id: recordIdField,
    actor: actorField.meta({
      description:
        'key: of the account; global: of GLOBAL_SECRET_KEY; admin: ADMIN_SECRET_KEY; command: npm run corporate',
    }),
    keyId: recordIdField.nullable(),
    address: z.string().nullable().meta({ description: "The caller's IP address" }),
    requestId: z.string().nullable().meta({ description: 'X-Request-Id' }),
    method: z.string(),
    route: z.string().meta({ example: '/keys/{id}' }),
    resourceIds: z.array(z.string()).meta({
      description:
        'What was created or changed, a chain by its chain id, besides the account; of a request that changed nothing, what its path names',
    }),
    bodyHash: z.string().nullable().meta({ description: 'SHA-256 of the body, in hex' }),
    statusCode: z.int().nullable().meta({ description: 'Of the reply; null for a command, which was carried out' }),
    createdAt: instantField,
  })
  .meta({ id: 'AuditEntry' });

export const adminAuditEntrySchema = auditEntrySchema
  .extend({ corporateId: z.string().nullable().meta({ description: 'The account; null: none' }) })
  .meta({ id: 'AdminAuditEntry' });

type Entry = z.output<typeof auditEntrySchema>;

/**
 * A page of what was asked for in the account, newest first. To a key, without what was asked for with keys of the other kind.
 */
export async function listAccountAudit(
  { actor, db }: TenantServices,
  query: z.output<typeof auditQuery>,
): Promise<Page<Entry>> {
  const range = pageRange(query);
  const keyKind = actor.type === 'key' ? actor.key.kind : undefined;
  return pageOf(await listAuditLog(db, { ...query, keyKind }, range), range, entryReply);
}

/** A page of what was asked for in all accounts, newest first. */
export async function listAudit(
  { db }: Services,
  query: z.output<typeof adminAuditQuery>,
): Promise<Page<z.output<typeof adminAuditEntrySchema>>> {
  const range = pageRange(query);
  const rows = await listAuditLog(db, query, range);
  return pageOf(rows, range, (entry) => ({ ...entryReply(entry), corporateId: entry.corporateId }));
}

/** Without the account's id, which is a credential. */
function entryReply(entry: AuditEntry): Entry {
  const { corporateAccountId, corporateId: _, resourceIds, createdAt, ...fields } = entry;
  return {
    ...fields,
    resourceIds: resourceIds.filter((id) => id !== corporateAccountId),
    createdAt: createdAt.toISOString(),
  };
}
