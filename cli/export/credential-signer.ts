import { drizzle } from 'drizzle-orm/node-postgres';
import type { Client } from 'pg';
import type { CredentialSigner } from './archived-credentials.ts';
import { findIssuerLists } from '../../src/credentials/certificates.store.ts';
import { serviceDocument } from '../../src/credentials/issuer-did.ts';
import { readCredential, readIssuerDocument, readStatusList } from '../../src/credentials/read-credentials.ts';
import { LIST_BITS } from '../../src/credentials/status-list.ts';
import type { SystemDb } from '../../src/platform/database/client.ts';
import { credentialSecretsSetting } from '../../src/platform/env.ts';
import { UsageError } from '../usage-error.ts';

/**
 * What signs the credentials of an archive as the service does.
 * @param settings Those of the service.
 * @returns how to sign what a connection reads; or why nothing can be signed.
 * @throws {UsageError} when one of them is malformed.
 */
export function credentialSigner(
  settings: Readonly<Record<string, string | undefined>>,
): string | ((client: Client) => CredentialSigner) {
  const { CREDENTIAL_SECRETS: secrets = '', METADATA_BASE_URI: base = '' } = settings;
  if (secrets === '') return 'CREDENTIAL_SECRETS is not set';
  const parsed = credentialSecretsSetting.safeParse(secrets);
  if (!parsed.success) throw new UsageError('CREDENTIAL_SECRETS is malformed');
  if (base === '') return 'METADATA_BASE_URI, which they name, is not set';
  if (!URL.canParse(base)) throw new UsageError('METADATA_BASE_URI is malformed');
  const { origin } = new URL(base);
  return (client) => {
    const services = { db: systemDbOf(client), settings: { CREDENTIAL_SECRETS: parsed.data } };
    return {
      credential: (certificate) => readCredential(services, origin, certificate),
      async statusLists(issuerId) {
        const { highest, domains } = (await findIssuerLists(services.db, issuerId)) ?? { highest: null, domains: [] };
        const lists = [];
        for (let number = 0; number * LIST_BITS <= (highest ?? -1); number += 1) {
          for (const domain of [null, ...domains]) {
            lists.push(await readStatusList(services, origin, { issuerId, number, domain }));
          }
        }
        return lists;
      },
      issuerKeys: (issuerId) => readIssuerDocument(services, origin, issuerId),
      service: () => serviceDocument(origin),
    };
  };
}

/** The database of the service's own reads, over a connection, and so within its transaction. */
function systemDbOf(client: Client): SystemDb {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all but `batch` is the same, and reads need none
  return { scope: 'system', sql: drizzle(client) as unknown as SystemDb['sql'] };
}
