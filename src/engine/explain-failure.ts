import type { Job } from './job.ts';
import type { LaneContext } from './lane-context.ts';
import { NotNow } from './order-kind.ts';
import type { ChainReads, Receipt } from './order-kind.ts';

/**
 * Lets the kind of a failed order explain the reason from the chain. Never throws: what cannot be explained keeps its reason.
 * @param receipt Of the mined call; undefined if nothing was signed.
 */
export async function explainFailure(
  { services }: Pick<LaneContext, 'services'>,
  { kind, claim }: Job,
  reads: ChainReads,
  reason: string,
  receipt: Receipt | undefined,
): Promise<string> {
  try {
    return (await kind.explain?.({ services, reads }, claim, reason, receipt)) ?? reason;
  } catch (error) {
    if (!(error instanceof NotNow)) services.log.error('order.not_explained', { orderId: claim.orderId, error });
    return reason;
  }
}
