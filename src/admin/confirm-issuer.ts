import { z } from 'zod';
import { confirmedIssuer } from '../accounts/confirmed-issuer.ts';
import { notFound } from '../core/domain-error.ts';
import { instantField } from '../core/fields.ts';
import { corporateIdReply } from '../core/reply-fields.ts';
import type { Services } from '../services.ts';
import { storeIssuer, type StoredIssuer } from './confirm-issuer.store.ts';

/** Who an account is to the public; an unknown field is an issue. */
export const issuerInput = confirmedIssuer.strict().meta({ id: 'ConfirmIssuer' });

export const confirmedIssuerReply = z
  .object({
    name: z.string().meta({ description: 'Public name', example: 'Example Watches' }),
    logoUrl: z.string().meta({ description: 'URL of its logo, https', example: 'https://watches.example/logo.svg' }),
    domain: z.string().meta({
      description: 'Its domain, whose /.well-known/nft-issuer.json must name the wallet',
      example: 'watches.example',
    }),
    confirmedAt: instantField.meta({ description: 'When the operator confirmed it, UTC' }),
    publishesDid: z.boolean().meta({
      description:
        'Whether its credentials name the domain as their issuer, whose /.well-known/did.json has their keys',
      example: false,
    }),
  })
  .meta({ id: 'ConfirmedIssuer' });

export const accountIssuerSchema = z
  .object({
    corporateId: corporateIdReply,
    issuer: confirmedIssuerReply.nullable().meta({ description: 'null: not confirmed' }),
  })
  .meta({ id: 'AccountIssuer' });

type AccountIssuer = z.output<typeof accountIssuerSchema>;

/**
 * Confirms to the public who an account is, in place of what was confirmed before. Replies of the certificate check
 * show it within a minute.
 * @param issuer null: withdraws it.
 * @throws {DomainError} `not-found`.
 */
export async function confirmIssuer(
  { db, clock }: Services,
  corporateId: string,
  issuer: z.output<typeof issuerInput> | null,
): Promise<AccountIssuer> {
  const stored = await storeIssuer(db, corporateId, issuer, new Date(clock.now()));
  if (stored === undefined) throw notFound('Account');
  return { corporateId, issuer: issuerReply(stored) };
}

/** What was confirmed of an account; null: nothing. */
export function issuerReply(stored: StoredIssuer): AccountIssuer['issuer'] {
  const { issuerName: name, issuerLogoUrl: logoUrl, issuerDomain: domain, issuerConfirmedAt: confirmedAt } = stored;
  const { issuerPublishesDid: publishesDid } = stored;
  if (name === null || logoUrl === null || domain === null || confirmedAt === null) return null;
  return { name, logoUrl, domain, confirmedAt: confirmedAt.toISOString(), publishesDid };
}
