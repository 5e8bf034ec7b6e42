import { isAddressEqual } from 'viem';
import { z } from 'zod';
import { mayUse } from '../../accounts/actor.ts';
import { DomainError, invalidInput } from '../../core/domain-error.ts';
import { receiverField } from '../../core/fields.ts';
import { wakeLanes } from '../../engine/wake-lanes.ts';
import { laneOf } from '../../engine/wallet-lane.ts';
import { withinLimits } from '../../limits/within-limits.ts';
import { isAborted } from '../../platform/database/errors.ts';
import type { TenantServices } from '../../services.ts';
import {
  certificateRevocationInput,
  draftRevocations,
} from '../certificate-revocation/accept-certificate-revocation.ts';
import { certificateRevocationKind } from '../certificate-revocation/certificate-revocation-kind.ts';
import { unlessUnderWay } from '../equal-orders.store.ts';
import { findEarlier } from '../find-earlier.ts';
import { conflictError, draftOrders, type NamedInput } from '../mint/draft-orders.ts';
import { mintKind } from '../mint/mint-kind.ts';
import { forestalled, knownConflicts } from '../mint/mint-rules.ts';
import type { NewMintingOrder } from '../mint/minting-orders.store.ts';
import { findDocument, insertReissue, type Reissue } from './reissues.store.ts';
import { certificateRevocations, mintingOrders } from '../order-forms.ts';

/** POST /certificates/reissue. */
export const reissueInput = z
  .strictObject({
    ...certificateRevocationInput.shape,
    receiverAddress: receiverField.meta({ description: 'Who gets the certificate; not who holds it' }),
  })
  .meta({ id: 'ReissueCertificate' });

/**
 * Accepts the revocation of a certificate, and the mint that follows once it is confirmed: of the same token id, to
 * another holder. The contracts keep the document of a token id for good and let it be minted again with that one alone:
 * so it is the same certificate, and nothing about it is asked for.
 * @throws {DomainError} as POST /certificates/revoke and POST /minting/order do; `forbidden` for a key that may not
 *   mint; `conflict` if the account has not minted the certificate here.
 */
export async function acceptReissue(
  services: TenantServices,
  { receiverAddress, ...input }: z.output<typeof reissueInput>,
): Promise<Reissue> {
  const { account, actor, clock, db } = services;
  if (!mayUse(actor, { scope: 'mint' })) {
    throw new DomainError('scope_missing', 'This requires an account key with the scopes revoke and mint');
  }
  if (isAddressEqual(receiverAddress, input.from)) {
    throw invalidInput([{ path: 'receiverAddress', message: 'must be another wallet than from' }]);
  }
  const [id, mintId] = [services.newId(), services.newId()];
  const [revocation, mint] = await Promise.all([
    findEarlier(services, certificateRevocations, [certificateRevocationKind], id),
    findEarlier(services, mintingOrders, [mintKind], mintId),
  ]);
  if (revocation !== undefined && mint !== undefined) return { revocation, mint };

  const [document, [draft]] = await Promise.all([
    findDocument(db, input),
    draftRevocations(services, [{ ...input, id }]),
  ]);
  if (draft === undefined || draft instanceof DomainError) throw draft ?? new Error('A revocation had no draft');
  if (document === undefined) throw notMintedHere(input.tokenId);
  const { chainId, contractAddress, tokenId, amount } = input;
  const place = { chainId, contractAddress, tokenId, amount };
  const order = await draftMint(services, { id: mintId, ...place, receiverAddress, ...document });
  const accepted = await withinLimits(services, (accepting) =>
    unlessUnderWay('revokes the same', async () => {
      try {
        return await insertReissue(accepting, account.walletAddress, draft, order, new Date(clock.now()));
      } catch (error) {
        throw isAborted(error, 'metadata_occupied') ? forestalled(order) : error;
      }
    }),
  );
  wakeLanes(services, certificateRevocationKind, [laneOf(chainId, account.walletAddress)]);
  return accepted;
}

/**
 * What POST /minting/order would make of the mint if the certificate was revoked already, and its document free.
 * @throws {DomainError} why it would refuse it.
 */
async function draftMint(services: TenantServices, input: NamedInput): Promise<NewMintingOrder> {
  const [draft] = await draftOrders(services, [input]);
  if (draft === undefined || draft instanceof DomainError) throw draft ?? new Error('A mint had no draft');
  const { order, subjects } = draft;
  const conflict = conflictError(knownConflicts(services, order, { ...subjects, metadata: undefined }));
  if (conflict !== undefined) throw conflict;
  return order;
}

function notMintedHere(tokenId: string): DomainError {
  const message = `The account has not minted certificate ${tokenId} here, so its document is unknown: revoke it, and mint it with POST /minting/order`;
  return new DomainError('conflict', message);
}
