import { z } from 'zod';
import { faultsOf } from '../../core/domain-error.ts';
import type { InputFault } from '../../core/domain-error.ts';
import { urlField } from '../../core/fields.ts';

/**
 * What marketplaces read beside the fields of the specification. The published schemas, which are never edited, do not
 * have them. Their form is OpenSea's: https://docs.opensea.io/docs/metadata-standards
 */
const presentationFields = z.object({
  animation_url: urlField('media').optional(),
  background_color: z
    .string()
    .regex(/^[0-9a-fA-F]{6}$/, 'must be six hex digits, without "#"')
    .optional(),
});

/** The faults of a document's optional fields for display. */
export function presentationFaults(document: Readonly<Record<string, unknown>>): InputFault[] {
  const { error } = presentationFields.safeParse(document);
  return error === undefined ? [] : faultsOf(error).map(({ path, message }) => ({ path: `$.${path}`, message }));
}
