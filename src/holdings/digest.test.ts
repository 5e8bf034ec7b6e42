import { describe, expect, it } from 'vitest';
import { numberToHex, pad, toEventSelector, type Address, type Hex, type Log } from 'viem';
import { lowerCase } from '../core/lower-case.ts';
import { digest, isRead } from './digest.ts';
import type { IndexedContract } from './index.store.ts';

const TRANSFER = toEventSelector('Transfer(address,address,uint256)');
const hash = (number: number) => pad(numberToHex(number));
const today = 20_000;

const contractAt = (digit: string, fields: Partial<IndexedContract> = {}): IndexedContract => ({
  contractId: digit.repeat(24),
  contractAddress: lowerCase(`0x${digit.repeat(40)}`),
  ercStandard: '721',
  nextBlock: null,
  stop: null,
  day: 0,
  transfersOfDay: 0,
  ...fields,
});

/** Logs of mints in a block. */
function mintsIn(block: number, address: Address, count: number): Log[] {
  return Array.from({ length: count }, (_, index) => ({
    address,
    topics: [TRANSFER, pad('0x0'), pad('0xb'), pad(numberToHex(index))] as [Hex, Hex, Hex, Hex],
    data: '0x',
    blockNumber: BigInt(block),
    blockHash: hash(block),
    transactionHash: hash(1),
    logIndex: index,
    transactionIndex: 0,
    removed: false,
  }));
}

const [a, b] = [contractAt('a'), contractAt('b')];
const digestOf = (contracts: readonly IndexedContract[], ...logs: Log[][]) =>
  digest({ contracts, logs: logs.flat(), end: [50, hash(50)], today });

describe('digest', () => {
  it('pauses a contract after the block with which it has the transfers of a day', () => {
    const busy = { ...a, day: today, transfersOfDay: 249_998 };
    const { transfers, contracts } = digestOf(
      [busy, b],
      mintsIn(7, a.contractAddress, 1),
      mintsIn(9, a.contractAddress, 3),
      mintsIn(10, a.contractAddress, 1),
      mintsIn(11, b.contractAddress, 1),
    );
    expect(transfers.map((row) => row.block_number)).toEqual([7, 9, 9, 9, 11]);
    expect(contracts).toEqual([
      { ...busy, transfersOfDay: 250_002, nextBlock: 10 },
      { ...b, day: today, transfersOfDay: 1 },
    ]);
    expect(contracts.map((contract) => isRead(contract, today))).toEqual([false, true]);
  });

  it('counts the transfers of each day from none', () => {
    const busy = { ...a, day: today - 1, transfersOfDay: 250_000, nextBlock: 7 };
    const { contracts } = digestOf([busy], mintsIn(7, a.contractAddress, 2));
    expect(contracts).toEqual([{ ...busy, day: today, transfersOfDay: 2 }]);
  });

  it('stops only the contract with too many transfers in a block', () => {
    const { transfers, contracts } = digestOf(
      [a, b],
      mintsIn(7, a.contractAddress, 20_001),
      mintsIn(7, b.contractAddress, 3),
    );
    expect(new Set(transfers.map((row) => row.contract_id))).toEqual(new Set([b.contractId]));
    expect(contracts.map(({ contractId, stop }) => [contractId, stop])).toEqual([
      [a.contractId, 'TOO_MANY_TRANSFERS'],
      [b.contractId, null],
    ]);
  });

  it('ends a step with the block in which it has enough transfers', () => {
    const logs = [7, 8, 9].map((block) => mintsIn(block, a.contractAddress, 3_000));
    const { end, transfers } = digestOf([a], ...logs);
    expect(end).toEqual([8, hash(8)]);
    expect(transfers).toHaveLength(6_000);
  });

  it('reads nothing of a contract before the block that is its next', () => {
    const later = { ...a, nextBlock: 8 };
    const { transfers } = digestOf([later], mintsIn(7, a.contractAddress, 1), mintsIn(8, a.contractAddress, 1));
    expect(transfers.map((row) => row.block_number)).toEqual([8]);
  });
});
