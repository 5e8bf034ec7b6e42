import { BodyTooLargeError, readText } from './read-text.ts';

/** Megabytes of empty lists, parsed, take many times as much memory. */
const MAX_VALUES = 500_000;

/**
 * Reads a response body that is going to be parsed as JSON.
 * @throws {BodyTooLargeError} if it has more than `maxBytes`, or too many values.
 */
export async function readJsonText(reply: Response, maxBytes: number): Promise<string> {
  const text = await readText(reply, maxBytes);
  if (text.length > MAX_VALUES && hasTooManyValues(text)) throw new BodyTooLargeError(`${MAX_VALUES} values`, text);
  return text;
}

/** Each value, but for the first, follows a comma or the start of a list or an object. Those in strings count too. */
function hasTooManyValues(text: string): boolean {
  let count = 1;
  for (const _ of text.matchAll(/[,[{]/g)) {
    count += 1;
    if (count > MAX_VALUES) return true;
  }
  return false;
}
