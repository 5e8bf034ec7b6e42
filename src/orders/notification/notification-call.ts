import { encodeFunctionData, parseEventLogs } from 'viem';
import type { Address, Hex, Log } from 'viem';
import { standard721 } from '../../../contracts/artifacts/Standard721.ts';
import { lowerCase } from '../../core/lower-case.ts';

/** A token whose metadata has changed. */
interface ChangedToken {
  /** Lower case. */
  readonly contractAddress: Address;
  /** Decimal. */
  readonly tokenId: string;
}

/** Both standard contracts have the same function. */
export function encodeNotification({ tokenId }: Pick<ChangedToken, 'tokenId'>): Hex {
  return encodeFunctionData({
    abi: standard721.abi,
    functionName: 'notifyMetadataUpdate',
    args: [BigInt(tokenId)],
  });
}

/** Whether the contract has announced that the token's metadata has changed (ERC-4906). */
export function isAnnounced({ contractAddress, tokenId }: ChangedToken, logs: readonly Log[]): boolean {
  return parseEventLogs({ abi: standard721.abi, eventName: 'MetadataUpdate', logs: [...logs] }).some(
    ({ address, args }) => lowerCase(address) === contractAddress && args._tokenId === BigInt(tokenId),
  );
}
