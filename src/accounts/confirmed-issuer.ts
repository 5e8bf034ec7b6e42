import { z } from 'zod';
import { MAX_URL_BYTES, urlIssue } from '../core/url-issue.ts';

/** Labels of a host name, at least two, of which the last is no number: an address is no domain. */
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/;

/**
 * Who an account is, as the operator confirms it to the public. Characters that cannot be seen are refused, since a
 * name with one would look like another issuer's.
 */
export const confirmedIssuer = z.object({
  name: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(100, 'must be at most 100 characters')
    .refine((name) => !/[\p{C}\p{Zl}\p{Zp}]/u.test(name), 'must not contain control or invisible characters')
    .meta({ description: 'Public name', example: 'Example Watches' }),
  logoUrl: z
    .string()
    .refine((url) => url.startsWith('https://'), { error: 'must begin with https://', abort: true })
    .refine((url) => urlIssue(url, 'page') === undefined, 'must be a valid URL without credentials')
    .meta({
      description: 'URL of its logo, https',
      format: 'iri',
      maxLength: MAX_URL_BYTES,
      example: 'https://watches.example/logo.svg',
    }),
  domain: z
    .string()
    .max(253, 'must be at most 253 characters')
    .regex(DOMAIN, 'must be a domain in lower case, in its ASCII form')
    .meta({ description: 'Its domain, in lower case', example: 'watches.example' }),
  publishesDid: z.boolean().optional().meta({
    description:
      'Whether /.well-known/did.json of the domain has the keys of its credentials, which then name the domain as their issuer. Default: false',
    example: false,
  }),
});

export type ConfirmedIssuer = z.output<typeof confirmedIssuer>;
