import type { Hex } from 'viem';
import { z } from 'zod';
import { relayerOf } from '../../accounts/account.ts';
import { requireAllowedChain } from '../../chains/allowed-chain.ts';
import { wakeLanes } from '../../engine/wake-lanes.ts';
import { withinLimits } from '../../engine/within-limits.ts';
import { laneOf } from '../../engine/wallet-lane.ts';
import { encodeTransfer } from './transfer-call.ts';
import { isUniqueViolation } from '../../platform/database/errors.ts';
import { hasEndedInVain } from '../../core/order-status.ts';
import { invalidInput } from '../../core/domain-error.ts';
import type { TenantServices } from '../../services.ts';
import { checkForwarding } from '../../relay/check-forwarding.ts';
import { checkHolding } from './check-holding.ts';
import { draftTransfer, signedTransferFields, transferPurpose } from './draft-transfer.ts';
import { withDeadline } from '../../relay/deadline.ts';
import { forwarderNonceField, signatureField } from '../../relay/forward-fields.ts';
import { NONCE_TAKEN } from '../../relay/forward-requests.store.ts';
import { isSameRequest } from '../../relay/is-same-request.ts';
import { transferKind } from './transfer-kind.ts';
import { ID_TAKEN, findSignedTransfer, insertTransfer } from './transfers.store.ts';
import type { TransferOrder } from './transfers.store.ts';

/** Specification, POST /transfer/execute. */
export const transferInput = z
  .object({
    ...transferPurpose,
    ...signedTransferFields,
    signature: signatureField,
    forwarderNonce: forwarderNonceField.optional(),
  })
  .meta({ id: 'ExecuteTransfer' });

type ExecuteInput = z.output<typeof transferInput>;

/** An accepted order, and whether this request created it. */
export interface AcceptedTransfer {
  readonly order: TransferOrder;
  readonly isNew: boolean;
}

/**
 * Accepts a transfer that its holder signed: stores the order as PENDING and wakes its lane, after checking everything
 * that can be checked.
 *
 * Posting the same signed request again returns the same order in its current state, so that a caller can retry after a
 * broken connection. Once that order has FAILED, or is CANCELLED the request counts as a new one: if nothing was sent its nonce is still
 * free, otherwise the nonce is stale.
 * @throws {DomainError} `invalid` with every issue; `upstream` if the chain does not answer.
 */
export async function acceptTransfer(services: TenantServices, input: ExecuteInput): Promise<AcceptedTransfer> {
  const { db, account, chains, clock, newId } = services;
  const chain = requireAllowedChain(chains, input.chainId);
  const { issues: draftIssues, transfer } = await draftTransfer(services, input);
  const data = transfer && withDeadline(encodeTransfer(transfer), input.deadline);
  const [{ issues, request }, holdingIssues] = await Promise.all([
    checkForwarding(services, chain, input, data),
    transfer === undefined ? [] : checkHolding(chain, transfer),
  ]);
  const id = newId();
  if (issues.length > 0 || holdingIssues.length > 0 || draftIssues.length > 0) {
    const earlier = draftIssues.length === 0 ? await findEarlier(services, input, data, id) : undefined;
    if (earlier !== undefined) return earlier;
    const noContract = issues.some(({ path }) => path === 'contractAddress');
    throw invalidInput([...draftIssues, ...issues, ...(noContract ? [] : holdingIssues)]);
  }
  if (transfer === undefined || request === undefined) throw new Error('A transfer without issues has a request');

  const now = new Date(clock.now());
  let order: TransferOrder;
  try {
    const values = { id, chainId: chain.id, ...transfer, status: 'PENDING' as const, createdAt: now, updatedAt: now };
    order = await withinLimits(services, () => insertTransfer(db, transferKind, relayerOf(account), values, request));
  } catch (error) {
    if (!isUniqueViolation(error, NONCE_TAKEN) && !isUniqueViolation(error, ID_TAKEN)) throw error;
    // A concurrent request was faster: the same one, or one that uses the nonce.
    return (await findEarlier(services, input, data, id)) ?? (await acceptTransfer(services, input));
  }
  await wakeLanes(services, transferKind, [laneOf(chain.id, relayerOf(account))]);
  return { order, isNew: true };
}

/** The existing order of the same request, unless it FAILED or was CANCELLED: then the request may be tried again. */
async function findEarlier(
  services: TenantServices,
  input: ExecuteInput,
  data: Hex | undefined,
  id: string,
): Promise<AcceptedTransfer | undefined> {
  const found = await findSignedTransfer(services.db, input.signature);
  if (found === undefined || !isSameRequest(found.request, input, data)) return undefined;
  const { order } = found;
  // A crashed attempt with the same Idempotency-Key has the same id.
  if (hasEndedInVain(order.status) && order.id !== id) return undefined;
  if (order.status === 'PENDING') {
    await wakeLanes(services, transferKind, [laneOf(order.chainId, relayerOf(services.account))]);
  }
  return { order, isNew: false };
}
