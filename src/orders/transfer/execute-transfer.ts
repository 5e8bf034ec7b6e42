import type { Hex } from 'viem';
import { z } from 'zod';
import { requireAllowedChain } from '../../chains/allowed-chain.ts';
import { wakeLanes } from '../../engine/wake-lanes.ts';
import { laneOf } from '../../engine/wallet-lane.ts';
import { encodeTransfer } from './transfer-call.ts';
import { isUniqueViolation } from '../../platform/database/errors.ts';
import { hasEndedInVain } from '../../core/order-status.ts';
import { invalidInput } from '../../core/domain-error.ts';
import type { TenantServices } from '../../services.ts';
import { checkForwarding } from '../../relay/check-forwarding.ts';
import { checkHolding } from './check-holding.ts';
import { draftTransfer, transferFields } from './draft-transfer.ts';
import { forwarderNonceField, signatureField } from '../../relay/forward-fields.ts';
import { NONCE_TAKEN } from '../../relay/forward-requests.store.ts';
import { isSameRequest } from '../../relay/is-same-request.ts';
import { transferKind } from './transfer-kind.ts';
import { ID_TAKEN, findSignedTransfer, insertTransfer } from './transfers.store.ts';
import type { TransferOrder } from './transfers.store.ts';

/** Specification, POST /transfer/execute. */
export const transferInput = z
  .object({ ...transferFields, signature: signatureField, forwarderNonce: forwarderNonceField.optional() })
  .meta({ id: 'ExecuteTransfer' });

type ExecuteInput = z.output<typeof transferInput>;

/** An accepted order, and whether this request made it. */
interface Accepted {
  readonly order: TransferOrder;
  readonly isNew: boolean;
}

/**
 * Accepts a transfer that its holder signed: stores the order, PENDING, and wakes its lane. Everything that can be known
 * is checked before.
 *
 * The same signed request posted again is the same order, whatever has become of it meanwhile: a caller whose connection
 * broke asks again and gets what it asked for. Once that order has FAILED or is CANCELLED the request is looked at as a new one: where
 * nothing was sent its nonce is free and it may be tried again, and where it was used up the nonce is stale.
 * @throws {DomainError} `invalid` with every fault; `upstream` when the chain does not answer.
 */
export async function executeTransfer(services: TenantServices, input: ExecuteInput): Promise<Accepted> {
  const { db, account, chains, clock, newId } = services;
  const chain = requireAllowedChain(chains, input.chainId);
  const { faults: draftFaults, move } = await draftTransfer(services, input);
  const data = move && encodeTransfer(move);
  const [{ faults, request }, holdingFaults] = await Promise.all([
    checkForwarding(services, chain, input, data),
    move === undefined ? [] : checkHolding(chain, move),
  ]);
  const id = newId();
  if (faults.length > 0 || holdingFaults.length > 0 || draftFaults.length > 0) {
    const earlier = draftFaults.length === 0 ? await findEarlier(services, input, data, id) : undefined;
    if (earlier !== undefined) return earlier;
    const noContract = faults.some(({ path }) => path === 'contractAddress');
    throw invalidInput([...draftFaults, ...faults, ...(noContract ? [] : holdingFaults)]);
  }
  if (move === undefined || request === undefined) throw new Error('A transfer without faults has its request');

  const now = new Date(clock.now());
  let order: TransferOrder;
  try {
    order = await insertTransfer(
      db,
      transferKind,
      account.walletAddress,
      { id, chainId: chain.id, ...move, status: 'PENDING', createdAt: now, updatedAt: now },
      request,
    );
  } catch (error) {
    if (!isUniqueViolation(error, NONCE_TAKEN) && !isUniqueViolation(error, ID_TAKEN)) throw error;
    // Another request was faster: this very one, or one that has the nonce now.
    return (await findEarlier(services, input, data, id)) ?? (await executeTransfer(services, input));
  }
  await wakeLanes(services, transferKind, [laneOf(chain.id, account.walletAddress)]);
  return { order, isNew: true };
}

/** The order that this very request has already; none where that order FAILED or was CANCELLED, so that it may be tried again. */
async function findEarlier(
  services: TenantServices,
  input: ExecuteInput,
  data: Hex | undefined,
  id: string,
): Promise<Accepted | undefined> {
  const found = await findSignedTransfer(services.db, input.signature);
  if (found === undefined || !isSameRequest(found.request, input, data)) return undefined;
  const { order } = found;
  // A try with the same Idempotency-Key that died has the same id.
  if (hasEndedInVain(order.status) && order.id !== id) return undefined;
  if (order.status === 'PENDING') {
    await wakeLanes(services, transferKind, [laneOf(order.chainId, services.account.walletAddress)]);
  }
  return { order, isNew: false };
}
