import { z } from 'zod';
import { invalidInput } from '../core/domain-error.ts';

/** An ETag of a document with versions. A proxy that compresses replies makes it weak. */
const VERSION_TAG = /^(?:W\/)?"([1-9]\d{0,8})"$/;

/** The header If-Match, for the definition of a route. @param description What it must name, and when it may be absent. */
export const ifMatchHeaders = (description: string) =>
  z.object({
    'if-match': z.string().optional().meta({ pattern: VERSION_TAG.source, description, example: '"1"' }),
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
