import { z } from 'zod';
import { invalidInput } from '../core/domain-error.ts';
import { textField, urlField } from '../core/fields.ts';
import { targetIssue } from '../platform/egress/target-issue.ts';
import type { Settings } from '../platform/env.ts';

/** The fields of an endpoint that its account sets. @param eventTypes The event types that it may name. */
export function endpointFields(eventTypes: readonly string[]) {
  return {
    url: urlField('page').meta({
      description: 'https, port 443 or 8443, to a public address; see docs/webhooks.md',
      example: 'https://example.com/hooks',
    }),
    eventTypes: z
      .array(z.enum(eventTypes))
      .min(1, 'must name an event type')
      .refine((types) => new Set(types).size === types.length, 'must name each event type once')
      .meta({ uniqueItems: true, maxItems: eventTypes.length })
      .nullable()
      .meta({ description: 'The events it gets; null or absent: the ends of all orders, also of kinds added later' }),
    description: textField(200).nullable().meta({ description: 'A note', example: 'Production' }),
  };
}

/** @throws {DomainError} `invalid` for a URL to which no events may be sent. */
export function requireTarget(url: string, settings: Pick<Settings, 'WEBHOOK_ALLOW_PRIVATE_TARGETS'>): void {
  const message = targetIssue(url, settings.WEBHOOK_ALLOW_PRIVATE_TARGETS);
  if (message !== undefined) throw invalidInput([{ path: 'url', message }]);
}
