import { isAddressEqual } from 'viem';
import { z } from 'zod';
import { DomainError, invalidInput, notFound } from '../../../core/domain-error.ts';
import { receiverField } from '../../../core/fields.ts';
import { RECORD_ID } from '../../../core/record-id.ts';
import { wakeLanes } from '../../../engine/wake-lanes.ts';
import { laneOf } from '../../../engine/wallet-lane.ts';
import type { Services } from '../../../services.ts';
import { wakeEndpoints } from '../../../webhooks/wake-endpoints.ts';
import { mintKind } from '../mint-kind.ts';
import { areEqual, pinHash, secretHash } from './claim-secret.ts';
import { receiverIssue } from './receiver-code.ts';
import { findLinkedClaim, nameReceiver, type LinkedClaim } from './open-claims.store.ts';

const secretField = z
  .string()
  .max(200)
  .meta({
    description: 'The part of the link after #',
    example: '0'.repeat(64),
  });

export const openInput = z.strictObject({ secret: secretField }).meta({ id: 'OpenClaim' });

/** Stands in for the stored hash of a claim that does not exist, so that the same is computed. */
const NO_HASH = '0'.repeat(64);

/**
 * The claim of a link, for whoever has the link.
 * @throws {DomainError} `not-found` if there is no such claim, or it has another secret: nobody learns which.
 */
export async function openClaim(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  id: string,
  { secret }: z.output<typeof openInput>,
): Promise<LinkedClaim> {
  const [claim, hash] = await Promise.all([
    RECORD_ID.test(id) ? findLinkedClaim(db, id, new Date(clock.now())) : undefined,
    secretHash(secret),
  ]);
  const isRight = areEqual(hash, claim?.secretHash ?? NO_HASH);
  if (claim === undefined || !isRight) throw notFound('Claim');
  return claim;
}

export const receiverInput = z
  .strictObject({
    secret: secretField,
    receiverAddress: receiverField.meta({
      description: 'Who gets the token; neither the zero address nor the contract itself',
    }),
    pin: z.string().max(12).optional().meta({ description: 'If it needs one', example: '4711' }),
  })
  .meta({ id: 'ClaimToken' });

/**
 * Names the receiver of a claim, whose mint follows. Of any number of requests one has an effect; the others for the
 * same receiver get the same reply.
 * @returns the claim after that.
 * @throws {DomainError} as {@link openClaim}; `invalid` if the receiver is the contract, or refuses the token or uses
 *   too much gas to receive it, or without the PIN that it needs; `wrong_pin`; `claim_not_open` if another receiver is
 *   named, or nobody can name one any more.
 */
export async function claimToken(
  services: Services,
  id: string,
  { secret, receiverAddress, pin }: z.output<typeof receiverInput>,
): Promise<LinkedClaim> {
  const claim = await openClaim(services, id, { secret });
  if (claim.status !== 'OPEN') return requireReceiver(claim, receiverAddress);
  const issues = [
    ...(isAddressEqual(receiverAddress, claim.contractAddress)
      ? [{ path: 'receiverAddress', message: 'must not be the contract itself' }]
      : []),
    ...(claim.pinHash !== null && pin === undefined
      ? [{ path: 'pin', message: 'is required', code: 'required' as const }]
      : []),
  ];
  if (issues.length > 0) throw invalidInput(issues);
  // Strangers use up no reads of the account's own.
  const mayRead = await services.isReadWithinLimit(`claims ${claim.corporateAccountId}`);
  const issue = mayRead ? await receiverIssue(services.chains, claim, receiverAddress) : undefined;
  if (issue !== undefined) throw invalidInput([issue]);
  const claimant = { receiverAddress, pinHash: pin === undefined ? null : await pinHash(secret, pin) };
  const now = new Date(services.clock.now());
  const { isNamed, pinsLeft, endpointIds, after } = await nameReceiver(services.db, claim, claimant, now);
  if (!isNamed) {
    if (pinsLeft !== undefined) throw new DomainError('wrong_pin', `The PIN is wrong. Attempts left: ${pinsLeft}`);
    return requireReceiver(after, receiverAddress);
  }
  wakeLanes(services, mintKind, [laneOf(claim.chainId, claim.walletAddress)]);
  wakeEndpoints(services, endpointIds);
  return after;
}

/** Why nobody can name the receiver, by the status. */
const NOT_OPEN = {
  CLAIMED: 'It was claimed for another address',
  CANCELLED: 'Its issuer has cancelled it',
  EXPIRED: 'It has expired',
  BLOCKED: 'It is blocked: too many wrong PINs were sent',
  OPEN: 'It changed at the same time: try again',
} as const satisfies Record<LinkedClaim['status'], string>;

/** @throws {DomainError} `claim_not_open` unless the claim is claimed for this receiver. */
function requireReceiver(claim: LinkedClaim, receiverAddress: LinkedClaim['receiverAddress']): LinkedClaim {
  if (claim.status === 'CLAIMED' && isAddressEqual(claim.receiverAddress, receiverAddress)) return claim;
  throw new DomainError('claim_not_open', NOT_OPEN[claim.status]);
}
