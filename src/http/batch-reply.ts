import type { Context } from 'hono';
import { z } from 'zod';
import { DomainError } from '../core/domain-error.ts';
import type { AppEnv } from './app-env.ts';
import { refusal, refusalSchema, setRetryAfter } from './error-reply.ts';

/**
 * The reply to a batch whose items are accepted or refused individually.
 * @param noun What an item is, such as `order`.
 * @param accepted The fields of an accepted item.
 * @param ids The names of the schemas of a refused item and of the reply.
 */
export function batchReplySchema<Shape extends z.core.$ZodLooseShape>(
  noun: string,
  accepted: Shape,
  ids: { readonly refusal: string; readonly result: string },
) {
  const index = z.int().meta({ description: `Index of the ${noun} in the request, from 0`, example: 0 });
  const statusCode = z.literal(201).meta({ description: 'HTTP status that it would get on its own' });
  return z
    .object({
      accepted: z.int().meta({ description: 'How many were accepted', example: 99 }),
      refused: z.int().meta({ description: 'How many were rejected', example: 1 }),
      results: z
        .array(
          z.union([
            z.object({ index, statusCode, ...accepted }),
            refusalSchema.extend({ index }).meta({ id: ids.refusal }),
          ]),
        )
        .meta({ description: 'In the order of the request' }),
    })
    .meta({ id: ids.result });
}

/** The reply to a batch; with `Retry-After` if all of it is refused with 429. @param fieldsOf Of an accepted item. */
export function batchReply<Result, Fields extends object>(
  c: Context<AppEnv>,
  results: readonly (Result | DomainError)[],
  fieldsOf: (result: Result) => Fields,
) {
  const refused = results.filter((result) => result instanceof DomainError).length;
  setRetryAfter(c, results);
  return {
    accepted: results.length - refused,
    refused,
    results: results.map((result, index) =>
      result instanceof DomainError
        ? { index, ...refusal(result) }
        : { index, statusCode: 201 as const, ...fieldsOf(result) },
    ),
  };
}
