import { z } from 'zod';
import { invalidInput } from '../core/domain-error.ts';

/** An ETag of a document with versions. A proxy that compresses replies makes it weak. */
const VERSION_TAG = /^(?:W\/)?"([1-9]\d{0,8})"$/;

/**
 * The header If-Match, for the definition of a route.
 * @param description What it must name, and when it may be absent.
 * @param isRequired Whether the API document requires it always. Without it the reply is 428, not 400, so the schema
 *   accepts that it is absent.
 */
export const ifMatchHeaders = (description: string, isRequired: boolean) =>
  z.object({
    'if-match': z
      .string()
      .optional()
      .meta({ pattern: VERSION_TAG.source, description, example: '"1"', param: { required: isRequired } }),
  });

/** The version in If-Match; undefined without the header. @throws {DomainError} `invalid` if it names none. */
export function versionIn(ifMatch: string | undefined): number | undefined {
  if (ifMatch === undefined) return undefined;
  const [, version] = VERSION_TAG.exec(ifMatch) ?? [];
  if (version === undefined) {
    throw invalidInput([
      { path: 'If-Match', message: 'must be one ETag of the document, such as "1"', code: 'invalid_format' },
    ]);
  }
  return Number(version);
}
