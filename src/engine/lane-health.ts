import type { LaneContext } from './lane-context.ts';
import { HEALTHY, isSameCondition } from './lane-state.ts';
import type { Condition, LaneMemory, LaneState } from './lane-state.ts';

/** A lane is stuck if nothing was mined, or the chain did not answer, for this long. */
const STUCK_MS = 60_000;

const EVENTS = { stuck: 'lane.stuck', 'fee-capped': 'lane.fee_capped', empty: 'wallet.empty' } as const;

/** Updates the lane's condition and logs each change. */
export function updateHealth({ services, lane }: LaneContext, memory: LaneMemory, state: LaneState): void {
  const stuck = stuckBy(memory, state, services.clock.now());
  if (stuck !== undefined) {
    if (memory.condition.state === 'ok') memory.condition = stuck;
  } else if (memory.condition.state === 'stuck') {
    memory.condition = HEALTHY;
  }
  const { condition, loggedCondition } = memory;
  if (isSameCondition(condition, loggedCondition)) return;
  memory.loggedCondition = condition;
  const { state: now, orderId, reason } = condition;
  if (now === 'ok') services.log.info('lane.ok', { ...lane });
  else services.log.warn(EVENTS[now], { ...lane, ...(orderId === null ? {} : { orderId }), reason });
}

function stuckBy(
  { silentSince, progress }: LaneMemory,
  { inFlight, head }: LaneState,
  now: number,
): Condition | undefined {
  if (silentSince !== undefined && now - silentSince >= STUCK_MS) {
    return { state: 'stuck', orderId: null, reason: 'The chain does not answer' };
  }
  const [first] = inFlight;
  if (first === undefined || head === undefined || now - progress.at < STUCK_MS) return undefined;
  const { nonce } = first.transaction;
  const since = new Date(progress.at).toISOString();
  return {
    state: 'stuck',
    orderId: first.claim.orderId,
    reason: `Nonce ${nonce} is not mined; nothing has been mined since ${since}`,
  };
}
