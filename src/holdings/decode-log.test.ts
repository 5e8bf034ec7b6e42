import { describe, expect, it } from 'vitest';
import { encodeAbiParameters, maxUint256, numberToHex, pad, toEventSelector, zeroAddress, type Hex } from 'viem';
import { decodeLog } from './decode-log.ts';

const from = `0x${'a'.repeat(40)}` as const;
const to = `0x${'b'.repeat(40)}` as const;
const id = (value: bigint) => numberToHex(value, { size: 32 });
const TRANSFER = toEventSelector('Transfer(address,address,uint256)');
const SINGLE = toEventSelector('TransferSingle(address,address,address,uint256,uint256)');
const BATCH = toEventSelector('TransferBatch(address,address,address,uint256[],uint256[])');
const OWNERSHIP = toEventSelector('OwnershipTransferred(address,address)');
const RANGE = toEventSelector('ConsecutiveTransfer(uint256,uint256,address,address)');

const pair = (...values: [bigint, bigint]) => encodeAbiParameters([{ type: 'uint256' }, { type: 'uint256' }], values);
const lists = (...values: [bigint[], bigint[]]) =>
  encodeAbiParameters([{ type: 'uint256[]' }, { type: 'uint256[]' }], values);
const decode = (standard: '721' | '1155', topics: readonly Hex[], data: Hex = '0x') =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- topics of a log, as many as a contract likes
  decodeLog({ topics: topics as [Hex], data }, standard);

describe('decodeLog', () => {
  it('reads the transfers of both standards', () => {
    expect(decode('721', [TRANSFER, pad(from), pad(to), id(maxUint256)])).toEqual({
      kind: 'transfers',
      transfers: [{ from, to, tokenId: maxUint256, amount: 1n }],
    });
    expect(decode('1155', [SINGLE, pad(to), pad(zeroAddress), pad(to)], pair(7n, 9n))).toEqual({
      kind: 'transfers',
      transfers: [{ from: zeroAddress, to, tokenId: 7n, amount: 9n }],
    });
    expect(decode('1155', [BATCH, pad(to), pad(from), pad(to)], lists([1n, 2n, 3n], [4n, 0n, 5n]))).toEqual({
      kind: 'transfers',
      transfers: [
        { from, to, tokenId: 1n, amount: 4n },
        { from, to, tokenId: 3n, amount: 5n },
      ],
    });
  });

  it('counts what a batch says of a token several times as one transfer, whatever their number', () => {
    const times = 6_000;
    const [ids, amounts] = [Array.from({ length: times }, () => 7n), Array.from({ length: times }, () => 2n)];
    expect(decode('1155', [BATCH, pad(to), pad(from), pad(to)], lists([5n, ...ids], [1n, ...amounts]))).toEqual({
      kind: 'transfers',
      transfers: [
        { from, to, tokenId: 5n, amount: 1n },
        { from, to, tokenId: 7n, amount: 12_000n },
      ],
    });
  });

  it('reads the owner of a contract, and that a range of tokens has moved', () => {
    expect(decode('1155', [OWNERSHIP, pad(from), pad(to)])).toEqual({ kind: 'owner', owner: to });
    expect(decode('721', [RANGE, id(1n), pad(from), pad(to)], id(maxUint256))).toEqual({ kind: 'range' });
  });

  it.each([
    ['the transfer of an ERC-20, whose amount is not indexed', '721', [TRANSFER, pad(from), pad(to)], id(1n)],
    ['an event of the other standard', '1155', [TRANSFER, pad(from), pad(to), id(1n)], '0x'],
    ['the other way round', '721', [SINGLE, pad(to), pad(from), pad(to)], pair(1n, 1n)],
    ['a topic that is no address', '721', [TRANSFER, id(maxUint256), pad(to), id(1n)], '0x'],
    ['data that is too short', '1155', [SINGLE, pad(to), pad(from), pad(to)], '0x12'],
    ['lists of different lengths', '1155', [BATCH, pad(to), pad(from), pad(to)], lists([1n, 2n], [1n])],
    ['a list that points nowhere', '1155', [BATCH, pad(to), pad(from), pad(to)], pair(maxUint256, 1n)],
    [
      'a batch with more of a token than there can be',
      '1155',
      [BATCH, pad(to), pad(from), pad(to)],
      lists([1n, 1n], [maxUint256, 1n]),
    ],
    ['a transfer of nothing', '1155', [SINGLE, pad(to), pad(from), pad(to)], pair(1n, 0n)],
    ['a transfer to the same holder', '721', [TRANSFER, pad(from), pad(from), id(1n)], '0x'],
    ['no topic', '721', [], '0x'],
  ] as const)('reads nothing in %s', (_, standard, topics, data) => {
    expect(decode(standard, topics, data)).toEqual({ kind: 'nothing' });
  });
});
