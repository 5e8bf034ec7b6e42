import { base58 } from '@scure/base';
import { loadContext } from './contexts.ts';
import type { IssuerKey } from './issuer-keys.ts';
import { methodOf } from './issuer-did.ts';

/** A document of JSON-LD. */
type LinkedData = { readonly '@context': readonly unknown[] } & object;

/** A Data Integrity proof (https://www.w3.org/TR/vc-data-integrity/). */
interface Proof {
  readonly type: 'DataIntegrityProof';
  readonly cryptosuite: 'eddsa-rdfc-2022';
  readonly verificationMethod: string;
  readonly proofPurpose: 'assertionMethod';
  readonly proofValue: string;
}

/**
 * Signs a credential with the cryptosuite `eddsa-rdfc-2022` (https://www.w3.org/TR/vc-di-eddsa/), which Open Badges 3.0
 * requires. The same credential and key give the same bytes: the proof has no time.
 * @param did Of the issuer, whose DID document has the key.
 */
export async function signCredential<Credential extends LinkedData>(
  credential: Credential,
  did: string,
  key: IssuerKey,
): Promise<Credential & { readonly proof: Proof }> {
  const options = {
    type: 'DataIntegrityProof',
    cryptosuite: 'eddsa-rdfc-2022',
    verificationMethod: methodOf(did, key),
    proofPurpose: 'assertionMethod',
  } as const;
  const hashes = await Promise.all(
    [{ '@context': credential['@context'], ...options }, credential].map(async (document) => {
      const bytes = new TextEncoder().encode(await canonical(document));
      return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
    }),
  );
  const signature = await key.sign(Uint8Array.from(hashes.flatMap((hash) => [...hash])));
  return { ...credential, proof: { ...options, proofValue: `z${base58.encode(signature)}` } };
}

/** The canonical N-Quads of a document (RDFC-1.0). @throws if a term of it is defined by none of its contexts. */
async function canonical(document: object): Promise<string> {
  // Evaluated when it is needed: every Worker starts without it.
  const { default: jsonld } = await import('jsonld');
  return await jsonld.canonize(document, {
    algorithm: 'RDFC-1.0',
    format: 'application/n-quads',
    safe: true,
    base: null,
    rdfDirection: 'i18n-datatype',
    documentLoader: loadContext,
  });
}
