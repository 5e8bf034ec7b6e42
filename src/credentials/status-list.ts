import { CREDENTIALS_V2 } from './contexts.ts';
import { didUnder, issuingDomain, type Issuer } from './issuer-did.ts';

/** The bits of a list: the fewest that Bitstring Status List allows, so that a reader tells one of many. */
export const LIST_BITS = 131_072;

/** A list of an issuer under one of its DIDs: verifiers require that a credential and its list have the same. */
export interface StatusList {
  readonly issuerId: string;
  /** From 0. */
  readonly number: number;
  /** Of the DID; null for the one under this service. */
  readonly domain: string | null;
}

function listUrl(origin: string, { issuerId, number, domain }: StatusList): string {
  return `${origin}/credentials/status/${issuerId}/${number}${domain === null ? '' : `@${domain}`}`;
}

/**
 * The entry of a credential for its bit (https://www.w3.org/TR/vc-bitstring-status-list/).
 * @param statusNumber The certificate's number in the lists of its issuer, from 0.
 */
export function statusEntry(origin: string, issuer: Issuer, statusNumber: number) {
  const statusListIndex = String(statusNumber % LIST_BITS);
  const number = Math.floor(statusNumber / LIST_BITS);
  const url = listUrl(origin, { issuerId: issuer.id, number, domain: issuingDomain(issuer) });
  return {
    id: `${url}#${statusListIndex}`,
    type: 'BitstringStatusListEntry',
    statusPurpose: 'revocation',
    statusListIndex,
    statusListCredential: url,
  };
}

/** The credential with one list of an issuer, unsigned. @param ended The indexes of the bits that are set. */
export async function statusListCredential(origin: string, list: StatusList, ended: readonly number[]) {
  const id = listUrl(origin, list);
  return {
    '@context': [CREDENTIALS_V2],
    id,
    type: ['VerifiableCredential', 'BitstringStatusListCredential'],
    issuer: didUnder(origin, list.issuerId, list.domain),
    credentialSubject: {
      id: `${id}#list`,
      type: 'BitstringStatusList',
      statusPurpose: 'revocation',
      encodedList: await encodedList(ended),
    },
  };
}

/** A bitstring, compressed by gzip, in multibase base64url. The first bit is the highest of the first byte. */
async function encodedList(ended: readonly number[]): Promise<string> {
  const bits = new Uint8Array(LIST_BITS / 8);
  for (const index of ended) bits[index >> 3] = (bits[index >> 3] ?? 0) | (0x80 >> (index & 7));
  // oxlint-disable-next-line eslint/no-restricted-globals -- nothing of it is simulated
  const compressed = new Blob([bits]).stream().pipeThrough(new CompressionStream('gzip'));
  const bytes = new Uint8Array(await new Response(compressed).arrayBuffer());
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  return `u${base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`;
}
