import { DomainError } from '../../../core/domain-error.ts';
import { carryOutCancel } from '../../cancel-order.ts';
import { hasEnded } from '../../../engine/job.ts';
import { requestCancel } from '../../request-cancel.store.ts';
import type { TenantServices } from '../../../services.ts';
import { mintKind } from '../mint-kind.ts';
import { withdrawClaim, type Claim } from './claims.store.ts';
import { getClaim } from './read-claims.ts';

/**
 * Cancels a claim whose receiver is not named, and its minting order with it: token and metadata are free again.
 * @returns the claim after that.
 * @throws {DomainError} `not-found`; `forbidden` if the key is not for its chain; `conflict` if it is claimed,
 *   cancelled or expired.
 */
export async function cancelClaim(services: TenantServices, id: string): Promise<Claim> {
  const { db, clock, isRetry } = services;
  await getClaim(services, id);
  const isWithdrawn = await withdrawClaim(db, id, new Date(clock.now()));
  const claim = await getClaim(services, id);
  if (!isWithdrawn && !(isRetry && claim.status === 'CANCELLED')) {
    throw new DomainError('conflict', `The claim is ${claim.status}`);
  }
  // The cleanup job finds an order that is due, if this is not reached.
  const job = (await requestCancel(db, [mintKind], id, null))?.job;
  if (job !== undefined && !hasEnded(job)) await carryOutCancel(services, job);
  return claim;
}
