import { decodeAddress, decodeString, word } from './abi.ts';
import { readChain } from './chain-reader.ts';
import type { Certificate, Chain } from '../shared/visitors/settings.ts';

/** What else the chain says about a certificate. It does not decide the check; what could not be read is undefined. */
export interface TokenFacts {
  /** The contract's name. */
  readonly collection: string | undefined;
  /** Of an ERC-721 certificate. */
  readonly holder: string | undefined;
  /** Of an ERC-1155 certificate: how many units exist, decimal. */
  readonly units: string | undefined;
}

const NAME = '06fdde03';
const OWNER_OF = '6352211e';
const TOTAL_SUPPLY = 'bd85b039';

export async function readTokenFacts(chain: Chain, { contractAddress, tokenId }: Certificate): Promise<TokenFacts> {
  const reader = readChain(chain);
  const read = async <Value>(data: string, decode: (answer: string) => Value): Promise<Value | undefined> => {
    try {
      const answer = await reader.view(contractAddress, data);
      return answer === undefined ? undefined : decode(answer);
    } catch {
      return undefined;
    }
  };
  const id = word(tokenId);
  const [collection, holder, units] = await Promise.all([
    read(NAME, decodeString),
    read(OWNER_OF + id, decodeAddress),
    read(TOTAL_SUPPLY + id, (answer) => (/^[0-9a-f]{64}$/.test(answer) ? BigInt(`0x${answer}`).toString() : undefined)),
  ]);
  return { collection, holder, units };
}
