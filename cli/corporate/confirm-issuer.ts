import type { ConfirmedIssuer } from '../../src/accounts/confirmed-issuer.ts';
import { inTransaction } from '../in-transaction.ts';
import { recordCommand } from '../record-command.ts';

/**
 * Confirms to the public who an account is, or withdraws that.
 * @param issuer null: withdraw it.
 * @throws when the account does not exist.
 */
export async function confirmIssuer(
  corporateId: string,
  issuer: ConfirmedIssuer | null,
  databaseUrl: string,
): Promise<void> {
  await inTransaction(databaseUrl, async (client) => {
    const { rows } = await client.query<{ id: string }>(
      `UPDATE corporate_accounts SET issuer_name = $2, issuer_logo_url = $3, issuer_domain = $4, issuer_publishes_did = $5,
         issuer_did_domains = CASE WHEN $5 AND NOT $4 = ANY(issuer_did_domains) THEN array_append(issuer_did_domains, $4)
           ELSE issuer_did_domains END,
         issuer_confirmed_at = CASE WHEN $2::text IS NULL THEN NULL ELSE now() END, updated_at = now()
       WHERE corporate_id = $1 RETURNING id`,
      [
        corporateId,
        issuer?.name ?? null,
        issuer?.logoUrl ?? null,
        issuer?.domain ?? null,
        issuer?.publishesDid ?? false,
      ],
    );
    const [account] = rows;
    if (account === undefined) throw new Error(`There is no account ${corporateId}`);
    const name = issuer === null ? 'withdraw-issuer' : 'confirm-issuer';
    await recordCommand(client, { name, corporateId, input: issuer ?? undefined, resourceIds: [account.id] });
  });
}
