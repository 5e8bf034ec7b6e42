import { lstat, readFile, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { hashOf, MANIFEST, readSum, SUMS, type ArchivedFile } from '../export/archive-folder.ts';
import { inParallel } from '../export/in-parallel.ts';
import { merkleRoot } from '../export/merkle-root.ts';
import type { Faults } from './faults.ts';

/** A folder that is what its manifest says. */
export interface VerifiedFolder {
  readonly directory: string;
  /** Of the Merkle tree over its files, in hex. */
  readonly root: string;
  /** Of records: the root of the archive that they belong to. */
  readonly archive: string | undefined;
  /** By their paths. What is not listed is not part of the folder. */
  readonly files: ReadonlyMap<string, ArchivedFile>;
}

const MAX_MANIFEST_BYTES = 100_000;
/** What a text has room for. A million files take a fifth of it. */
const MAX_SUMS_BYTES = 500_000_000;
/** Files after which to say how far it is. */
const PROGRESS = 10_000;

const hex = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hex digits');
const manifestSchema = z.object({ files: z.int(), bytes: z.int(), merkleRoot: hex, archive: hex.optional() });

/**
 * Reads all of a folder, and compares it with SHA256SUMS and manifest.json.
 * @returns what it has; undefined if it cannot be told.
 */
export async function verifyFolder(
  directory: string,
  faults: Faults,
  say: (line: string) => void,
): Promise<VerifiedFolder | undefined> {
  const base = await realpath(directory).catch(() => resolve(directory));
  const texts = await Promise.all([
    readBounded(base, MANIFEST, MAX_MANIFEST_BYTES, faults),
    readBounded(base, SUMS, MAX_SUMS_BYTES, faults),
  ]);
  const [manifestText, sums] = texts;
  if (manifestText === undefined || sums === undefined) return undefined;
  const manifest = manifestSchema.safeParse(jsonOf(manifestText));
  if (!manifest.success) {
    faults.add(`${directory}/${MANIFEST}: ${z.prettifyError(manifest.error)}`);
    return undefined;
  }
  const lines = sums.split('\n').slice(0, -1);
  const { merkleRoot: root, archive } = manifest.data;
  if (merkleRoot(lines) !== root) faults.add(`${directory}/${SUMS}: its Merkle root is not the one in ${MANIFEST}`);
  const files = new Map<string, ArchivedFile>();
  let read = 0;
  await inParallel(lines.entries(), async ([index, line]) => {
    const sum = readSum(line);
    if (sum === undefined || files.has(sum.path)) {
      faults.add(`${directory}/${SUMS}:${index + 1}: is not a line for a new file`);
      return;
    }
    const { path, sha256 } = sum;
    files.set(path, { path, sha256, bytes: 0 });
    const bytes = await sizeOf(base, path);
    if (bytes === undefined) faults.add(`${directory}/${path}: is missing, or not a file`);
    else if ((await hashOf(join(base, path))) !== sha256) faults.add(`${directory}/${path}: was changed`);
    else files.set(path, { path, sha256, bytes });
    read += 1;
    if (read % PROGRESS === 0) say(`${read.toLocaleString('en')} files verified`);
  });
  const bytes = [...files.values()].reduce((sum, file) => sum + file.bytes, 0);
  if (files.size !== manifest.data.files || bytes !== manifest.data.bytes) {
    faults.add(`${directory}: has ${files.size} files of ${bytes} bytes, not what ${MANIFEST} says`);
  }
  return { directory: base, root, archive, files };
}

/** The size of a file that is no link, and in no folder that is one; undefined: there is none. */
async function sizeOf(base: string, path: string): Promise<number | undefined> {
  const file = join(base, path);
  try {
    const found = await lstat(file);
    return found.isFile() && (await realpath(file)) === file ? found.size : undefined;
  } catch {
    return undefined;
  }
}

async function readBounded(base: string, name: string, maxBytes: number, faults: Faults): Promise<string | undefined> {
  const bytes = await sizeOf(base, name);
  if (bytes !== undefined && bytes <= maxBytes) return await readFile(join(base, name), 'utf8');
  faults.add(
    `${base}/${name}: ${bytes === undefined ? 'is missing, or not a file' : `is longer than ${maxBytes} bytes`}`,
  );
  return undefined;
}

/** @returns undefined for what is no JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
