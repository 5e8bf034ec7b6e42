import { z } from 'zod';
import { instantField } from '../core/fields.ts';
import { orderKinds } from './kinds.ts';

/** An event for the API document. */
export interface EventDescription {
  readonly type: string;
  /** When it is sent. */
  readonly when: string;
  /** The body of each attempt. */
  readonly payload: z.ZodObject;
}

/** Every event of all kinds of orders, with the kinds' schemas. Kinds that end alike share their events. */
export function describeEvents(): EventDescription[] {
  const events = new Set([...orderKinds.values()].flatMap((kind) => kind.events ?? []));
  return Array.from(events, ({ types, data }) =>
    Object.values(types).map(({ type, when }) => ({
      type,
      when,
      payload: z.object({ type: z.literal(type), timestamp: instantField, data }),
    })),
  ).flat();
}
