import {
  decodeAbiParameters,
  encodeAbiParameters,
  pad,
  toEventSelector,
  toHex,
  type Address,
  type Hex,
  type Log,
} from 'viem';
import type { LowerCaseAddress } from '../core/lower-case.ts';

/** Units of a token that somebody holds. */
export interface Holding {
  readonly contractAddress: LowerCaseAddress;
  readonly ercStandard: '721' | '1155';
  readonly from: Address;
  /** Decimal. */
  readonly tokenId: string;
  readonly amount: number;
}

/** A transfer of units of one token; a mint is one from the zero address, and a burn one to it. */
export interface TokenTransfer extends Holding {
  readonly to: Address;
}

// Computed once: viem's decoder hashes the signatures of an ABI again for each log.
const TRANSFER = toEventSelector('Transfer(address,address,uint256)');
const SINGLE = toEventSelector('TransferSingle(address,address,address,uint256,uint256)');
const BATCH = toEventSelector('TransferBatch(address,address,address,uint256[],uint256[])');

/** Whether a mined transaction's logs contain exactly this transfer: contract, holders, id and amount. */
export function hasTransferLog(transfer: TokenTransfer, logs: readonly Log[]): boolean {
  const { contractAddress, ercStandard, from, to } = transfer;
  const id = BigInt(transfer.tokenId);
  const holders = [pad(from), pad(to)];
  const own = logs.filter(({ address }) => isSameHex(address, contractAddress));
  if (ercStandard === '721') {
    const topics = [TRANSFER, ...holders, toHex(id, { size: 32 })];
    return own.some((log) => log.topics.length === topics.length && hasTopics(log, topics));
  }
  const value = BigInt(transfer.amount);
  const data = encodeAbiParameters([{ type: 'uint256' }, { type: 'uint256' }], [id, value]);
  return own.some(
    (log) =>
      log.topics.length === 4 &&
      hasTopics({ topics: log.topics.slice(2) }, holders) &&
      // ERC-1155 lets a contract report a single transfer in either event.
      ((log.topics[0] === SINGLE && isSameHex(log.data, data)) ||
        (log.topics[0] === BATCH && isInBatch(log.data, id, value))),
  );
}

function hasTopics({ topics }: { readonly topics: readonly Hex[] }, expected: readonly Hex[]): boolean {
  return expected.every((topic, index) => isSameHex(topics[index] ?? '0x', topic));
}

function isInBatch(data: Hex, id: bigint, value: bigint): boolean {
  try {
    const [ids, values] = decodeAbiParameters([{ type: 'uint256[]' }, { type: 'uint256[]' }], data);
    return ids.some((each, index) => each === id && values[index] === value);
  } catch {
    // Data that is no batch reports no transfer.
    return false;
  }
}

function isSameHex(a: Hex, b: Hex): boolean {
  return a === b || a.toLowerCase() === b.toLowerCase();
}
