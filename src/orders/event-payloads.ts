import { z } from 'zod';
import { instantField } from '../core/fields.ts';
import { NOTICES } from '../webhooks/notices.ts';
import { orderKinds } from './kinds.ts';

/** An event for the API document. */
export interface EventDescription {
  readonly type: string;
  /** When the event is sent. */
  readonly when: string;
  /** The body of each attempt. */
  readonly payload: z.ZodObject;
}

/**
 * Every event: the ends of the orders of all kinds, with the kinds' schemas, and the notices. Kinds that end alike
 * share their events.
 */
export function describeEvents(): EventDescription[] {
  const events = new Set([...orderKinds.values()].flatMap((kind) => kind.events ?? []));
  const ends = Array.from(events, ({ types, data }) =>
    Object.values(types).map(({ type, when }) => ({ type, when, data })),
  ).flat();
  const notices = Object.entries(NOTICES).map(([type, notice]) => ({ type, ...notice }));
  return [...ends, ...notices].map(({ type, when, data }) => ({
    type,
    when,
    payload: z.object({
      type: z.literal(type).meta({ description: 'Type of the event' }),
      timestamp: instantField.meta({ description: 'When it happened, UTC' }),
      data,
    }),
  }));
}
