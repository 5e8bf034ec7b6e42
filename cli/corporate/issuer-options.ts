import { z } from 'zod';
import { confirmedIssuer, type ConfirmedIssuer } from '../../src/accounts/confirmed-issuer.ts';
import { described } from '../../src/core/validation-messages.ts';
import { UsageError } from '../usage-error.ts';

/** The options of `npm run corporate` for who an account is to the public. */
export const issuerOptions = {
  'confirm-issuer': z.string().optional(),
  'issuer-logo': z.string().optional(),
  'issuer-domain': z.string().optional(),
  'issuer-publishes-did': z.boolean(),
  'withdraw-issuer': z.boolean(),
};

const FIELD_OPTIONS: Readonly<Record<string, string>> = {
  name: '--confirm-issuer',
  logoUrl: '--issuer-logo',
  domain: '--issuer-domain',
};

/**
 * Validates the options.
 * @returns whom to confirm, null to withdraw that, or undefined to change nothing.
 * @throws {UsageError} listing every issue.
 */
export function issuerOf(options: z.output<z.ZodObject<typeof issuerOptions>>): ConfirmedIssuer | null | undefined {
  const { 'confirm-issuer': name, 'issuer-logo': logoUrl, 'issuer-domain': domain } = options;
  const { 'issuer-publishes-did': publishesDid } = options;
  if (name === undefined) {
    if (logoUrl !== undefined || domain !== undefined || publishesDid) {
      throw new UsageError('--issuer-logo, --issuer-domain and --issuer-publishes-did need --confirm-issuer');
    }
    return options['withdraw-issuer'] ? null : undefined;
  }
  if (options['withdraw-issuer']) throw new UsageError('--confirm-issuer and --withdraw-issuer exclude each other');
  const parsed = confirmedIssuer.safeParse({ name, logoUrl, domain, publishesDid });
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.flatMap((issue) => [...described(issue, 'option')]);
  throw new UsageError(issues.map(({ path, message }) => `${FIELD_OPTIONS[path] ?? ''} ${message}`).join('\n'));
}
