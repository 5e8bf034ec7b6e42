import type { RpcCall } from '../chains/rpc-client.ts';
import { resultOf, toHex, toQuantity } from './chain-head.ts';
import type { ChainHead } from './chain-head.ts';
import type { Job } from './job.ts';
import type { LaneContext } from './lane-context.ts';
import type { LaneMemory } from './lane-state.ts';
import { NotNow, OrderRefused } from './order-kind.ts';
import type { Call, ChainReads } from './order-kind.ts';
import { classifyCallError } from './verdicts.ts';

/**
 * Gas of calls at the block of a head, without fees and without a limit: the answer is compared with ceiling and funds here. A revert there is certain,
 * since the block is not below what the order builds on.
 * @returns for each call, in order, its gas, or why there is none.
 */
export async function estimateCalls(
  { services, chain, lane }: LaneContext,
  { contracts }: LaneMemory,
  calls: readonly { readonly job: Job; readonly call: Call }[],
  head: ChainHead,
  reads: ChainReads,
): Promise<(bigint | OrderRefused | NotNow)[]> {
  const at = toHex(head.number);
  const targets = new Set(calls.filter(({ call }) => call.data !== '0x').map(({ call }) => call.to));
  const unknown = [...targets].filter((target) => !contracts.has(target));
  const asked: RpcCall[] = [
    ...unknown.map((target) => ({ method: 'eth_getCode', params: [target, at] })),
    ...calls.map(({ call: { to, data } }) => ({
      method: 'eth_estimateGas',
      params: [{ from: lane.walletAddress, to, data }, at],
    })),
  ];
  const replies = await chain.rpc.requestAtOnce(asked);
  for (const [index, target] of unknown.entries()) {
    const code = resultOf(replies[index]);
    if (typeof code === 'string' && code.length > 2) contracts.add(target);
  }
  return await Promise.all(
    calls.map(async ({ job, call }, index) => {
      const reply = replies[unknown.length + index] ?? { lost: 'no answer' };
      const verdict = classifyCallError(reply, toQuantity);
      if (verdict.kind === 'unknown')
        return new NotNow(`The chain does not say what the call takes: ${verdict.detail}`);
      if (verdict.kind === 'reverted') {
        const words = verdict.reason ?? (await probeReason(reads, call)) ?? 'the contract gave no reason';
        const reason = `Reverted: ${words}`;
        return new OrderRefused(
          (await job.kind.explain?.({ services, reads }, job.claim, reason, undefined)) ?? reason,
        );
      }
      // A call of an address without code succeeds and does nothing: a node that lags does not know the contract yet.
      return call.data === '0x' || contracts.has(call.to)
        ? verdict.value
        : new NotNow(`There is no contract at ${call.to} yet`);
    }),
  );
}

/** Asks the call's probe why the call reverts. Best effort. */
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
