import { isAddressEqual, type Hex } from 'viem';
import { z } from 'zod';
import { relayerOf } from '../../accounts/account.ts';
import { requireAllowedChain } from '../../chains/allowed-chain.ts';
import { DomainError, invalidInput, type InputIssue } from '../../core/domain-error.ts';
import { lowerCase } from '../../core/lower-case.ts';
import { endedWithoutEffect } from '../../platform/database/vocabulary/order-status.ts';
import { newRecord } from '../../core/record-id.ts';
import { orderOf } from '../../engine/order-row.store.ts';
import { ID_TAKEN } from '../../engine/transactions.store.ts';
import { wakeLanes } from '../../engine/wake-lanes.ts';
import { laneOf } from '../../engine/wallet-lane.ts';
import { withinLimits } from '../../limits/within-limits.ts';
import { runBatch } from '../../platform/database/client.ts';
import { isAborted, isUniqueViolation } from '../../platform/database/errors.ts';
import type { AcceptedOrder, SignedRow } from '../../relay/accept-holder-request.ts';
import { signatureIssue } from '../../relay/check-forwarding.ts';
import { signatureField } from '../../relay/forward-fields.ts';
import { recoverSigner } from '../../relay/forward-request.ts';
import { NONCE_TAKEN, type NewForwardRequest } from '../../relay/forward-requests.store.ts';
import { isSameRequest } from '../../relay/is-same-request.ts';
import { relayRecords, selectRelayRecords } from '../../relay/relay-records.store.ts';
import { nonceUsed } from '../../relay/signer-state.ts';
import type { TenantServices } from '../../services.ts';
import { findEarlier } from '../find-earlier.ts';
import { insertSigned, selectSigned } from '../signed-orders.store.ts';
import { draftRevocation, givenUpFields, revocationFields, type Revocation } from './prepare-revocation.ts';
import { REVOCATION_GAS, revocationKind } from './revocation-kind.ts';
import { transferKind, type TransferOrder } from './transfer-kind.ts';
import { transferOrders } from '../order-forms.ts';

/** POST /transfer/execute with `purpose` cancel. */
export const revocationInput = z.strictObject({ ...revocationFields, ...givenUpFields, signature: signatureField });

type RevocationInput = z.output<typeof revocationInput>;

/**
 * Accepts a signed request that only uses up its signer's nonce, as an order. Posting it again returns the same order,
 * as for a transfer. Orders whose requests have the same nonce and are unsigned wait for it, and fail when it is mined.
 * @throws {DomainError} `invalid` with every issue; `conflict` if the nonce is being used up already; `upstream` if the
 *   chain does not answer.
 */
export async function acceptRevocation(
  services: TenantServices,
  input: RevocationInput,
): Promise<AcceptedOrder<TransferOrder>> {
  const { db, account, chains } = services;
  const { id, now } = newRecord(services);
  const stored = await findEarlier(services, transferOrders, [revocationKind, transferKind], id, relayerOf(account));
  if (stored !== undefined) return { order: stored, isNew: false };

  const chain = requireAllowedChain(chains, input.chainId);
  const find = () => selectSigned(db, transferOrders, [transferKind, revocationKind], input.signature);
  const { found, relayed } = await runBatch(db, { found: find(), relayed: selectRelayRecords(db, input) });
  const known = earlierOf(services, input, id, found);
  if (known !== undefined) return known;
  const { issues, revocation } = await draftRevocation(services, chain, input, relayRecords(relayed));
  const forged = revocation && (await signatureIssues(chain.id, revocation, input.signature));
  if (revocation === undefined || forged === undefined || forged.length > 0) {
    const earlier = earlierOf(services, input, id, await find());
    if (earlier !== undefined) return earlier;
    throw invalidInput([...issues, ...(forged ?? [])]);
  }
  const { contractAddress, from } = input;
  const values = { id, chainId: chain.id, contractAddress, from, createdAt: now };
  let order: TransferOrder;
  try {
    order = await withinLimits(services, (accepting) =>
      insertSigned(
        accepting,
        transferOrders,
        revocationKind,
        relayerOf(account),
        values,
        storedRequest(chain.id, revocation, input),
      ),
    );
  } catch (error) {
    const isUsed = isAborted(error, 'nonce_used');
    if (!isUsed && !isUniqueViolation(error, NONCE_TAKEN) && !isUniqueViolation(error, ID_TAKEN)) throw error;
    const earlier = earlierOf(services, input, id, await find());
    if (earlier !== undefined) return earlier;
    if (isUsed) throw nonceUsed(revocation.request.nonce);
    throw new DomainError('conflict', `Nonce ${revocation.request.nonce} of the signer is already being used up`);
  }
  wakeLanes(services, revocationKind, [laneOf(chain.id, relayerOf(account))]);
  return { order, isNew: true };
}

async function signatureIssues(
  chainId: string,
  { forwarder, request }: Revocation,
  signature: Hex,
): Promise<InputIssue[]> {
  const signedFor = { chainId, address: forwarder };
  const signer = await recoverSigner(signedFor, request, signature);
  return signer !== undefined && isAddressEqual(signer, request.from) ? [] : [signatureIssue(signedFor, request)];
}

function storedRequest(
  chainId: string,
  { forwarder, request: { from, to, nonce, data }, readAtBlock }: Revocation,
  { signature }: RevocationInput,
): NewForwardRequest {
  return {
    chainId,
    purpose: 'cancel',
    forwarderAddress: lowerCase(forwarder),
    signerAddress: lowerCase(from),
    nonce: nonce.toString(),
    contractAddress: lowerCase(to),
    gasLimit: REVOCATION_GAS,
    data,
    signature,
    deadline: null,
    readAtBlock,
  };
}

/** The existing order of the same request, unless it FAILED or was CANCELLED: then the request may be tried again. */
function earlierOf(
  services: TenantServices,
  input: RevocationInput,
  id: string,
  [found]: readonly SignedRow[],
): AcceptedOrder<TransferOrder> | undefined {
  if (found === undefined || found.request.purpose !== 'cancel') return undefined;
  const { request } = found;
  const order = orderOf(transferOrders, found.order);
  const { contractAddress, gasLimit } = request;
  const signed = { ...input, contractAddress, gasLimit, deadline: undefined };
  if (order.contractAddress !== input.contractAddress || !isSameRequest(request, signed, request.data))
    return undefined;
  // A crashed attempt with the same Idempotency-Key has the same id.
  if (endedWithoutEffect(order.status) && order.id !== id) return undefined;
  if (order.status === 'PENDING') {
    wakeLanes(services, revocationKind, [laneOf(order.chainId, relayerOf(services.account))]);
  }
  return { order, isNew: false };
}
