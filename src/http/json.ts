import type { z } from 'zod';

/** A JSON reply, for a route definition. */
export function jsonReply<Schema extends z.ZodType>(description: string, schema: Schema) {
  return { description, content: { 'application/json': { schema } } };
}
