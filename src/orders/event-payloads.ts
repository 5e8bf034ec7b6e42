import { z } from 'zod';
import { instantField } from '../core/fields.ts';
import { EVENT_TYPES } from '../webhooks/event.ts';
import type { EventType } from '../webhooks/event.ts';
import { orderKinds } from './kinds.ts';

/** An event for the API document. */
export interface EventDescription {
  readonly type: EventType;
  /** When it is sent. */
  readonly when: string;
  /** The body of each attempt. */
  readonly payload: z.ZodObject;
}

/** Every event of all kinds of orders, with the kinds' schemas. */
export function describeEvents(): EventDescription[] {
  const kinds = [...orderKinds.values()].flatMap(({ events }) => (events === null ? [] : [events]));
  const byType = new Map(
    kinds.flatMap(({ types, data }) =>
      Object.values(types).map((type) => {
        const payload = z.object({ type: z.literal(type), timestamp: instantField, data });
        return [type, { type, when: EVENT_TYPES[type], payload }] as const;
      }),
    ),
  );
  return [...byType.values()];
}
