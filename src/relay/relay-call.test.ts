import { describe, expect, it } from 'vitest';
import { lowerCase } from '../core/lower-case.ts';
import type { Relayed } from './forward-requests.store.ts';
import { relayCall, relayGasCeiling } from './relay-call.ts';

const address = lowerCase(`0x${'1'.repeat(40)}`);
const order: Relayed = {
  chainId: '43114',
  forwarderAddress: address,
  signerAddress: address,
  nonce: '0',
  targetAddress: address,
  gasLimit: 630_000,
  data: '0x12345678',
  signature: `0x${'22'.repeat(65)}`,
  deadline: null,
  readAtBlock: 1,
  notBeforeBlock: null,
  createdAt: new Date(0),
};

describe('the gas of a relayed request', () => {
  it('is the signed gas over the 63/64 that a call can pass on, plus 75,000 for the forwarder and the calldata', () => {
    const { data, gas = 0n } = relayCall(order);
    const bytes = (data.slice(2).match(/../g) ?? []).map((byte) => (byte === '00' ? 4 : 16));
    const calldata = BigInt(bytes.reduce((sum, cost) => sum + cost, 0));
    expect(gas).toBe(640_000n + 75_000n + calldata);
  });

  it('reaches its ceiling when the highest allowed gas was signed', () => {
    const most = relayCall({ ...order, gasLimit: 1_000_000 });
    expect(relayGasCeiling({ ...order, gasLimit: 1_000_000 }, 1_000_000)).toBe(most.gas);
    const beyond = relayCall({ ...order, gasLimit: 1_000_001 });
    expect(beyond.gas ?? 0n).toBeGreaterThan(relayGasCeiling({ ...order, gasLimit: 1_000_001 }, 1_000_000));
  });
});
