import { classifyCallReply, type CallOutcome } from '../chains/rpc-error.ts';
import type { RpcCall } from '../chains/rpc-exchange.ts';
import { resultOf, toData, toQuantity, type Receipt } from '../chains/rpc-values.ts';
import type { ChainHead } from './chain-head.ts';
import { blockParameter } from './chain-reads.ts';
import { repliesOfMost } from './majority.ts';
import type { Driver } from './driver.ts';
import { namesOf, type Job } from './job.ts';
import { kindContextOf, type LaneContext } from './lane-context.ts';
import { NotNow, OrderRefused, type Call, type ChainReads } from './order-kind.ts';

/**
 * Estimates the gas of calls at the head's block, without fee fields or a gas limit; the caller checks the ceiling and
 * the funds. A revert is definitive, because the block is not below the one that the order depends on.
 * @returns each call's gas, in order, or why there is no estimate.
 */
export async function estimateCalls(
  driver: Driver,
  calls: readonly { readonly job: Job; readonly call: Call }[],
  head: ChainHead,
  reads: ChainReads,
): Promise<(bigint | OrderRefused | NotNow)[]> {
  const { chain, lane, memory } = driver;
  const at = blockParameter(chain, head);
  const targets = [...new Set(calls.filter(({ call }) => call.data !== '0x').map(({ call }) => call.to))];
  const unknown = targets.filter((target) => !memory.contracts.isLasting(target, chain.finality));
  const codes: RpcCall[] = unknown.map((target) => ({ method: 'eth_getCode', params: [target, at] }));
  const estimateOf = ({ to, data }: Pick<Call, 'to' | 'data'>): RpcCall => ({
    method: 'eth_estimateGas',
    params: [{ from: lane.walletAddress, to, data }, at],
  });
  const entries = calls.map(({ job, call }) => {
    const bound = call.bound === undefined ? undefined : estimateOf({ to: call.to, data: call.bound.data });
    return { job, call, estimate: estimateOf(call), bound };
  });
  const asked = [...codes, ...entries.map(({ estimate }) => estimate), ...entries.flatMap(({ bound }) => bound ?? [])];
  const replies = await repliesOfMost(chain.rpc, asked);
  const estimated = (call: RpcCall) =>
    classifyCallReply(replies[asked.indexOf(call)] ?? { lost: 'no answer' }, toQuantity);
  const empty = unknown.filter((_, index) => (toData(resultOf(replies[index])) ?? '0x') === '0x');
  memory.contracts.observe(unknown, empty, head.number);
  return await Promise.all(
    entries.map(async ({ job, call, estimate, bound }) => {
      const outcome = estimated(estimate);
      if (outcome.kind === 'unknown') return new NotNow(`The gas estimate failed: ${outcome.detail}`);
      if (outcome.kind === 'reverted') {
        const cause = outcome.reason ?? (await probeReason(reads, call)) ?? 'the contract gave no reason';
        return new OrderRefused(await explainFailure(driver, job, reads, `Reverted: ${cause}`, undefined));
      }
      // A call to an address without code succeeds and does nothing. A lagging node may not have the contract yet, and
      // a reorganization can remove one that was there.
      if (call.data !== '0x' && empty.includes(call.to)) return new NotNow(`There is no contract at ${call.to} yet`);
      const excess = bound && excessOf(outcome.value, estimated(bound), call.bound?.more ?? 0n);
      return excess ?? outcome.value;
    }),
  );
}

/** Why a call that needs more gas than another one and a margin is not signed; undefined if it does not. */
function excessOf(needed: bigint, bound: CallOutcome<bigint>, more: bigint): OrderRefused | NotNow | undefined {
  if (bound.kind === 'unknown') return new NotNow(`The gas estimate failed: ${bound.detail}`);
  if (bound.kind === 'reverted' || needed <= bound.value + more) return undefined;
  return new OrderRefused(
    `The receiver's code uses ${needed - bound.value} gas, more than the ${more} that it may use`,
  );
}

/** Runs the call's probe to find out why the call reverts. Best effort. */
export async function probeReason(reads: ChainReads, { probe }: Call): Promise<string | undefined> {
  if (probe === undefined) return undefined;
  try {
    const result = await reads.call(probe);
    return 'reverted' in result ? result.reason : undefined;
  } catch (error) {
    if (error instanceof NotNow) return undefined;
    throw error;
  }
}

/**
 * Lets the kind of a failed order explain the reason from the chain. Never throws: what cannot be explained keeps its
 * reason.
 * @param receipt Of the mined call; undefined if nothing was signed.
 */
export async function explainFailure(
  context: Pick<LaneContext, 'services' | 'chain'>,
  job: Job,
  reads: ChainReads,
  reason: string,
  receipt: Receipt | undefined,
): Promise<string> {
  const { kind, claim } = job;
  try {
    return (await kind.explain?.(kindContextOf(context, reads), claim, reason, receipt)) ?? reason;
  } catch (error) {
    if (!(error instanceof NotNow)) context.services.log.error('order.not_explained', { ...namesOf(job), error });
    return reason;
  }
}
