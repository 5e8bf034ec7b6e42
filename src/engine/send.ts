import type { Job } from './job.ts';
import { newestAttempt } from './job.ts';
import type { LaneContext } from './lane-context.ts';
import { HEALTHY } from './lane-state.ts';
import type { LaneMemory, LaneState } from './lane-state.ts';
import { halved } from './in-flight-window.ts';
import { classifySendReply } from './rpc-outcomes.ts';
import type { SendOutcome } from './rpc-outcomes.ts';
import type { Hex } from 'viem';

/**
 * Sends the newest stored attempts of jobs, lowest nonce first. The node's reply is kept: it decides whether an attempt is
 * replaced. Bytes without a conclusive reply are assumed sent.
 */
export async function send(
  { services, chain, lane }: LaneContext,
  state: LaneState,
  memory: LaneMemory,
  jobs: readonly Job[],
): Promise<void> {
  const ordered = jobs
    .flatMap((job) => {
      const attempt = newestAttempt(job);
      return attempt?.raw === null || attempt === undefined
        ? []
        : [{ job, hash: attempt.hash, raw: attempt.raw, nonce: attempt.nonce }];
    })
    .toSorted((a, b) => a.nonce - b.nonce);
  if (ordered.length === 0) return;
  const at = services.clock.now();
  // Recorded before they are sent, so that the watching loop does not send them too.
  for (const { job, hash } of ordered) recordSending(state, memory, job, hash, { at });
  const replies = await chain.rpc.request(
    ordered.map(({ raw }) => ({ method: 'eth_sendRawTransaction', params: [raw] })),
  );
  const counts: Record<string, number> = {};
  for (const [index, { job, hash }] of ordered.entries()) {
    const outcome = classifySendReply(replies[index] ?? { lost: 'no answer' });
    counts[outcome.kind] = (counts[outcome.kind] ?? 0) + 1;
    recordSending(state, memory, job, hash, { at, outcome });
    const isNamed = memory.condition.state === 'empty' && memory.condition.orderId === job.claim.orderId;
    if (isNamed) memory.condition = HEALTHY;
    if (outcome.kind === 'no-funds') {
      memory.condition = {
        state: 'empty',
        orderId: job.claim.orderId,
        reason: 'The wallet cannot pay for the signed transactions',
      };
    }
  }
  if ((counts['full'] ?? 0) > 0) state.window = halved(state.window);
  services.log.info('lane.sent', { ...lane, sent: ordered.length, ...counts });
}

/** How long queued attempts are left to the queue; longer than sending everything ahead of them takes. */
const QUEUED_MS = 10_000;

/** Marks the newest attempts of jobs as queued for sending. */
export function markQueued(
  { services }: LaneContext,
  state: LaneState,
  memory: LaneMemory,
  jobs: readonly Job[],
): void {
  const at = services.clock.now() + QUEUED_MS;
  for (const job of jobs) {
    const attempt = newestAttempt(job);
    if (attempt !== undefined) recordSending(state, memory, job, attempt.hash, { at, isQueued: true });
  }
}

function recordSending(
  state: LaneState,
  { sendings }: LaneMemory,
  { transaction: { id } }: Job,
  hash: Hex,
  {
    at,
    isQueued = false,
    outcome,
  }: { readonly at: number; readonly isQueued?: boolean; readonly outcome?: SendOutcome },
): void {
  const before = sendings.get(id);
  sendings.set(id, {
    hash,
    firstBlock: before?.hash === hash ? before.firstBlock : (state.head?.number ?? 0),
    at,
    isQueued,
    isConclusive: outcome !== undefined && outcome.kind !== 'unknown',
    underpriced: outcome?.kind === 'underpriced',
    refusal: outcome?.kind === 'refused' ? outcome.reason : undefined,
  });
}
