import { describe, expect, it } from 'vitest';
import type { AttemptRow } from './job.ts';
import { isReplaceable, resendAfter, type ReplacementCase } from './resubmit.ts';

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
  isConclusive: true,
  underpriced: false,
  refusal: undefined,
  rejection: undefined,
} as const;
const calm: ReplacementCase = {
  attempt,
  sending,
  isFirst: true,
  market: { baseFee: 50n, tip: 10n },
  block: 20,
  since: 10,
};

describe('an attempt is replaced', () => {
  it('when the node reports it as underpriced', () => {
    expect(isReplaceable({ ...calm, sending: { ...sending, underpriced: true } })).toBe(true);
  });

  it('when the base fee is above its offer, whether or not it is next in line', () => {
    expect(isReplaceable({ ...calm, isFirst: false, market: { baseFee: 101n, tip: 1n } })).toBe(true);
  });

  it('when it has been next in line for several blocks and the suggested tip is 10 % above its own', () => {
    const outbid = { ...calm, market: { baseFee: 50n, tip: 12n } };
    expect(isReplaceable(outbid)).toBe(true);
    expect(isReplaceable({ ...outbid, block: 12 })).toBe(false);
    expect(isReplaceable({ ...outbid, isFirst: false })).toBe(false);
  });
});

describe('an attempt is not replaced', () => {
  it('because it waits long, or was refused', () => {
    expect(isReplaceable({ ...calm, block: 1_000 })).toBe(false);
    expect(isReplaceable({ ...calm, sending: { ...sending, refusal: 'no' } })).toBe(false);
  });

  it('while there is no new block since it was sent, whatever the node says', () => {
    const stopped = { ...calm, block: 10, market: { baseFee: 1_000n, tip: 1_000n } };
    expect(isReplaceable({ ...stopped, sending: { ...sending, underpriced: true } })).toBe(false);
  });

  it('because of a reply to an earlier attempt', () => {
    expect(isReplaceable({ ...calm, sending: { ...sending, hash: '0x2', underpriced: true } })).toBe(false);
  });
});

describe('bytes are sent again', () => {
  it('soon if the node gave no answer, otherwise after some blocks and at growing intervals', () => {
    expect(resendAfter(0, false, 2_000, 120_000)).toBe(1_000);
    expect(resendAfter(0, true, 2_000, 120_000)).toBe(10_000);
    expect(resendAfter(60_000, true, 2_000, 120_000)).toBe(30_000);
    expect(resendAfter(3_600_000, true, 2_000, 120_000)).toBe(120_000);
  });
});
