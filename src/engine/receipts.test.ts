import { describe, expect, it } from 'vitest';
import type { ChainHead } from './chain-head.ts';
import { endByReceipt, interpretReceipt, type FoundReceipt } from './receipts.ts';
import type { LaneContext } from './lane-context.ts';

const BLOCK = 100;
const CHAIN = { confirmations: 3, finality: 6 };

/** How a receipt in block 100 ends its order, at a head that makes it so deep. */
async function endAt(depth: number, { purpose = 'effect', hasEffect = true, refusal = null as string | null } = {}) {
  const found = {
    job: {
      transaction: { refusal },
      kind: {
        call: () => ({ data: '0x' }),
        readReceipt: () => (hasEffect ? { effect: 'e' } : { failure: 'no effect' }),
        findForeignEffect: null,
        explain: null,
      },
      claim: {},
      attempts: [],
    },
    attempt: { purpose, number: 1, raw: '0x02c90180808080808080c0' },
    receipt: { blockNumber: BLOCK, status: 'success' },
  } as unknown as FoundReceipt;
  const context = { chain: CHAIN, services: {} } as unknown as LaneContext;
  const head = { number: BLOCK + depth - 1 } as ChainHead;
  return await endByReceipt(context, found, interpretReceipt(found), head);
}

describe('a receipt ends its order, whoever finds it,', () => {
  it('as confirmed at the confirmations, and not before', async () => {
    expect(await endAt(2)).toBeUndefined();
    expect(await endAt(3)).toMatchObject({ result: 'confirmed', isFinal: false });
    expect(await endAt(6)).toMatchObject({ result: 'confirmed', isFinal: true });
  });

  it('as failed once it is final, and not before', async () => {
    expect(await endAt(5, { hasEffect: false })).toBeUndefined();
    expect(await endAt(6, { hasEffect: false })).toMatchObject({ result: 'failed', reason: 'no effect' });
    expect(await endAt(5, { purpose: 'cancel', refusal: 'too large' })).toBeUndefined();
    expect(await endAt(6, { purpose: 'cancel', refusal: 'too large' })).toMatchObject({ result: 'failed' });
  });

  it('as cancelled once the cancel is final, and not before', async () => {
    expect(await endAt(5, { purpose: 'cancel' })).toBeUndefined();
    expect(await endAt(6, { purpose: 'cancel' })).toMatchObject({ result: 'cancelled' });
  });
});
