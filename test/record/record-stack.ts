import { readFileSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { recordLog, recordSecret } from './run-record.ts';
import { secretsInSettings } from './secrets-in-settings.ts';

const storedSecrets = z.array(
  z.object({ name: z.string(), versions: z.array(z.object({ secretString: z.string() })) }),
);

/** Records the secrets in a Worker's settings. */
export function recordSettings(settings: Readonly<Record<string, string>>): void {
  for (const { what, secret } of secretsInSettings(settings)) recordSecret(what, secret);
}

/** What the files in a stack's data directory say, by name. */
const READERS: Readonly<Record<string, (text: string) => void>> = {
  'identity.json': (text) => {
    for (const [name, secret] of Object.entries(JSON.parse(text) as Record<string, string>)) recordSecret(name, secret);
  },
  'secrets.json': (text) => {
    for (const { versions } of storedSecrets.parse(JSON.parse(text))) {
      for (const { secretString } of versions) {
        const { privateKey } = JSON.parse(secretString) as { privateKey?: string };
        recordSecret('the key of a wallet', privateKey ?? secretString);
      }
    }
  },
  'settings.env': (text) =>
    recordSettings(
      Object.fromEntries(Array.from(text.matchAll(/^(\w+)='(.*)'$/gm), ([, name = '', value = '']) => [name, value])),
    ),
};

/** Records the secrets and the logs in the data directory of a stack that has stopped, and deletes it. */
export async function removeStackDirectory(directory: string): Promise<void> {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  for (const file of files) {
    const read = READERS[basename(file)];
    if (read !== undefined) read(readFileSync(join(directory, file), 'utf8'));
    if (file.endsWith('.log'))
      recordLog(`${basename(directory)}/${file}`, withoutRequestLines(readFileSync(join(directory, file), 'utf8')));
  }
  await rm(directory, { recursive: true, force: true });
}

/**
 * `wrangler dev` prints the path of each request, as its caller has sent it. The lines stay, so that their numbers do.
 */
function withoutRequestLines(log: string): string {
  return log.replaceAll(/^\[wrangler:info\] [A-Z]+ \/.*$/gm, '');
}
