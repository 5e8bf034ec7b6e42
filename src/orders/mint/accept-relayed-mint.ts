import { z } from 'zod';
import { relayerOf } from '../../accounts/account.ts';
import { invalidInput } from '../../core/domain-error.ts';
import { endedWithoutEffect } from '../../platform/database/vocabulary/order-status.ts';
import { orderOf } from '../../engine/order-row.store.ts';
import { ID_TAKEN } from '../../engine/transactions.store.ts';
import { wakeLanes } from '../../engine/wake-lanes.ts';
import { laneOf } from '../../engine/wallet-lane.ts';
import { withinLimits } from '../../limits/within-limits.ts';
import { runBatch } from '../../platform/database/client.ts';
import { isAborted, isUniqueViolation } from '../../platform/database/errors.ts';
import { chainlessIssues, checkForwarding } from '../../relay/check-forwarding.ts';
import { withDeadline } from '../../relay/deadline.ts';
import { refuseStillEarly, rememberEarly } from '../../relay/early-requests.ts';
import { signatureField } from '../../relay/forward-fields.ts';
import { NONCE_TAKEN } from '../../relay/forward-requests.store.ts';
import { isSameRequest } from '../../relay/is-same-request.ts';
import type { SignedRow } from '../../relay/accept-holder-request.ts';
import { relayRecords, selectRelayRecords } from '../../relay/relay-records.store.ts';
import { nonceUsed } from '../../relay/signer-state.ts';
import type { TenantServices } from '../../services.ts';
import { findEarlier } from '../find-earlier.ts';
import { selectSigned } from '../signed-orders.store.ts';
import { certificateIn, findConflict } from './draft-orders.ts';
import { encodeMint } from './mint-call.ts';
import { forestalled } from './mint-rules.ts';
import type { MintingOrder } from './minting-orders.store.ts';
import { chainOfMint, draftingRelay, relayFields, type RelayDraft } from './prepare-mint.ts';
import { relayMintKind } from './relay-mint-kind.ts';
import { insertRelayedOrder, METADATA_TAKEN } from './relayed-orders.store.ts';
import { mintingOrders } from '../order-forms.ts';

/** Specification, POST /minting/relay. */
export const relayInput = z.strictObject({ ...relayFields, signature: signatureField }).meta({ id: 'RelayMint' });

type RelayInput = z.output<typeof relayInput>;

/** An accepted order, and whether this request created it. */
interface Accepted {
  readonly order: MintingOrder;
  readonly isNew: boolean;
}

/**
 * Accepts a signed mint: stores the order as PENDING and wakes its lane. Whether the signer may mint is decided by the
 * contract when the order is executed.
 *
 * Posting the same signed request again returns the same order, as with transfers, and costs one query.
 * @throws {DomainError} as POST /minting/order does; `invalid` with every issue of the signed request; `upstream` if
 *   the chain does not answer.
 */
export async function acceptRelayedMint(services: TenantServices, input: RelayInput): Promise<Accepted> {
  const { db, account } = services;
  const id = services.newId();
  const stored = await findEarlier(services, mintingOrders, [relayMintKind], id, relayerOf(account));
  if (stored !== undefined) return { order: stored, isNew: false };

  const chain = await chainOfMint(services, input, () => chainlessIssues(services, input));
  await refuseStillEarly(services, chain, input);
  const find = () => selectSigned(db, mintingOrders, [relayMintKind], input.signature);
  const { statement, draft } = draftingRelay(services, { ...input, id });
  const { signed, relayed, found } = await runBatch(db, {
    signed: find(),
    relayed: selectRelayRecords(db, input),
    found: statement,
  });
  const known = earlierOf(services, input, signed);
  if (known !== undefined) return known;
  const { issues: draftIssues, relay } = await draft(found);
  const call = relay && withDeadline(relay.call, input.deadline);
  const [conflict, { issues, request, early }] = await Promise.all([
    // First in the batch: the height, which comes with the forwarding, must not be below what is read here.
    relay && findConflict(services, relay.draft),
    checkForwarding(services, chain, input, call, relayRecords(relayed)),
  ]);
  if (relay === undefined) throw invalidInput([...draftIssues, ...issues]);
  if (request === undefined || conflict !== undefined) {
    const earlier = earlierOf(services, input, await find(), relay);
    if (earlier !== undefined) return earlier;
    if (early !== undefined) rememberEarly(services, input, early);
    throw request === undefined ? invalidInput(issues) : conflict;
  }

  let order: MintingOrder;
  try {
    order = await withinLimits(services, (accepting) =>
      insertRelayedOrder(accepting, relayMintKind, relayerOf(account), relay.draft.order, request),
    );
  } catch (error) {
    const isOccupied = isUniqueViolation(error, METADATA_TAKEN) || isAborted(error, 'metadata_occupied');
    const isUsed = isAborted(error, 'nonce_used');
    const isTaken = isUniqueViolation(error, NONCE_TAKEN) || isUniqueViolation(error, ID_TAKEN);
    if (!isOccupied && !isUsed && !isTaken) throw error;
    // A concurrent request was faster: the same one, or one that uses the metadata or the nonce.
    const earlier = earlierOf(services, input, await find(), relay);
    if (earlier !== undefined) return earlier;
    if (isOccupied) throw forestalled(relay.draft.order);
    if (isUsed) throw nonceUsed(BigInt(request.nonce));
    return await acceptRelayedMint(services, input);
  }
  wakeLanes(services, relayMintKind, [laneOf(order.chainId, relayerOf(account))]);
  return { order, isNew: true };
}

/** The existing order of the same request, unless it FAILED or was CANCELLED: then the request may be tried again. */
function earlierOf(
  services: TenantServices,
  input: RelayInput,
  [found]: readonly SignedRow[],
  relay?: RelayDraft,
): Accepted | undefined {
  if (found === undefined) return undefined;
  const { request } = found;
  const order = orderOf(mintingOrders, found.order);
  const amount = input.amount ?? 1;
  if (order.metadataId !== input.metadataId || amount !== order.amount) return undefined;
  const { contractAddress, receiverAddress, tokenId } = input;
  // A standard contract's mint has neither of these, whatever the body says.
  const { tokenUri, metadataHash } = order.metadataHash === null ? order : certificateIn(input);
  const { ercStandard } = order;
  const call = encodeMint({ contractAddress, ercStandard, receiverAddress, tokenId, amount, tokenUri, metadataHash });
  if (!isSameRequest(request, input, call)) return undefined;
  // A crashed attempt with the same Idempotency-Key has the same id.
  if (endedWithoutEffect(order.status) && order.id !== relay?.draft.order.id) return undefined;
  if (order.status === 'PENDING') {
    wakeLanes(services, relayMintKind, [laneOf(order.chainId, relayerOf(services.account))]);
  }
  return { order, isNew: false };
}
