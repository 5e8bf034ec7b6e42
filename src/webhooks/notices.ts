import { z } from 'zod';
import { recordIdField } from '../core/fields.ts';

/** Events that are not the end of an order: when each is sent, and the form of its data. */
export const NOTICES = {
  'webhook.test': {
    when: 'Somebody asked for a test of the endpoint',
    data: z.object({ endpointId: recordIdField }).meta({ id: 'WebhookTest' }),
  },
} as const satisfies Readonly<Record<string, { readonly when: string; readonly data: z.ZodObject }>>;

type NoticeType = keyof typeof NOTICES;

/** The body of a notice: the exact bytes of every attempt. */
export function noticePayload<Type extends NoticeType>(
  type: Type,
  at: Date,
  data: z.output<(typeof NOTICES)[Type]['data']>,
): string {
  return JSON.stringify({ type, timestamp: at.toISOString(), data });
}
