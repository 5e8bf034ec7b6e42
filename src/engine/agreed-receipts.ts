// The receipts on which most nodes agree, and when those on which they do not are read again.
import type { ChainHead } from './chain-head.ts';
import type { Driver } from './driver.ts';
import { namesOf } from './job.ts';
import type { LaneContext } from './lane-context.ts';
import { receiptsOfMost } from './majority.ts';
import { interpretReceipt, withinOffer, type FoundReceipt, type ReceiptResult } from './receipts.ts';

/** A receipt and what it says of its order. */
export interface Examined {
  readonly found: FoundReceipt;
  readonly result: ReceiptResult;
}

/** The longest pause before receipts on which most nodes do not agree are read again. */
const MAX_DISPUTE_MS = 60_000;

/**
 * The receipts that most nodes see as deep as the head does, with what most of these report. The others are disputed,
 * and tried again after a block, then after twice as long each time.
 */
export async function deepForMost(
  driver: Driver,
  examined: readonly Examined[],
  head: ChainHead,
): Promise<readonly Examined[]> {
  const { chain, memory } = driver;
  const mined = examined.map(({ found }) => {
    const { receipt } = found;
    const { transactionHash: hash, blockNumber, blockHash } = receipt;
    const isFinal = head.number - blockNumber + 1 >= chain.finality;
    const depth = isFinal ? chain.finality : chain.confirmations;
    return { hash, blockNumber, blockHash, receipt, depth, found };
  });
  const reported = await receiptsOfMost(chain, mined);
  return mined.flatMap((one) => {
    const receipt = reported.get(one);
    const found = receipt && { ...one.found, receipt: withinOffer(receipt, one.found.attempt) };
    const { id } = one.found.job.transaction;
    const { disputes } = memory.tracked.of(id);
    if (disputes > 0 || found === undefined) memory.tracked.recordDisputes(id, found === undefined ? disputes + 1 : 0);
    const result = found && tryInterpret(driver, found);
    if (found !== undefined && result !== undefined) return [{ found, result }];
    memory.retryLater(id, head.readAt + Math.min(MAX_DISPUTE_MS, chain.blockTimeMs * 2 ** disputes));
    return [];
  });
}

/** @returns undefined if the order cannot be read, which must not affect the others. */
export function tryInterpret({ services }: LaneContext, found: FoundReceipt): ReceiptResult | undefined {
  try {
    return interpretReceipt(found);
  } catch (error) {
    services.log.error('order.not_read', { ...namesOf(found.job), error });
    return undefined;
  }
}
