import { describe, expect, it } from 'vitest';
import {
  encodeAbiParameters,
  encodeEventTopics,
  parseAbi,
  toEventSelector,
  type Address,
  type Hex,
  type Log,
} from 'viem';
import { lowerCase, type LowerCaseAddress } from '../core/lower-case.ts';
import { hasTransferLog, type TokenTransfer } from './token-transfer.ts';

const abi = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)',
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
  'event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
]);

const address = (digit: number) => lowerCase(`0x${String(digit).repeat(40)}`);
const [contract, from, to, other] = [address(1), address(2), address(3), address(4)];

function logOf(topics: readonly (Hex | Hex[] | null)[], data: Hex, emitter = contract): Log {
  return {
    address: emitter,
    topics: topics as [Hex, ...Hex[]],
    data,
    blockHash: null,
    blockNumber: null,
    logIndex: null,
    transactionHash: null,
    transactionIndex: null,
    removed: false,
  };
}

const transfer = (args: { from: Address; to: Address; tokenId: bigint }, emitter?: LowerCaseAddress) =>
  logOf(encodeEventTopics({ abi, eventName: 'Transfer', args }), '0x', emitter);
const single = (id: bigint, value: bigint) =>
  logOf(
    encodeEventTopics({ abi, eventName: 'TransferSingle', args: { operator: other, from, to } }),
    encodeAbiParameters([{ type: 'uint256' }, { type: 'uint256' }], [id, value]),
  );
const batch = (ids: bigint[], values: bigint[]) =>
  logOf(
    encodeEventTopics({ abi, eventName: 'TransferBatch', args: { operator: other, from, to } }),
    encodeAbiParameters([{ type: 'uint256[]' }, { type: 'uint256[]' }], [ids, values]),
  );

const transfer721: TokenTransfer = { contractAddress: contract, ercStandard: '721', from, to, tokenId: '7', amount: 1 };
const transfer1155: TokenTransfer = { ...transfer721, ercStandard: '1155', amount: 5 };

describe('hasTransferLog for ERC-721', () => {
  it('is true with exactly this Transfer', () => {
    expect(
      hasTransferLog(transfer721, [transfer({ from, to, tokenId: 6n }), transfer({ from, to, tokenId: 7n })]),
    ).toBe(true);
  });

  it.each([
    ['another contract', transfer({ from, to, tokenId: 7n }, other)],
    ['another sender', transfer({ from: other, to, tokenId: 7n })],
    ['another receiver', transfer({ from, to: other, tokenId: 7n })],
    ['another token', transfer({ from, to, tokenId: 8n })],
    [
      'an ERC-20 Transfer, whose amount is not a topic',
      logOf(encodeEventTopics({ abi, eventName: 'Transfer', args: { from, to, tokenId: 7n } }).slice(0, 3), '0x07'),
    ],
    ['an event without topics', logOf([toEventSelector('Transfer(address,address,uint256)')], '0x')],
  ])('is false with %s', (_, log) => {
    expect(hasTransferLog(transfer721, [log])).toBe(false);
  });

  it('is false without logs', () => {
    expect(hasTransferLog(transfer721, [])).toBe(false);
  });
});

describe('hasTransferLog for ERC-1155', () => {
  it('is true with exactly this TransferSingle, or with this transfer in a TransferBatch', () => {
    expect(hasTransferLog(transfer1155, [single(7n, 5n)])).toBe(true);
    expect(hasTransferLog(transfer1155, [batch([6n, 7n], [1n, 5n])])).toBe(true);
  });

  it('is false with another amount or token', () => {
    expect(hasTransferLog(transfer1155, [single(7n, 4n), single(6n, 5n), batch([7n, 6n], [4n, 5n])])).toBe(false);
  });
});
