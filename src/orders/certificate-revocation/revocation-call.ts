import { encodeFunctionData } from 'viem';
import type { Hex } from 'viem';
import { certificate1155 } from '../../../contracts/artifacts/Certificate1155.ts';
import { certificate721 } from '../../../contracts/artifacts/Certificate721.ts';
import type { Holding } from '../../chains/token-transfer.ts';

/** Calldata of the certificate contracts' `revoke`. */
export function encodeCertificateRevocation({ ercStandard, from, tokenId, amount }: Holding): Hex {
  const functionName = 'revoke';
  return ercStandard === '721'
    ? encodeFunctionData({ ...certificate721, functionName, args: [from, BigInt(tokenId)] })
    : encodeFunctionData({ ...certificate1155, functionName, args: [from, BigInt(tokenId), BigInt(amount)] });
}
