import { z } from 'zod';
import { textIssue } from '../../core/text-issue.ts';

const MAX_LENGTH = 64;

/** A status in a request. */
export const statusField = z
  .string()
  // Code points, as JSON Schema counts: an emoji is one character.
  .refine((text) => text !== '' && Array.from(text).length <= MAX_LENGTH, `must have 1 to ${MAX_LENGTH} characters`)
  .refine((text) => textIssue(text) === undefined, 'must be valid Unicode without U+0000')
  .meta({ minLength: 1, maxLength: MAX_LENGTH });
