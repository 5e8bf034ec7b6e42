import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { merkleRoot } from './merkle-root.ts';

/** A file of an archive. */
export interface ArchivedFile {
  /** From the folder, with `/`. */
  readonly path: string;
  /** Of its bytes, in hex. */
  readonly sha256: string;
  readonly bytes: number;
}

/** The names of the files that describe the others. */
export const SUMS = 'SHA256SUMS';
export const MANIFEST = 'manifest.json';

/** A line of SHA256SUMS, whose path leads nowhere but down. */
const LINE = /^([0-9a-f]{64}) {2}((?:(?!\.{1,2}\/)[\w.@-]{1,200}\/){0,8}(?!\.{1,2}$)[\w.@-]{1,200})$/;

/** The hash and the path in a line of SHA256SUMS; undefined: it is none of an archive. */
export function readSum(line: string): { readonly sha256: string; readonly path: string } | undefined {
  const [, sha256, path] = LINE.exec(line) ?? [];
  return sha256 === undefined || path === undefined ? undefined : { sha256, path };
}

const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/**
 * A folder that is written file by file. A file appears as a whole or not at all, and one that is there already is not
 * written again, so that an interrupted run goes on where it stopped.
 */
export class ArchiveFolder {
  readonly #directory: string;
  readonly #files: ArchivedFile[] = [];
  /** The hashes of the files that the last finished run described. */
  readonly #before: ReadonlyMap<string, string>;

  private constructor(directory: string, before: ReadonlyMap<string, string>) {
    this.#directory = directory;
    this.#before = before;
  }

  static async open(directory: string): Promise<ArchiveFolder> {
    const sums = (await readFile(join(directory, SUMS), 'utf8').catch(ifMissing)) ?? '';
    const manifest = (await readFile(join(directory, MANIFEST), 'utf8').catch(ifMissing)) ?? '';
    // Others write SHA256SUMS too, and what they list is not ours to remove.
    const lines = sums.split('\n').slice(0, -1);
    const isOurs = manifest.includes(`"merkleRoot": "${merkleRoot(lines)}"`);
    const before = isOurs ? lines.flatMap((line) => readSum(line) ?? []) : [];
    return new ArchiveFolder(directory, new Map(before.map(({ path, sha256: hash }) => [path, hash])));
  }

  get files(): number {
    return this.#files.length;
  }

  /** Adds a file with these contents. */
  async write(path: string, contents: string): Promise<void> {
    const bytes = Buffer.from(contents);
    const file = join(this.#directory, path);
    const before = await readFile(file).catch(ifMissing);
    if (before === undefined || !before.equals(bytes)) await this.#replace(file, [bytes]);
    this.#files.push({ path, sha256: sha256(bytes), bytes: bytes.length });
  }

  /**
   * Adds a file that never changes. It is read only if the folder has none of its size, or one with another hash than
   * the last run described.
   * @param bytes Its size.
   * @throws when `read` throws, or its size is another one.
   */
  async copy(path: string, bytes: number, read: () => Promise<AsyncIterable<Uint8Array>>): Promise<void> {
    const file = join(this.#directory, path);
    const isThere = async () => (await stat(file).catch(ifMissing))?.size === bytes;
    if (!(await isThere())) {
      await this.#replace(file, await read());
      if (!(await isThere())) throw new Error(`${path} does not have ${bytes} bytes`);
    }
    let hash = await hashOf(file);
    if (hash !== (this.#before.get(path) ?? hash)) {
      await this.#replace(file, await read());
      hash = await hashOf(file);
    }
    this.#files.push({ path, sha256: hash, bytes });
  }

  /** Adds a file of which there is more than memory holds. */
  async stream(path: string, contents: AsyncIterable<Uint8Array>): Promise<void> {
    const file = join(this.#directory, path);
    await this.#replace(file, contents);
    this.#files.push({ path, sha256: await hashOf(file), bytes: (await stat(file)).size });
  }

  /**
   * Removes the files of the last run that were not added, and describes those that were: `SHA256SUMS`, as `sha256sum
   * -c` reads it, and `manifest.json`, with the root of the Merkle tree (RFC 6962) whose leaves are the lines of
   * SHA256SUMS.
   * @returns the root, in hex.
   */
  async seal(about: object): Promise<string> {
    const files = this.#files.toSorted((one, other) => (one.path < other.path ? -1 : 1));
    const lines = files.map(({ path, sha256: hash }) => `${hash}  ${path}`);
    const root = merkleRoot(lines);
    const paths = new Set(files.map(({ path }) => path));
    for (const path of this.#before.keys())
      if (!paths.has(path)) await rm(join(this.#directory, path), { force: true });
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    const manifest = { ...about, files: files.length, bytes, merkleRoot: root };
    await this.#replace(join(this.#directory, SUMS), [Buffer.from(lines.map((line) => `${line}\n`).join(''))]);
    await this.#replace(join(this.#directory, MANIFEST), [Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)]);
    return root;
  }

  async #replace(file: string, contents: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<void> {
    await mkdir(dirname(file), { recursive: true });
    const part = `${file}.${randomUUID()}.part`;
    try {
      const handle = await open(part, 'wx');
      try {
        for await (const chunk of contents) await handle.write(chunk);
      } finally {
        await handle.close();
      }
      await rename(part, file);
    } catch (error) {
      await rm(part, { force: true });
      throw error;
    }
  }
}

/** The SHA-256 of a file, in hex. */
export async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), async (chunks: AsyncIterable<Uint8Array>) => {
    for await (const chunk of chunks) hash.update(chunk);
  });
  return hash.digest('hex');
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
