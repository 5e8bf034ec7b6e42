import type { Redact } from '../core/redaction.ts';

const MAX_LENGTH = 1_000;

/** A node's error message as it is kept: at most 1,000 characters. @param redact Removes what is secret in the node's URL. */
export function nodeMessage(redact: Redact, message: string): string {
  return redact(message).slice(0, MAX_LENGTH);
}
