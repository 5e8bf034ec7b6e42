import { encodeFunctionData, type Hex } from 'viem';
import { standard1155 } from '../../../contracts/artifacts/Standard1155.ts';
import { standard721 } from '../../../contracts/artifacts/Standard721.ts';
import type { Holding } from '../../chains/token-transfer.ts';

/** Calldata of `burn`, which all token contracts share. That of ERC-721 names no holder: the caller must be one. */
export function encodeBurn({ ercStandard, from, tokenId, amount }: Holding): Hex {
  const functionName = 'burn';
  return ercStandard === '721'
    ? encodeFunctionData({ ...standard721, functionName, args: [BigInt(tokenId)] })
    : encodeFunctionData({ ...standard1155, functionName, args: [from, BigInt(tokenId), BigInt(amount)] });
}
