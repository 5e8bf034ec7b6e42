import { describe, expect, it } from 'vitest';
import type { AttemptRow } from './job.ts';
import { isReplaceable, resendAfter } from './replacement.ts';
import type { Waiting } from './replacement.ts';

const attempt: AttemptRow = {
  transactionId: 't',
  number: 1,
  nonce: 3,
  hash: '0x1',
  raw: '0x01',
  purpose: 'effect',
  gas: 21_000,
  maxFeePerGas: '100',
  maxPriorityFeePerGas: '10',
  createdAt: new Date(0),
};
const sending = {
  hash: '0x1',
  firstBlock: 10,
  at: 0,
  isQueued: false,
  isClear: true,
  underpriced: false,
  refusal: undefined,
} as const;
const calm: Waiting = { attempt, sending, isFirst: true, market: { baseFee: 50n, tip: 10n }, block: 20, since: 10 };

describe('an attempt is replaced', () => {
  it('when the node calls it underpriced', () => {
    expect(isReplaceable({ ...calm, sending: { ...sending, underpriced: true } })).toBe(true);
  });

  it('when the base fee is above its offer, first in line or not', () => {
    expect(isReplaceable({ ...calm, isFirst: false, market: { baseFee: 101n, tip: 1n } })).toBe(true);
  });

  it('when it is first in line for several blocks, and the suggested tip is a tenth above its own', () => {
    const dearer = { ...calm, market: { baseFee: 50n, tip: 12n } };
    expect(isReplaceable(dearer)).toBe(true);
    expect(isReplaceable({ ...dearer, block: 12 })).toBe(false);
    expect(isReplaceable({ ...dearer, isFirst: false })).toBe(false);
  });
});

describe('an attempt is not replaced', () => {
  it('for waiting long, for a refusal or for bytes that are not known', () => {
    expect(isReplaceable({ ...calm, block: 1_000 })).toBe(false);
    expect(isReplaceable({ ...calm, sending: { ...sending, refusal: 'no' } })).toBe(false);
    expect(isReplaceable({ ...calm, attempt: { ...attempt, maxFeePerGas: null } })).toBe(false);
  });

  it('while no block has come since it was sent, whatever the node says', () => {
    const stopped = { ...calm, block: 10, market: { baseFee: 1_000n, tip: 1_000n } };
    expect(isReplaceable({ ...stopped, sending: { ...sending, underpriced: true } })).toBe(false);
  });

  it('for what was said of the bytes before it', () => {
    expect(isReplaceable({ ...calm, sending: { ...sending, hash: '0x2', underpriced: true } })).toBe(false);
  });
});

describe('bytes are sent again', () => {
  it('soon where the node gave no answer, else after some blocks, and ever more seldom', () => {
    expect(resendAfter(0, false, 2_000)).toBe(1_000);
    expect(resendAfter(0, true, 2_000)).toBe(10_000);
    expect(resendAfter(60_000, true, 2_000)).toBe(30_000);
    expect(resendAfter(3_600_000, true, 2_000)).toBe(120_000);
  });
});
