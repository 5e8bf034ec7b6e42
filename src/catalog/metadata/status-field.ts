import { z } from 'zod';
import { broken } from '../../core/validation-messages.ts';
import { textIssue } from '../../core/text-issue.ts';

const MAX_LENGTH = 64;
const LENGTH = `must have 1 to ${MAX_LENGTH} characters`;

/** A status in a request. */
export const statusField = z
  .string()
  .refine((text) => text !== '', broken('too_short', LENGTH))
  // Code points, as JSON Schema counts: an emoji is one character.
  .refine((text) => Array.from(text).length <= MAX_LENGTH, broken('too_long', LENGTH))
  .refine((text) => textIssue(text) === undefined, 'must be valid Unicode without U+0000')
  .meta({ minLength: 1, maxLength: MAX_LENGTH });
