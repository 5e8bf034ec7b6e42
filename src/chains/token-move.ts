import { isAddressEqual, parseEventLogs } from 'viem';
import type { Address, Log } from 'viem';
import { standard1155 } from '../../contracts/artifacts/Standard1155.ts';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';

/** Units of one token that go from one holder to another; a mint comes from the zero address. */
export interface TokenMove {
  readonly contractAddress: Address;
  readonly ercStandard: '721' | '1155';
  readonly from: Address;
  readonly to: Address;
  /** Decimal. */
  readonly tokenId: string;
  readonly amount: number;
}

/** Whether the logs of a mined transaction show this very move: contract, holders, id and amount. */
export function showsMove(move: TokenMove, logs: readonly Log[]): boolean {
  const own = logs.filter(({ address }) => isAddressEqual(address, move.contractAddress));
  return movesOf(move.ercStandard, own).some(
    ({ from, to, id, value }) =>
      isAddressEqual(from, move.from) &&
      isAddressEqual(to, move.to) &&
      id === BigInt(move.tokenId) &&
      value === BigInt(move.amount),
  );
}

function movesOf(ercStandard: TokenMove['ercStandard'], logs: Log[]) {
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
