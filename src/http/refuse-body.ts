import type { Context } from 'hono';
import { z } from 'zod';
import { DomainError, invalidInput, issuesOf } from '../core/domain-error.ts';

const noFields = z.strictObject({});

/**
 * Refuses what a route without a body would ignore: a caller who sends a field expects it to have an effect. No body
 * and an empty object are fine.
 * @throws {DomainError} `malformed_body` if it is no JSON; `invalid` with every field.
 */
export async function refuseBody({ req }: Context): Promise<void> {
  const text = await req.text();
  if (text.trim() === '') return;
  const { error } = noFields.safeParse(parsed(text));
  if (error !== undefined) throw invalidInput(issuesOf(error));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new DomainError('malformed_body', 'The body is not JSON, and this request needs none', undefined, {
      cause: error,
    });
  }
}
