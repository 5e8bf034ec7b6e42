import { z } from 'zod';
import { instantField } from '../core/fields.ts';
import { EVENT_TYPES } from '../webhooks/event.ts';
import { NOTICES } from '../webhooks/notices.ts';
import { orderKinds } from './kinds.ts';

/** An event, as the API document describes it. */
export interface EventDescription {
  readonly type: string;
  /** When it is sent. */
  readonly when: string;
  /** The body of each attempt. */
  readonly payload: z.ZodObject;
}

/** Every event, each once: the ends of orders by the schemas of their kinds, and the notices. */
export function describeEvents(): EventDescription[] {
  const kinds = [...orderKinds.values()].flatMap(({ events }) => (events === null ? [] : [events]));
  const ends = kinds.flatMap(({ types, data }) =>
    Object.values(types).map((type) => describe(type, EVENT_TYPES[type], data)),
  );
  const notices = Object.entries(NOTICES).map(([type, { when, data }]) => describe(type, when, data));
  return [...new Map([...ends, ...notices].map((event) => [event.type, event])).values()];
}

function describe(type: string, when: string, data: z.ZodType): EventDescription {
  return { type, when, payload: z.object({ type: z.literal(type), timestamp: instantField, data }) };
}
