import { z } from 'zod';

const journalSchema = z.object({ entries: z.array(z.object({ tag: z.string(), when: z.number() })) });

/**
 * What is wrong with a journal of migrations: a file that it does not list is never applied, and a database that
 * already has a later migration gets an earlier one in another order than a new database.
 * @param journal The text of `meta/_journal.json`.
 * @param files The names of the migrations' files.
 */
export function journalIssues(journal: string, files: readonly string[]): string[] {
  const { entries } = journalSchema.parse(JSON.parse(journal));
  const tags = new Set(entries.map(({ tag }) => tag));
  const unlisted = files.filter((file) => !tags.has(file.replace(/\.sql$/, '')));
  const early = entries.filter(({ when }, index) => when <= (entries[index - 1]?.when ?? 0));
  return [
    ...unlisted.map((file) => `does not list ${file}`),
    ...early.map(({ tag }) => `${tag} is not later than the one before it: delete it and run npm run db:generate`),
  ];
}
