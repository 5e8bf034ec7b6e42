import type { Job } from './job.ts';
import { newestAttempt } from './job.ts';
import type { LaneContext } from './lane-context.ts';
import { GOOD } from './lane-state.ts';
import type { LaneMemory, LaneState } from './lane-state.ts';
import { halved } from './in-flight-window.ts';
import { classifySendError } from './verdicts.ts';
import type { SendErrorKind } from './verdicts.ts';
import type { Hex } from 'viem';

/**
 * Sends the newest stored bytes of jobs, lowest nonce first. What the node says is remembered: it decides whether the
 * bytes are replaced. Bytes that got no clear answer count as sent.
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
  // Noted before they leave, so that a look at the same time does not send them too.
  for (const { job, hash } of ordered) note(state, memory, job, hash, { at });
  const replies = await chain.rpc.request(
    ordered.map(({ raw }) => ({ method: 'eth_sendRawTransaction', params: [raw] })),
  );
  const counts: Record<string, number> = {};
  for (const [index, { job, hash }] of ordered.entries()) {
    const verdict = classifySendError(replies[index] ?? { lost: 'no answer' });
    counts[verdict.kind] = (counts[verdict.kind] ?? 0) + 1;
    note(state, memory, job, hash, { at, verdict });
    const isNamed = memory.condition.state === 'empty' && memory.condition.orderId === job.claim.orderId;
    if (isNamed) memory.condition = GOOD;
    if (verdict.kind === 'no-funds') {
      memory.condition = {
        state: 'empty',
        orderId: job.claim.orderId,
        reason: 'The wallet cannot pay for what is signed',
      };
    }
  }
  if ((counts['full'] ?? 0) > 0) state.window = halved(state.window);
  services.log.info('lane.sent', { ...lane, sent: ordered.length, ...counts });
}

/** Longer than what is sent before takes: until then nobody else sends them. */
const QUEUED_MS = 10_000;

/** Takes note that the newest bytes of jobs are about to leave. */
export function noteQueued(
  { services }: LaneContext,
  state: LaneState,
  memory: LaneMemory,
  jobs: readonly Job[],
): void {
  const at = services.clock.now() + QUEUED_MS;
  for (const job of jobs) {
    const attempt = newestAttempt(job);
    if (attempt !== undefined) note(state, memory, job, attempt.hash, { at, isQueued: true });
  }
}

function note(
  state: LaneState,
  { sendings }: LaneMemory,
  { transaction: { id } }: Job,
  hash: Hex,
  {
    at,
    isQueued = false,
    verdict,
  }: { readonly at: number; readonly isQueued?: boolean; readonly verdict?: SendErrorKind },
): void {
  const before = sendings.get(id);
  sendings.set(id, {
    hash,
    firstBlock: before?.hash === hash ? before.firstBlock : (state.head?.number ?? 0),
    at,
    isQueued,
    isClear: verdict !== undefined && verdict.kind !== 'unknown',
    underpriced: verdict?.kind === 'underpriced',
    refusal: verdict?.kind === 'refused' ? verdict.reason : undefined,
  });
}
