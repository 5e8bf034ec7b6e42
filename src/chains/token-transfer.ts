import { isAddressEqual, parseEventLogs } from 'viem';
import type { Address, Log } from 'viem';
import { standard1155 } from '../../contracts/artifacts/Standard1155.ts';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';

/** A transfer of units of one token; a mint is a transfer from the zero address. */
export interface TokenTransfer {
  readonly contractAddress: Address;
  readonly ercStandard: '721' | '1155';
  readonly from: Address;
  readonly to: Address;
  /** Decimal. */
  readonly tokenId: string;
  readonly amount: number;
}

/** Whether a mined transaction's logs contain exactly this transfer: contract, holders, id and amount. */
export function hasTransferLog(transfer: TokenTransfer, logs: readonly Log[]): boolean {
  const own = logs.filter(({ address }) => isAddressEqual(address, transfer.contractAddress));
  return transfersIn(transfer.ercStandard, own).some(
    ({ from, to, id, value }) =>
      isAddressEqual(from, transfer.from) &&
      isAddressEqual(to, transfer.to) &&
      id === BigInt(transfer.tokenId) &&
      value === BigInt(transfer.amount),
  );
}

function transfersIn(ercStandard: TokenTransfer['ercStandard'], logs: Log[]) {
  if (ercStandard === '721') {
    return parseEventLogs({ abi: standard721.abi, eventName: 'Transfer', logs }).map(({ args }) => ({
      from: args.from,
      to: args.to,
      id: args.tokenId,
      value: 1n,
    }));
  }
  const single = parseEventLogs({ abi: standard1155.abi, eventName: 'TransferSingle', logs }).map(({ args }) => args);
  // ERC-1155 lets a contract report a single transfer in either event.
  const batches = parseEventLogs({ abi: standard1155.abi, eventName: 'TransferBatch', logs }).flatMap(({ args }) =>
    args.ids.map((id, index) => ({ from: args.from, to: args.to, id, value: args.values[index] ?? 0n })),
  );
  return [...single, ...batches];
}
