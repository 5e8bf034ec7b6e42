import { encodeAbiParameters, encodeEventTopics, maxUint256, type Log } from 'viem';
import { describe, expect, it } from 'vitest';
import { standard721 } from '../../../contracts/artifacts/Standard721.ts';
import type { Receipt } from '../../chains/rpc-values.ts';
import { lowerCase } from '../../core/lower-case.ts';
import type { Claim } from '../../engine/order-kind.ts';
import { baseUriKind, type BaseUriChange } from './base-uri-kind.ts';

const addressOf = (byte: string) => lowerCase(`0x${byte.repeat(20)}`);
const order = { contractAddress: addressOf('b2') } as BaseUriChange;

function updated(from: bigint, to: bigint, address = order.contractAddress): Log {
  const topics = encodeEventTopics({ abi: standard721.abi, eventName: 'BatchMetadataUpdate' });
  const data = encodeAbiParameters([{ type: 'uint256' }, { type: 'uint256' }], [from, to]);
  return { address, topics, data } as unknown as Log;
}

function read(logs: readonly Log[]) {
  const receipt = { status: 'success', logs } as Receipt;
  return baseUriKind.readReceipt({ order } as Claim<BaseUriChange>, receipt, () => '0x');
}

describe('a mined change of a base URI', () => {
  it('is confirmed by the event of the ordered contract for all tokens, among others', () => {
    const others = [updated(0n, 7n), updated(0n, maxUint256, addressOf('d4'))];
    expect(read([...others, updated(0n, maxUint256)])).toEqual({ effect: null });
  });

  it.each([
    ['has no event', []],
    ['is for some tokens', [updated(0n, 7n), updated(1n, maxUint256)]],
    ['is of another contract', [updated(0n, maxUint256, addressOf('d4'))]],
  ])('is no proof where it %s, though it succeeded', (_, logs) => {
    expect(read(logs)).toMatchObject({ failure: expect.stringContaining('BatchMetadataUpdate of all tokens') });
  });
});
