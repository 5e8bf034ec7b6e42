import { sql } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';

/**
 * A list for `in`, as SQL literals: with parameters the planner cannot prove that a partial index has all rows of a condition.
 * @param words Constants of the code, never input.
 */
export function literals(words: readonly string[]): SQL {
  return sql.raw(`(${words.map((word) => `'${word}'`).join(', ')})`);
}
