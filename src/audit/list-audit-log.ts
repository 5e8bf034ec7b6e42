import { z } from 'zod';
import { instantField, recordIdField, resourceIdField, textField } from '../core/fields.ts';
import { pageFields, pageOf, pageRange, type Page } from '../core/paging.ts';
import type { Services, TenantServices } from '../services.ts';
import { listAuditLog, type AuditEntry } from './audit-log.store.ts';
import { corporateIdReply } from '../core/reply-fields.ts';

const actorField = z.enum(['key', 'global', 'admin', 'command']);

export const auditQuery = z.object({
  ...pageFields,
  actor: actorField.optional().meta({ description: 'Only by this kind of caller' }),
  keyId: recordIdField.optional().meta({ description: 'Only with this key' }),
  resourceId: resourceIdField.optional().meta({ description: 'Only of this record or chain' }),
  route: textField(200).optional().meta({ description: 'Only on this route', example: '/minting/order' }),
  statusCode: z
    .string()
    .regex(/^[1-9]\d{2}$/, 'must be an HTTP status')
    .transform(Number)
    .optional()
    .meta({
      type: 'integer',
      minimum: 100,
      maximum: 999,
      description: 'Only with a reply of this HTTP status',
      example: 201,
    }),
});

export const adminAuditQuery = auditQuery.extend({
  corporateId: textField(64)
    .optional()
    .meta({ description: 'Only of this account', example: 'b3a1c2d4-5e6f-4a7b-8c9d-0e1f2a3b4c5d' }),
});

export const auditEntrySchema = z
  .object({
    id: recordIdField.meta({ description: 'Id of the entry' }),
    actor: actorField.meta({
      description:
        'key: of the account; global: of GLOBAL_SECRET_KEY; admin: ADMIN_SECRET_KEY; command: npm run corporate',
    }),
    keyId: recordIdField.nullable().meta({ description: 'The key of the account; null for any other caller' }),
    address: z
      .string()
      .nullable()
      .meta({ description: "The caller's IP address; null if it is not known", example: '203.0.113.7' }),
    requestId: z.string().nullable().meta({
      description: 'X-Request-Id; null for a command',
      example: '0f6b9c1e-6c1a-4d57-9a0e-3f2f7c1f2b11',
    }),
    method: z.string().meta({ description: 'HTTP method; COMMAND for a command', example: 'DELETE' }),
    route: z.string().meta({ description: 'Path of the route, or the command', example: '/keys/{id}' }),
    resourceIds: z.array(z.string()).meta({
      description:
        'What was created or changed besides the account, a chain by its chain id; for a request that changed nothing, the id in its path',
    }),
    bodyHash: z
      .string()
      .nullable()
      .meta({
        description: 'SHA-256 of the body, in hex; null without a body, and for new claims, whose PINs it would reveal',
        example: '5e'.repeat(32),
      }),
    statusCode: z
      .int()
      .nullable()
      .meta({ description: 'HTTP status of the reply; null for a command, which succeeded', example: 204 }),
    createdAt: instantField.meta({ description: 'When it was made, UTC' }),
  })
  .meta({ id: 'AuditEntry' });

export const adminAuditEntrySchema = auditEntrySchema
  .extend({ corporateId: corporateIdReply.nullable().meta({ description: 'The account; null: none' }) })
  .meta({ id: 'AdminAuditEntry' });

type Entry = z.output<typeof auditEntrySchema>;

/**
 * A page of what was asked for in the account, newest first. To a key, without what was asked for with keys of the
 * other kind.
 */
export async function listAccountAudit(
  { actor, db }: TenantServices,
  query: z.output<typeof auditQuery>,
): Promise<Page<Entry>> {
  const range = pageRange(query);
  const keyKind = actor.type === 'key' ? actor.key.kind : undefined;
  const { rows, searchedTo } = await listAuditLog(db, { ...query, keyKind }, range);
  return pageOf(rows, range, entryReply, searchedTo);
}

/** A page of what was asked for in all accounts, newest first. */
export async function listAudit(
  { db }: Services,
  query: z.output<typeof adminAuditQuery>,
): Promise<Page<z.output<typeof adminAuditEntrySchema>>> {
  const range = pageRange(query);
  const { rows, searchedTo } = await listAuditLog(db, query, range);
  return pageOf(rows, range, (entry) => ({ ...entryReply(entry), corporateId: entry.corporateId }), searchedTo);
}

/** Without the account's id, which is a credential. */
function entryReply(entry: AuditEntry): Entry {
  const { corporateAccountId, corporateId: _, isChange: __, resourceIds, createdAt, ...fields } = entry;
  return {
    ...fields,
    resourceIds: resourceIds.filter((id) => id !== corporateAccountId),
    createdAt: createdAt.toISOString(),
  };
}
