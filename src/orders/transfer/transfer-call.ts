import { encodeFunctionData, type Hex } from 'viem';
import { standard1155 } from '../../../contracts/artifacts/Standard1155.ts';
import { standard721 } from '../../../contracts/artifacts/Standard721.ts';
import type { TokenTransfer } from '../../chains/token-transfer.ts';

/** Calldata of `safeTransferFrom`, which requires a receiving contract to accept the token. */
export function encodeTransfer({ ercStandard, from, to, tokenId, amount }: TokenTransfer): Hex {
  const functionName = 'safeTransferFrom';
  return ercStandard === '721'
    ? encodeFunctionData({ abi: standard721.abi, functionName, args: [from, to, BigInt(tokenId)] })
    : encodeFunctionData({
        abi: standard1155.abi,
        functionName,
        args: [from, to, BigInt(tokenId), BigInt(amount), '0x'],
      });
}
