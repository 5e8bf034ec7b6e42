import type { InputIssue } from '../../core/domain-error.ts';
import { isRecord } from './json-value.ts';

/**
 * The most characters of a document's texts. They are not in the schemas, because published schemas are never edited; documents from
 * before can still be minted. What is in `utility.data` is bounded by the size of the whole document alone.
 */
export const TEXT_BOUNDS = {
  name: 200,
  description: 10_000,
  traitType: 200,
  traitValue: 2_000,
  displayType: 64,
} as const;

/** The texts of a document that are too long. */
export function* textBoundIssues(document: Readonly<Record<string, unknown>>): Generator<InputIssue> {
  const { name, description, attributes } = document;
  yield* issueOf('$.name', name, TEXT_BOUNDS.name);
  yield* issueOf('$.description', description, TEXT_BOUNDS.description);
  for (const [index, trait] of (Array.isArray(attributes) ? attributes : []).entries()) {
    if (!isRecord(trait)) continue;
    const at = `$.attributes[${index}]`;
    yield* issueOf(`${at}.trait_type`, trait['trait_type'], TEXT_BOUNDS.traitType);
    yield* issueOf(`${at}.value`, trait['value'], TEXT_BOUNDS.traitValue);
    yield* issueOf(`${at}.display_type`, trait['display_type'], TEXT_BOUNDS.displayType);
  }
}

function* issueOf(path: string, text: unknown, max: number): Generator<InputIssue> {
  if (typeof text !== 'string' || lengthOf(text) <= max) return;
  yield { path, message: `must be at most ${max} characters`, code: 'too_long' };
}

/** In code points, as JSON Schema counts. */
function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}
