import { z } from 'zod';
import { KEY_KINDS } from '../accounts/account-key.ts';
import { SCOPES } from '../platform/database/vocabulary/scope.ts';
import type { StoredKey } from './account-keys.store.ts';
import { instantField, recordIdField } from '../core/fields.ts';

export const keyReplySchema = z
  .object({
    id: recordIdField.meta({ description: 'Id of the key' }),
    name: z.string().meta({ description: 'Given at its creation', example: 'Shop back end' }),
    kind: z.enum(KEY_KINDS).meta({ description: 'live: main chains only. test: test chains only' }),
    scopes: z.array(z.enum(SCOPES)).meta({ description: 'What the key may do' }),
    allowedAddresses: z
      .array(z.string())
      .nullable()
      .meta({ description: 'IP addresses and ranges it can be used from; null: any', example: ['203.0.113.0/24'] }),
    expiresAt: instantField.nullable().meta({ description: 'UTC; null: never' }),
    lastUsedAt: instantField.nullable().meta({ description: 'UTC, to the minute; null: never' }),
    parentId: recordIdField.nullable().meta({ description: 'The key that created it; null: an operator did' }),
    createdAt: instantField,
  })
  .meta({ id: 'Key' });

/** The reply to the request that creates a key: the only one with the key itself. */
export const newKeyReplySchema = keyReplySchema
  .extend({
    key: z
      .string()
      .nullable()
      .meta({
        description: 'The value of x-api-key. Shown once: null in the reply to a retry',
        example: `key_live_${'0'.repeat(64)}`,
      }),
  })
  .meta({ id: 'NewKey' });

export function keyReply(key: StoredKey): z.output<typeof keyReplySchema> {
  return {
    id: key.id,
    name: key.name,
    kind: key.kind,
    scopes: key.scopes,
    allowedAddresses: key.allowedAddresses,
    expiresAt: key.expiresAt?.toISOString() ?? null,
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
    parentId: key.parentId,
    createdAt: key.createdAt.toISOString(),
  };
}
