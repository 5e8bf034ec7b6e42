import { decodeAbiParameters, isHash, maxUint256, toEventSelector, type Hex, type Log } from 'viem';
import { lowerCase, type LowerCaseAddress } from '../core/lower-case.ts';
import type { ErcStandard } from '../platform/database/schema.ts';

const TRANSFER = toEventSelector('Transfer(address,address,uint256)');
const SINGLE = toEventSelector('TransferSingle(address,address,address,uint256,uint256)');
const BATCH = toEventSelector('TransferBatch(address,address,address,uint256[],uint256[])');
const OWNERSHIP = toEventSelector('OwnershipTransferred(address,address)');
/** ERC-2309: one log for the transfers of a range of tokens, which can have 2^256. */
const RANGE = toEventSelector('ConsecutiveTransfer(uint256,uint256,address,address)');

/** The first topics of the logs that the index reads. */
export const INDEXED_TOPICS: readonly Hex[] = [TRANSFER, SINGLE, BATCH, OWNERSHIP, RANGE];

/** A transfer that a contract reports; a mint is one from the zero address, and a burn one to it. */
export interface ReportedTransfer {
  readonly from: LowerCaseAddress;
  readonly to: LowerCaseAddress;
  readonly tokenId: bigint;
  readonly amount: bigint;
}

/** What a log reports. */
export type Report =
  | { readonly kind: 'transfers'; readonly transfers: readonly ReportedTransfer[] }
  | { readonly kind: 'owner'; readonly owner: LowerCaseAddress }
  | { readonly kind: 'range' }
  /** Not the form of an event of the standard: it reports nothing. */
  | { readonly kind: 'nothing' };

const NOTHING: Report = { kind: 'nothing' };

/**
 * What a log of a contract reports, by the events of ERC-721, ERC-1155 and ERC-173. Transfers of nothing, and those
 * from a holder to itself, are left out. A batch that names a token several times is one transfer of it: anybody with a
 * few units could otherwise report thousands of transfers for little gas.
 */
export function decodeLog({ topics, data }: Pick<Log, 'topics' | 'data'>, ercStandard: ErcStandard): Report {
  const [event, ...indexed] = topics;
  const [first, second, third = '0x'] = indexed;
  if (event === OWNERSHIP && indexed.length === 2) {
    const owner = addressOf(second);
    return owner === undefined ? NOTHING : { kind: 'owner', owner };
  }
  if (event === RANGE) return ercStandard === '721' ? { kind: 'range' } : NOTHING;
  // An ERC-20 has an event of the same name, whose amount is not indexed.
  if (indexed.length !== 3 || !isHash(third)) return NOTHING;
  if (ercStandard === '721') {
    return event === TRANSFER ? transfersOf(first, second, [[BigInt(third), 1n]]) : NOTHING;
  }
  if (event === SINGLE) return transfersOf(second, third, decoded(singleOf, data));
  return event === BATCH ? transfersOf(second, third, decoded(pairsOf, data)) : NOTHING;
}

type Units = readonly (readonly [tokenId: bigint, amount: bigint])[];

function transfersOf(fromTopic: Hex | undefined, toTopic: Hex | undefined, units: Units): Report {
  const from = addressOf(fromTopic);
  const to = addressOf(toTopic);
  if (from === undefined || to === undefined || from === to) return NOTHING;
  const sums = new Map<bigint, bigint>();
  for (const [tokenId, amount] of units) {
    if (amount > 0n) sums.set(tokenId, (sums.get(tokenId) ?? 0n) + amount);
  }
  const transfers = Array.from(sums, ([tokenId, amount]) => ({ from, to, tokenId, amount }));
  const isPossible = transfers.length > 0 && transfers.every(({ amount }) => amount <= maxUint256);
  return isPossible ? { kind: 'transfers', transfers } : NOTHING;
}

/** @returns undefined if a topic is no address. */
function addressOf(topic: Hex | undefined): LowerCaseAddress | undefined {
  return topic !== undefined && /^0x0{24}[\da-f]{40}$/.test(topic) ? lowerCase(`0x${topic.slice(26)}`) : undefined;
}

function singleOf(data: Hex): Units {
  return [decodeAbiParameters([{ type: 'uint256' }, { type: 'uint256' }], data)];
}

function pairsOf(data: Hex): Units {
  const [ids, amounts] = decodeAbiParameters([{ type: 'uint256[]' }, { type: 'uint256[]' }], data);
  if (ids.length !== amounts.length) return [];
  return ids.map((id, index) => [id, amounts[index] ?? 0n]);
}

/** Data of another form reports nothing. */
function decoded(decode: (data: Hex) => Units, data: Hex): Units {
  try {
    return decode(data);
  } catch {
    return [];
  }
}
