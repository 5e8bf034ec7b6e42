import type { z } from 'zod';

/** A required JSON request body, for a route definition. */
export function jsonBody<Schema extends z.ZodType>(schema: Schema) {
  return { required: true, content: { 'application/json': { schema } } };
}

/** A JSON reply, for a route definition. */
export function jsonReply<Schema extends z.ZodType>(description: string, schema: Schema) {
  return { description, content: { 'application/json': { schema } } };
}
