import type { KindContext, Receipt } from '../engine/order-kind.ts';
import { NotNow } from '../engine/order-kind.ts';
import { innerReason } from './check-relay.ts';
import { encodeInnerCall, executionReport } from './forward-request.ts';
import { signedRequestOf } from './forward-requests.store.ts';
import type { Relayed } from './forward-requests.store.ts';

const MISSING = 'The transaction was mined, but its logs do not have the Transfer that was ordered';

/** Why a mined call of the forwarder does not show what its request asks for, by its logs. */
export function failureOfRelay(order: Relayed, { logs }: Receipt): string {
  const { forwarder, request } = signedRequestOf(order);
  const report = executionReport(forwarder, request, logs);
  if (report === undefined) return MISSING;
  return report.success
    ? `${MISSING}, although the contract reports no failure`
    : `${MISSING}: reverted: ${innerReason(report.returndata, request.gas)}`;
}

/**
 * The same with the reason that the contract gives when it is asked again, for forwarders that report nothing.
 * @param reason What is known of it already.
 */
export async function explainRelay(
  { reads }: Pick<KindContext, 'reads'>,
  order: Relayed,
  reason: string,
  receipt: Receipt | undefined,
): Promise<string> {
  if (receipt === undefined || receipt.status === 'reverted') return reason;
  const { forwarder, request } = signedRequestOf(order);
  if (executionReport(forwarder, request, receipt.logs) !== undefined) return reason;
  try {
    const call = { from: forwarder.address, to: request.to, data: encodeInnerCall(request), gas: request.gas };
    const result = await reads.call(call);
    if (!('reverted' in result)) return reason;
    return `${reason}: reverted: ${result.reason ?? innerReason('0x', request.gas)}`;
  } catch (error) {
    if (error instanceof NotNow) return reason;
    throw error;
  }
}
