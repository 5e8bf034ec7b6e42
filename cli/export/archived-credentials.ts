import type { Client } from 'pg';
import type { LowerCaseAddress } from '../../src/core/lower-case.ts';
import { inTransaction } from '../in-transaction.ts';
import type { ArchiveFolder } from './archive-folder.ts';
import { inParallel } from './in-parallel.ts';
import { pagesOf } from './pages-of.ts';

interface Certificate {
  readonly contractAddress: LowerCaseAddress;
  readonly tokenId: string;
}

/** Makes the signed documents of an archive, as the service serves them. */
export interface CredentialSigner {
  credential(certificate: Certificate): Promise<object>;
  /** Which credentials of an issuer are revoked: all of its status lists. */
  statusLists(issuerId: string): Promise<readonly { readonly id: string }[]>;
  /** The DID document of an issuer. */
  issuerKeys(issuerId: string): Promise<object>;
  /** The DID document of the service. */
  service(): object;
}

/** Credentials after which to say how far it is. */
const PROGRESS = 1_000;

/** The certificates of an account that have credentials: those with a confirmed order that says URI and hash. */
const CERTIFICATES = `
  SELECT o.contract_address, o.token_id, min(o.completed_at) AS issued_at
  FROM orders o JOIN contracts c ON c.id = o.contract_id AND c.contract_type = 'certificate'
  WHERE o.corporate_account_id = $1 AND o.resource = 'minting-orders' AND o.status = 'CONFIRMED'
    AND o.details->>'tokenUri' IS NOT NULL AND o.details->>'metadataHash' IS NOT NULL
    AND o.completed_at IS NOT NULL
  GROUP BY o.contract_address, o.token_id`;

/**
 * Gives all certificates of an account that have no place in its status lists yet one, oldest first, as the first read
 * of a credential does.
 */
export async function takeStatusNumbers(databaseUrl: string, accountId: string): Promise<void> {
  await inTransaction(databaseUrl, async (client) => {
    await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('credential-status ' || $1::text, 0))`, [
      accountId,
    ]);
    await client.query(
      `INSERT INTO credential_statuses (contract_address, token_id, corporate_account_id, number)
       SELECT contract_address, token_id, $1, row_number() OVER (ORDER BY issued_at, contract_address, token_id) - 1
         + (SELECT coalesce(max(number) + 1, 0) FROM credential_statuses WHERE corporate_account_id = $1)
       FROM (${CERTIFICATES}) c
       WHERE NOT EXISTS (SELECT FROM credential_statuses s WHERE s.contract_address = c.contract_address AND s.token_id = c.token_id)`,
      [accountId],
    );
  });
}

/**
 * Writes the credentials of an account's certificates, what says whether they stand, and the keys that signed them,
 * each under its own path.
 * @param client In a transaction that reads, begun after {@link takeStatusNumbers}.
 */
export async function writeCredentials(
  folder: ArchiveFolder,
  client: Client,
  account: { readonly id: string; readonly issuerId: string },
  signer: CredentialSigner,
  say: (line: string) => void,
): Promise<void> {
  const certificates = `
    SELECT c.contract_address AS "contractAddress", c.token_id AS "tokenId" FROM (${CERTIFICATES}) c
    JOIN credential_statuses s ON s.contract_address = c.contract_address AND s.token_id = c.token_id
    ORDER BY 1, 2`;
  let written = 0;
  for await (const page of pagesOf<Certificate>(client, certificates, [account.id])) {
    const signed: [Certificate, object][] = [];
    // One after the other: a connection has one query at a time.
    for (const certificate of page) signed.push([certificate, await signer.credential(certificate)]);
    await inParallel(signed, async ([{ contractAddress, tokenId }, credential]) => {
      await folder.write(`certificates/${contractAddress}/${tokenId}/credential`, JSON.stringify(credential));
    });
    written += page.length;
    if (written % PROGRESS === 0) say(`${written.toLocaleString('en')} credentials`);
  }
  const { issuerId } = account;
  for (const list of await signer.statusLists(issuerId)) {
    await folder.write(new URL(list.id).pathname.slice(1), JSON.stringify(list));
  }
  await folder.write(`issuers/${issuerId}/did.json`, JSON.stringify(await signer.issuerKeys(issuerId)));
  await folder.write('.well-known/did.json', JSON.stringify(signer.service()));
  say(`${written.toLocaleString('en')} credentials in all`);
}
