import type { ChainHead } from './chain-head.ts';
import { halved, isStalled } from './in-flight-window.ts';
import type { SignedJob } from './job.ts';
import type { LaneMemory, LaneState } from './lane-state.ts';

/**
 * Updates the next transaction in line and the lane's progress at a new head; without progress the window is halved. How long there was none
 * is remembered by the memory, since a lane is read again often when the database or another driver gets in its way.
 * @param unmined The lane's transactions that are not mined at this head, lowest nonce first.
 */
export function updateProgress(
  chain: { readonly blockTimeMs: number },
  state: Pick<LaneState, 'window'>,
  memory: Pick<LaneMemory, 'next' | 'progress' | 'halved'>,
  head: Pick<ChainHead, 'number' | 'count' | 'readAt'>,
  unmined: readonly { readonly transaction: Pick<SignedJob['transaction'], 'id'> }[],
): void {
  const now = { block: head.number, at: head.readAt };
  const [first] = unmined;
  if (first === undefined) memory.next = undefined;
  else if (memory.next?.id !== first.transaction.id) {
    const { id } = first.transaction;
    memory.next = { id, ...now, checkedAt: head.readAt, misses: 0 };
  }

  if (first === undefined || head.count > memory.progress.count) {
    memory.progress = { ...now, count: head.count };
    return;
  }
  const { progress, halved: last } = memory;
  const since = last !== undefined && last.at > progress.at ? last : progress;
  if (isStalled(since, now, chain)) {
    memory.halved = now;
    state.window = halved(state.window);
  }
}
