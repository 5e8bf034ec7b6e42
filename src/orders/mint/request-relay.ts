import { z } from 'zod';
import { requireAllowedChain } from '../../chains/allowed-chain.ts';
import { wakeLanes } from '../../engine/wake-lanes.ts';
import { laneOf } from '../../engine/wallet-lane.ts';
import { isGuardFailure, isUniqueViolation } from '../../platform/database/errors.ts';
import { DomainError, invalidInput } from '../../core/domain-error.ts';
import { hasEndedInVain } from '../../core/order-status.ts';
import type { TenantServices } from '../../services.ts';
import { checkForwarding } from '../../relay/check-forwarding.ts';
import { signatureField } from '../../relay/forward-fields.ts';
import { NONCE_TAKEN } from '../../relay/forward-requests.store.ts';
import { isSameRequest } from '../../relay/is-same-request.ts';
import { conflictOf } from './draft-orders.ts';
import { draftRelay, relayFields } from './draft-relay.ts';
import type { RelayDraft } from './draft-relay.ts';
import { OCCUPIED } from './mint-rules.ts';
import type { MintingOrder } from './minting-orders.store.ts';
import { relayMintKind } from './relay-mint-kind.ts';
import { ID_TAKEN, METADATA_TAKEN, findSignedMint, insertRelayedOrder } from './relayed-orders.store.ts';

/** Specification, POST /minting/relay. */
export const relayInput = z.object({ ...relayFields, signature: signatureField }).meta({ id: 'RelayMint' });

type RelayInput = z.output<typeof relayInput>;

/** An accepted order, and whether this request made it. */
interface Accepted {
  readonly order: MintingOrder;
  readonly isNew: boolean;
}

/**
 * Accepts a mint that someone signed for: stores the order, PENDING, and wakes its lane. Whether the signer may mint is the
 * contract's to say, when the order is carried out.
 *
 * The same signed request posted again is the same order, as with transfers.
 * @throws {DomainError} as POST /minting/order does; `invalid` with every fault of the signed request; `upstream` when
 *   the chain does not answer.
 */
export async function requestRelay(services: TenantServices, input: RelayInput): Promise<Accepted> {
  const { db, chains, account } = services;
  const chain = requireAllowedChain(chains, input.chainId);
  const { faults: draftFaults, relay } = await draftRelay(services, input);
  const { faults, request } = await checkForwarding(services, chain, input, relay?.data);
  if (relay === undefined) throw invalidInput([...draftFaults, ...faults]);
  const conflict = request && (await conflictOf(services, relay.draft));
  if (request === undefined || conflict !== undefined) {
    const earlier = await findEarlier(services, input, relay);
    if (earlier !== undefined) return earlier;
    throw conflict ?? invalidInput(faults);
  }

  let order: MintingOrder;
  try {
    order = await insertRelayedOrder(db, relayMintKind, account.walletAddress, relay.draft.order, request);
  } catch (error) {
    const isOccupied = isUniqueViolation(error, METADATA_TAKEN) || isGuardFailure(error);
    if (!isOccupied && !isUniqueViolation(error, NONCE_TAKEN) && !isUniqueViolation(error, ID_TAKEN)) throw error;
    // Another request was faster: this very one, or one that has the metadata or the nonce now.
    const earlier = await findEarlier(services, input, relay);
    if (earlier !== undefined) return earlier;
    if (isOccupied) throw new DomainError('conflict', OCCUPIED);
    return await requestRelay(services, input);
  }
  await wakeLanes(services, relayMintKind, [laneOf(order.chainId, account.walletAddress)]);
  return { order, isNew: true };
}

/** The order that this very request has already; none where that order FAILED or was CANCELLED, so that it may be tried again. */
async function findEarlier(
  services: TenantServices,
  input: RelayInput,
  { draft: { order: draft }, data }: RelayDraft,
): Promise<Accepted | undefined> {
  const found = await findSignedMint(services.db, input.signature);
  if (found === undefined || !isSameRequest(found.request, input, data)) return undefined;
  const { order } = found;
  if (order.metadataId !== input.metadataId) return undefined;
  // A try with the same Idempotency-Key that died has the same id.
  if (hasEndedInVain(order.status) && order.id !== draft.id) return undefined;
  if (order.status === 'PENDING') {
    await wakeLanes(services, relayMintKind, [laneOf(order.chainId, services.account.walletAddress)]);
  }
  return { order, isNew: false };
}
