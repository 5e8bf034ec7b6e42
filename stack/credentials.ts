import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { readFileIfExists, writePrivateFile } from './private-file.ts';

const credentialsSchema = z.object({
  apiKey: z.string(),
  adminSecret: z.string(),
  /** Absent in files of an earlier version. */
  encryptionKeys: z.string().optional(),
  databasePassword: z.string(),
  awsAccessKeyId: z.string(),
  awsSecretAccessKey: z.string(),
});
/** The keys and passwords of one local stack. */
export type StackCredentials = z.output<typeof credentialsSchema> & { readonly encryptionKeys: string };

const random = () => randomBytes(24).toString('base64url');
const newEncryptionKeys = () => `local.${randomBytes(32).toString('base64')}`;

/** Reads a stack's credentials from a file. At its first start they are generated and stored. */
export function loadCredentials(file: string): StackCredentials {
  const stored = readFileIfExists(file);
  const known = stored === undefined ? undefined : credentialsSchema.parse(JSON.parse(stored));
  const { encryptionKeys } = known ?? {};
  if (known !== undefined && encryptionKeys !== undefined) return { ...known, encryptionKeys };
  const credentials: StackCredentials = {
    apiKey: random(),
    adminSecret: random(),
    databasePassword: random(),
    awsAccessKeyId: `AKLOCAL${randomBytes(6).toString('hex').toUpperCase()}`,
    awsSecretAccessKey: random(),
    ...known,
    encryptionKeys: newEncryptionKeys(),
  };
  writePrivateFile(file, JSON.stringify(credentials, null, 2));
  return credentials;
}
