import { describe, expect, it } from 'vitest';
import { keccak256, toHex } from 'viem';
import type { Question, RpcClient } from '../chains/rpc-client.ts';
import type { ChainHead } from './chain-head.ts';
import type { Driver } from './driver.ts';
import type { Job } from './job.ts';
import { endByReceipt, findReceipts, interpretReceipt, type FoundReceipt } from './receipts.ts';

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
  const context = { chain: CHAIN, services: {} } as unknown as Driver;
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

it('a receipt that the first of three nodes hides is found with the others, of however many attempts', async () => {
  const hashes = Array.from({ length: 25 }, (_, index) => keccak256(toHex(index + 1)));
  const mined = hashes.at(-1);
  const block = { number: '0x5', hash: keccak256('0xb1'), timestamp: '0x1', gasLimit: '0x1' };
  const receipt = { transactionHash: mined, blockNumber: '0x5', blockHash: block.hash, gasUsed: '0x1', status: '0x1' };
  const answer = (calls: readonly Question[], isHiding: boolean) =>
    calls.flat().map(({ method, params: [hash] }) => {
      if (method === 'eth_getBlockByNumber') return { result: block };
      return { result: isHiding || hash !== mined ? null : { ...receipt, logs: [] } };
    });
  const first = (calls: readonly Question[]) => Promise.resolve(answer(calls, true));
  const rpc: RpcClient = {
    providers: 3,
    request: first,
    requestInParallel: first,
    requestOfEach: (calls) => Promise.resolve([true, false, false].map((isHiding) => answer(calls, isHiding))),
  };
  const jobs = [{ attempts: hashes.map((hash) => ({ hash, gas: 1, maxFeePerGas: '1' })) }] as unknown as Job[];
  const foundAt = (number: number) => findReceipts({ rpc, finality: 1 }, jobs, { number } as ChainHead);
  const found = await Promise.all([10, 11].map(foundAt));
  expect(found.flatMap((each) => [...each.keys()])).toContain(jobs[0]);
});
