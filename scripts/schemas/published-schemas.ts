import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

/** The list of published schemas, in the same directory: file name -> SHA-256 of the file in hex. */
const LIST = 'published.json';
const listSchema = z.record(z.string(), z.string().regex(/^[0-9a-f]{64}$/));

/**
 * Finds published schemas that were edited or deleted, and schemas that are not published. Metadata and certificates
 * refer to a version forever, so a published file never changes.
 * @returns one line per problem.
 */
export function schemaProblems(directory: string): string[] {
  const published = readList(directory);
  const files = hashFiles(directory);
  const names = [...new Set([...published.keys(), ...files.keys()])].toSorted();
  return names.flatMap((name) => {
    const hash = files.get(name);
    if (hash === undefined) return [`${name} is published and must not be deleted: restore it`];
    if (!published.has(name)) return [`${name} is not published yet: run npm run schemas:check -- --publish`];
    if (published.get(name) === hash) return [];
    return [`${name} is published and must not be edited: restore it, and add a new version beside it`];
  });
}

/** Adds unpublished files to the list and changes nothing else. @returns their names. */
export function publishSchemas(directory: string): string[] {
  const published = readList(directory);
  const added = [...hashFiles(directory)].filter(([name]) => !published.has(name));
  const entries = [...published, ...added].toSorted(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(path.join(directory, LIST), `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`);
  return added.map(([name]) => name);
}

function readList(directory: string): Map<string, string> {
  const file = path.join(directory, LIST);
  if (!existsSync(file)) return new Map();
  return new Map(Object.entries(listSchema.parse(JSON.parse(readFileSync(file, 'utf8')))));
}

function hashFiles(directory: string): Map<string, string> {
  const names = readdirSync(directory).filter((name) => name.endsWith('.json') && name !== LIST);
  return new Map(
    names.map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(path.join(directory, name)))
        .digest('hex'),
    ]),
  );
}
