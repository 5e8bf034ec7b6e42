import { z } from 'zod';
import { keyInput } from '../../src/keys/key-input.ts';
import { RECORD_ID } from '../../src/core/record-id.ts';
import { described } from '../../src/core/validation-messages.ts';
import { UsageError } from '../usage-error.ts';
import { createAccountKey, listAccountKeys, revokeAccountKey } from './account-keys.ts';

const list = z
  .string()
  .transform((text) => text.split(',').map((item) => item.trim()))
  .optional();

/** The options of `npm run corporate` for keys. */
export const keyOptions = {
  'create-key': z.string().optional(),
  'key-scopes': list,
  'key-kind': z.string().optional(),
  'key-addresses': list,
  'key-expires-at': z.string().optional(),
  'list-keys': z.boolean(),
  'revoke-key': z.string().regex(RECORD_ID, '--revoke-key must be the id of a key').optional(),
  'with-descendants': z.boolean(),
};

type KeyOptions = z.output<z.ZodObject<typeof keyOptions>>;

const FIELD_OPTIONS: Readonly<Record<string, string>> = {
  name: '--create-key',
  scopes: '--key-scopes',
  kind: '--key-kind',
  allowedAddresses: '--key-addresses',
  expiresAt: '--key-expires-at',
};

/** Validates the options. @throws {UsageError} listing every issue. */
export function keyRequestOf(options: KeyOptions) {
  const name = options['create-key'];
  const {
    'key-scopes': scopes,
    'key-kind': kind,
    'key-addresses': allowedAddresses,
    'key-expires-at': expiresAt,
  } = options;
  const limits = { scopes, kind, allowedAddresses, expiresAt };
  if (name === undefined && Object.values(limits).some((value) => value !== undefined)) {
    throw new UsageError('--key-scopes, --key-kind, --key-addresses and --key-expires-at need --create-key');
  }
  if (options['with-descendants'] && options['revoke-key'] === undefined) {
    throw new UsageError('--with-descendants needs --revoke-key');
  }
  const parsed = name === undefined ? undefined : keyInput.safeParse({ name, ...limits });
  if (parsed?.success === false) {
    const issues = parsed.error.issues.flatMap((issue) => [...described(issue, 'option')]);
    throw new UsageError(
      issues.map(({ path, message }) => `${FIELD_OPTIONS[path.split('.')[0] ?? '']} ${message}`).join('\n'),
    );
  }
  const expiry = parsed?.data.expiresAt;
  if (expiry !== undefined && expiry <= new Date()) throw new UsageError('--key-expires-at must be in the future');
  const { 'list-keys': isList, 'revoke-key': revoked, 'with-descendants': withDescendants } = options;
  return { created: parsed?.data, isList, revoked, withDescendants };
}

/** Revokes, creates and lists keys of an account, in this order, as the options say. @returns the fields to print. */
export async function manageKeys(
  corporateId: string,
  { created, isList, revoked, withDescendants }: ReturnType<typeof keyRequestOf>,
  databaseUrl: string,
) {
  if (revoked !== undefined) await revokeAccountKey(corporateId, revoked, withDescendants, databaseUrl);
  const key = created && (await createAccountKey(corporateId, created, databaseUrl));
  return {
    ...(revoked === undefined ? {} : { revokedKey: revoked }),
    ...(key === undefined ? {} : { key }),
    ...(isList ? { keys: await listAccountKeys(corporateId, databaseUrl) } : {}),
  };
}
