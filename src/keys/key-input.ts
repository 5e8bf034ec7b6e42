import { z } from 'zod';
import { parseAddressRange } from '../core/address-range.ts';
import { momentField, nameField } from '../core/fields.ts';
import { KEY_KINDS } from '../accounts/account-key.ts';
import { SCOPES } from '../platform/database/vocabulary/scope.ts';

const MAX_RANGES = 100;

const rangeField = z
  .string()
  .max(64)
  .transform((text, context) => {
    const parsed = parseAddressRange(text);
    if ('range' in parsed) return parsed.range.text;
    context.addIssue({ code: 'custom', message: parsed.issue });
    return z.NEVER;
  })
  .meta({ type: 'string', maxLength: 64, example: '203.0.113.0/24' });

/** A request for a key. An unknown field is an issue: otherwise a misspelt limit would be ignored. */
export const keyInput = z
  .strictObject({
    name: nameField(100).meta({ description: 'A name to recognise the key', example: 'Shop back end' }),
    scopes: z
      .array(z.enum(SCOPES))
      .min(1, 'must have at least one scope')
      .max(SCOPES.length)
      .transform((scopes) => SCOPES.filter((scope) => scopes.includes(scope)))
      .meta({
        type: 'array',
        items: { type: 'string', maxLength: 64, enum: [...SCOPES] },
        minItems: 1,
        maxItems: SCOPES.length,
        description: 'What the key may do; no scope implies another',
        example: ['read', 'mint'],
      }),
    kind: z.enum(KEY_KINDS).optional().meta({
      description: "live: main chains only; test: test chains only. Default: the creating key's kind, else live",
    }),
    allowedAddresses: z
      .array(rangeField)
      .min(1, 'must have at least one range; omit it for the addresses of the creating key')
      .max(MAX_RANGES, `must have at most ${MAX_RANGES} ranges`)
      .transform((ranges) => [...new Set(ranges)])
      .optional()
      .meta({
        type: 'array',
        minItems: 1,
        maxItems: MAX_RANGES,
        items: { type: 'string', maxLength: 64 },
        description: "IPv4 and IPv6 addresses, and ranges of them (CIDR). Default: the creating key's, else any",
        example: ['203.0.113.0/24', '2001:db8::/32'],
      }),
    expiresAt: momentField.optional().meta({
      type: 'string',
      format: 'date-time',
      description: "When it expires. Default: the creating key's, else never",
      example: '2027-01-31T12:00:00Z',
    }),
  })
  .meta({ id: 'CreateKey' });
