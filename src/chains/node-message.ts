import type { Redact } from '../core/redaction.ts';

const MAX_MESSAGE = 1_000;
/** The most characters of a revert reason that are kept. */
export const MAX_REASON = 500;

/** A node's error message as it is kept: at most 1,000 characters. @param redact Removes what is secret in the node's URL. */
export function nodeMessage(redact: Redact, message: string): string {
  return redact(message).slice(0, MAX_MESSAGE);
}

/**
 * Makes a contract's text safe to store and show. A token's receiver can choose that text: one NUL, which PostgreSQL rejects,
 * would otherwise fail the settlement of every order in the same batch.
 */
export function oneLine(text: string, maxLength = MAX_REASON): string {
  return text
    .slice(0, maxLength)
    .toWellFormed()
    .replaceAll(/\p{Cc}+/gu, ' ');
}
