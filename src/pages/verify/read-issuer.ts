import { decodeAddress, word } from './abi.ts';
import type { ChainReader } from './chain-reader.ts';
import type { Certificate } from '../shared/visitors/settings.ts';

const ISSUER_OF = 'a4e2ee11';

/**
 * The wallet that issued a certificate, as its contract says. The contract's owner of today may be another one.
 * @returns it in lower case; undefined if the contract names none.
 * @throws {CannotTell} when the chain's nodes do not answer.
 */
export async function readIssuer(
  reader: ChainReader,
  { contractAddress, tokenId }: Certificate,
): Promise<string | undefined> {
  const wallet = decodeAddress((await reader.view(contractAddress, ISSUER_OF + word(tokenId))) ?? '');
  return wallet === undefined || /^0x0*$/.test(wallet) ? undefined : wallet;
}
