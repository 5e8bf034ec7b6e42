import { readFileSync, renameSync, writeFileSync } from 'node:fs';

/** Writes a file that only its owner may read (mode 0600), as a whole: no one ever reads half of it, and a crash leaves the old one. */
export function writePrivateFile(path: string, content: string): void {
  const unfinished = `${path}.${process.pid}.unfinished`;
  writeFileSync(unfinished, content, { mode: 0o600 });
  renameSync(unfinished, path);
}

/** The file's content, or undefined when there is none. */
export function readFileIfAny(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
