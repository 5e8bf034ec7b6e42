import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { readFileIfExists, writePrivateFile } from '../cli/local-stack/private-file.ts';

const credentialsSchema = z.object({
  apiKey: z.string(),
  adminSecret: z.string(),
  encryptionKeys: z.string(),
  credentialSecret: z.string(),
  databasePassword: z.string(),
  awsAccessKeyId: z.string(),
  awsSecretAccessKey: z.string(),
});
/** The keys and passwords of one local stack. */
export type StackCredentials = z.output<typeof credentialsSchema>;

const random = () => randomBytes(24).toString('base64url');

/** Reads a stack's credentials from a file. At its first start they are generated and stored. */
export function loadCredentials(file: string): StackCredentials {
  const stored = readFileIfExists(file);
  if (stored !== undefined) return credentialsSchema.parse(JSON.parse(stored));
  const credentials: StackCredentials = {
    apiKey: random(),
    adminSecret: random(),
    databasePassword: random(),
    awsAccessKeyId: `AKLOCAL${randomBytes(6).toString('hex').toUpperCase()}`,
    awsSecretAccessKey: random(),
    encryptionKeys: `local.${randomBytes(32).toString('base64')}`,
    credentialSecret: random(),
  };
  writePrivateFile(file, JSON.stringify(credentials, null, 2));
  return credentials;
}
