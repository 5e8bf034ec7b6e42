import type { Receipt } from '../chains/rpc-values.ts';
import type { KindContext } from '../engine/order-kind.ts';
import { NotNow } from '../engine/order-kind.ts';
import { innerReason } from './check-relay.ts';
import { encodeInnerCall, executionReport } from './forward-request.ts';
import { signedRequestOf } from './forward-requests.store.ts';
import type { Relayed } from './forward-requests.store.ts';

const MISSING = 'The transaction was mined, but its logs do not contain the ordered Transfer';

/** Why a mined forwarder call lacks the requested effect, from its logs. */
export function failureOfRelay(order: Relayed, { logs }: Receipt): string {
  const { forwarder, request } = signedRequestOf(order);
  const report = executionReport(forwarder, request, logs);
  if (report === undefined) return MISSING;
  return report.success
    ? `${MISSING}, although the contract reports no failure`
    : `${MISSING}: reverted: ${innerReason(report.returndata, request.gas)}`;
}

/**
 * Adds the contract's revert reason by replaying the inner call, for forwarders that do not report it.
 * @param reason The reason so far.
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
