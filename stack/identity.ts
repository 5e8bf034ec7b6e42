import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { readFileIfAny, writePrivateFile } from './private-file.ts';

const identitySchema = z.object({
  apiKey: z.string(),
  adminSecret: z.string(),
  databasePassword: z.string(),
  awsAccessKeyId: z.string(),
  awsSecretAccessKey: z.string(),
});
/** The keys and passwords of one local stack. */
export type StackIdentity = z.output<typeof identitySchema>;

const random = () => randomBytes(24).toString('base64url');

/** Reads the stack's keys from the file, and makes them, at random, at its first start. They stay the same from then on. */
export function stackIdentity(file: string): StackIdentity {
  const stored = readFileIfAny(file);
  if (stored !== undefined) return identitySchema.parse(JSON.parse(stored));
  const identity: StackIdentity = {
    apiKey: random(),
    adminSecret: random(),
    databasePassword: random(),
    awsAccessKeyId: `AKLOCAL${randomBytes(6).toString('hex').toUpperCase()}`,
    awsSecretAccessKey: random(),
  };
  writePrivateFile(file, JSON.stringify(identity, null, 2));
  return identity;
}
