import { z } from 'zod';
import { broken } from '../../core/validation-messages.ts';
import { textIssue, instantField, recordField } from '../../core/fields.ts';
import { KEY_KINDS, type KeyKind } from '../../accounts/account-key.ts';
import { DomainError } from '../../core/domain-error.ts';
import type { TenantServices } from '../../services.ts';
import type { UtilityType } from './schemas.ts';
import { findStatusRules, storeStatusRules } from './status-rules.store.ts';

const MAX_LENGTH = 64;
const LENGTH = `must have 1 to ${MAX_LENGTH} characters`;

/** A status in a request. */
export const statusField = z
  .string()
  .refine((text) => text !== '', broken('too_short', LENGTH))
  // Code points, as JSON Schema counts: an emoji is one character.
  .refine((text) => Array.from(text).length <= MAX_LENGTH, broken('too_long', LENGTH))
  .refine((text) => textIssue(text) === undefined, 'must be valid Unicode without U+0000')
  .meta({ minLength: 1, maxLength: MAX_LENGTH });

/** The most statuses of one type. */
const MAX_STATUSES = 50;

const EXAMPLE = { Ticket: { Unused: ['Used', 'Void'], Used: [], Void: [] } };

const transitionsField = recordField(statusField, z.array(statusField).max(MAX_STATUSES)).superRefine(
  (transitions, context) => {
    const statuses = Object.keys(transitions);
    if (statuses.length === 0 || statuses.length > MAX_STATUSES) {
      context.addIssue({ code: 'custom', message: `must have 1 to ${MAX_STATUSES} statuses` });
      return;
    }
    for (const [status, next] of Object.entries(transitions)) {
      for (const [index, other] of next.entries()) {
        if (Object.hasOwn(transitions, other)) continue;
        context.addIssue({ code: 'custom', path: [status, index], message: 'must be one of the statuses of the type' });
      }
      if (new Set(next).size === next.length) continue;
      context.addIssue({ code: 'custom', path: [status], message: 'must not list a status twice' });
    }
  },
);

const rulesOf = (type: UtilityType) =>
  transitionsField.optional().meta({
    description: `The statuses of ${type} metadata, and which may follow each`,
    example: EXAMPLE.Ticket,
  });

const rulesField = z
  .strictObject({
    Ticket: rulesOf('Ticket'),
    Coupon: rulesOf('Coupon'),
    Flexible: rulesOf('Flexible'),
  } satisfies Record<Exclude<UtilityType, 'Certificate'>, unknown>)
  .meta({
    description:
      'For each utility.type with rules, its statuses, and which may follow each; none: it is final. A type that is left out has no rules',
    example: EXAMPLE,
  });

export const statusRulesInput = z.strictObject({ rules: rulesField }).meta({ id: 'ReplaceStatusRules' });

const kindField = z.enum(KEY_KINDS);

export const statusRulesQuery = z.object({
  kind: kindField.optional().meta({
    description: 'live: the rules for main chains; test: for test chains. Default: the kind of the key, else live',
    example: 'live',
  }),
});

export const statusRulesReplySchema = z
  .object({
    kind: kindField.meta({ description: 'live: for main chains; test: for test chains' }),
    rules: rulesField,
    updatedAt: instantField.nullable().meta({ description: 'When they were last replaced, UTC; null: never' }),
  })
  .meta({ id: 'StatusRules' });

type StatusRulesReply = z.output<typeof statusRulesReplySchema>;

/**
 * The rules for the statuses of the account's metadata.
 * @throws {DomainError} `forbidden` for chains that the key is not for.
 */
export async function getStatusRules(
  { db, actor }: TenantServices,
  query: z.output<typeof statusRulesQuery>,
): Promise<StatusRulesReply> {
  const kind = requireKeyKind(actor, query.kind);
  const stored = await findStatusRules(db, kind);
  // What is stored passed the schema.
  const rules = rulesField.parse(stored?.rules ?? {});
  return { kind, rules, updatedAt: stored?.updatedAt.toISOString() ?? null };
}

/**
 * Replaces the rules for the statuses of the account's metadata. They apply to every change of a status and to every
 * new document, and not to statuses that documents already have.
 * @throws {DomainError} `forbidden` for chains that the key is not for.
 */
export async function replaceStatusRules(
  { db, actor, clock }: TenantServices,
  query: z.output<typeof statusRulesQuery>,
  { rules }: z.output<typeof statusRulesInput>,
): Promise<StatusRulesReply> {
  const kind = requireKeyKind(actor, query.kind);
  const updatedAt = new Date(clock.now());
  await storeStatusRules(db, { kind, rules, updatedAt });
  return { kind, rules, updatedAt: updatedAt.toISOString() };
}

function requireKeyKind(actor: TenantServices['actor'], requested: KeyKind | undefined): KeyKind {
  const own = actor.type === 'key' ? actor.key.kind : undefined;
  if (own !== undefined && requested !== undefined && requested !== own) {
    throw new DomainError('forbidden', `A ${own} key has no access to the rules for ${requested} keys`);
  }
  return requested ?? own ?? 'live';
}
