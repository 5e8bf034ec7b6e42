import { z } from 'zod';
import { issuesOf } from '../../core/domain-error.ts';
import type { InputIssue } from '../../core/domain-error.ts';
import { urlField } from '../../core/fields.ts';

/**
 * Optional display fields that the specification lacks, in OpenSea's form: https://docs.opensea.io/docs/metadata-standards.
 * They are not in the schemas, because published schemas are never edited.
 */
const displayFields = z.object({
  animation_url: urlField('media').optional(),
  background_color: z
    .string()
    .regex(/^[0-9a-fA-F]{6}$/, 'must be six hex digits, without "#"')
    .optional(),
});

/** The issues of a document's optional display fields. */
export function displayIssues(document: Readonly<Record<string, unknown>>): InputIssue[] {
  const { error } = displayFields.safeParse(document);
  return error === undefined ? [] : issuesOf(error).map((issue) => ({ ...issue, path: `$.${issue.path}` }));
}
