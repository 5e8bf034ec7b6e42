import { encodeFunctionData, zeroAddress, type Address, type Hex, type Log } from 'viem';
import { certificate1155 } from '../../../contracts/artifacts/Certificate1155.ts';
import { certificate721 } from '../../../contracts/artifacts/Certificate721.ts';
import { standard1155 } from '../../../contracts/artifacts/Standard1155.ts';
import { standard721 } from '../../../contracts/artifacts/Standard721.ts';
import { hasTransferLog } from '../../chains/token-transfer.ts';
import type { LowerCaseAddress } from '../../core/lower-case.ts';

/** The fields of an order that define its mint. */
export interface MintRequest {
  readonly contractAddress: LowerCaseAddress;
  readonly ercStandard: '721' | '1155';
  readonly receiverAddress: Address;
  /** Decimal. */
  readonly tokenId: string;
  readonly amount: number;
  /** Both are set for a certificate, otherwise null. */
  readonly tokenUri: string | null;
  readonly metadataHash: Hex | null;
}

/** Calldata of the contract's mint function. */
export function encodeMint(mint: MintRequest): Hex {
  const { receiverAddress, tokenUri, metadataHash } = mint;
  const tokenId = BigInt(mint.tokenId);
  const amount = BigInt(mint.amount);
  const functionName = 'mint';
  if (tokenUri !== null && metadataHash !== null) {
    return mint.ercStandard === '721'
      ? encodeFunctionData({
          ...certificate721,
          functionName,
          args: [receiverAddress, tokenId, tokenUri, metadataHash],
        })
      : encodeFunctionData({
          ...certificate1155,
          functionName,
          args: [receiverAddress, tokenId, amount, tokenUri, metadataHash],
        });
  }
  return mint.ercStandard === '721'
    ? encodeFunctionData({ ...standard721, functionName, args: [receiverAddress, tokenId] })
    : encodeFunctionData({ ...standard1155, functionName, args: [receiverAddress, tokenId, amount] });
}

/**
 * The id of the token that this contract minted to the receiver according to the logs.
 * @returns decimal; undefined if there is no such log.
 */
export function mintedToken(mint: MintRequest, logs: readonly Log[]): string | undefined {
  return hasTransferLog({ ...mint, from: zeroAddress, to: mint.receiverAddress }, logs) ? mint.tokenId : undefined;
}
