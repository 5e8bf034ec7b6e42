import { decodeAddress, word } from './abi.ts';
import type { ChainReader } from './chain-reader.ts';
import type { Certificate } from '../shared/visitors/settings.ts';

/** The wallet that issued a certificate. */
export interface Issuer {
  /** In lower case. */
  readonly wallet: string;
  /** `contract`: its `issuerOf` says so. `transaction`: it sent the transaction that minted the certificate first. */
  readonly source: 'contract' | 'transaction';
  /** The transaction that says so. */
  readonly transactionHash?: string;
}

const ISSUER_OF = 'a4e2ee11';
/** CertificateRecorded(uint256 indexed tokenId, bytes32 indexed metadataHash) */
const RECORDED = 'f68efe86f2e0999dd67cf17da083cd86cc09526f5a935174bf669a1223d1fd00';
/** Transfer(address indexed from, address indexed to, uint256 indexed tokenId) */
const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/**
 * Who issued a certificate: the wallet that the contract names, or else the sender of the transaction that minted it.
 * The contract's owner of today may be another one.
 * @returns undefined if the chain does not tell.
 * @throws {CannotTell} when its nodes do not answer, such as those that search only recent blocks for events.
 */
export async function readIssuer(
  reader: ChainReader,
  { contractAddress, tokenId }: Certificate,
): Promise<Issuer | undefined> {
  const id = word(tokenId);
  const named = decodeAddress((await reader.view(contractAddress, ISSUER_OF + id)) ?? '');
  if (named !== undefined && !/^0x0*$/.test(named)) return { wallet: named, source: 'contract' };
  const transactionHash =
    (await reader.firstEvent(contractAddress, [RECORDED, id])) ??
    (await reader.firstEvent(contractAddress, [TRANSFER, word('0'), null, id]));
  if (transactionHash === undefined) return undefined;
  const wallet = await reader.senderOf(transactionHash);
  return wallet === undefined ? undefined : { wallet, source: 'transaction', transactionHash };
}
