import { z } from 'zod';
import { instantField, recordIdField } from '../../../core/fields.ts';
import { ORDER_STATUS_MEANING, ORDER_STATUSES } from '../../../platform/database/vocabulary/order-status.ts';
import {
  addressReply,
  chainIdReply,
  contractAddressReply,
  tokenIdReply,
  txHashReply,
} from '../../../core/reply-fields.ts';
import { confirmedIssuer } from '../../../accounts/confirmed-issuer.ts';
import { hasPublishedCode } from '../../../catalog/contracts/creation-call.ts';
import { CLAIM_STATUSES, type Claim } from './claims.store.ts';
import type { LinkedClaim } from './open-claims.store.ts';

/** What the account and the holder of the link see alike. */
const commonFields = {
  id: recordIdField.meta({ description: 'Id of the claim, and of its minting order' }),
  status: z.enum(CLAIM_STATUSES).meta({
    description:
      'OPEN: anyone with the link can name the receiver. CLAIMED: it was named; see orderStatus. CANCELLED: it was cancelled first. EXPIRED: nobody named it in time. BLOCKED: too many wrong PINs were sent',
  }),
  chainId: chainIdReply,
  contractAddress: contractAddressReply,
  tokenId: tokenIdReply,
  amount: z.int().meta({ description: 'Number of tokens; 1 for ERC-721', example: 1 }),
  expiresAt: instantField.meta({ description: 'When it expires, UTC' }),
  receiverAddress: addressReply.nullable().meta({ description: 'Who gets the token; null until it is claimed' }),
  orderStatus: z
    .enum(ORDER_STATUSES)
    .nullable()
    .meta({ description: `State of the mint; null until it is claimed. ${ORDER_STATUS_MEANING}` }),
  txHash: txHashReply.nullable(),
};

function commonReply(claim: Claim | LinkedClaim) {
  const { id, status, chainId, contractAddress, tokenId, amount, expiresAt, claimedAt } = claim;
  const isClaimed = claimedAt !== null;
  return {
    id,
    status,
    chainId,
    contractAddress,
    tokenId,
    amount,
    expiresAt: expiresAt.toISOString(),
    receiverAddress: isClaimed ? claim.receiverAddress : null,
    orderStatus: isClaimed ? claim.orderStatus : null,
    txHash: isClaimed ? claim.txHash : null,
  };
}

export const claimReplySchema = z
  .object({
    ...commonFields,
    metadataId: recordIdField.meta({ description: "Id of the token's metadata" }),
    hasPin: z.boolean().meta({ description: 'Whether a PIN is needed' }),
    pinFailures: z.int().meta({ description: 'How many wrong PINs were sent; ten block the claim', example: 0 }),
    claimedAt: instantField.nullable().meta({ description: 'When the receiver was named, UTC; null until then' }),
    createdAt: instantField.meta({ description: 'When it was accepted, UTC' }),
  })
  .meta({ id: 'Claim' });

export function claimReply(claim: Claim): z.output<typeof claimReplySchema> {
  const { metadataId, hasPin, pinFailures, claimedAt, createdAt } = claim;
  return {
    ...commonReply(claim),
    metadataId,
    hasPin,
    pinFailures,
    claimedAt: claimedAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
  };
}

/** The reply to the request that makes a claim: the only one with its link. */
export const newClaimReplySchema = claimReplySchema
  .extend({
    url: z
      .string()
      .nullable()
      .meta({
        description:
          'The link for the holder. Only this reply has it: null if an earlier attempt made the claim, and its reply is not stored',
        example: `https://nft.example.com/claim/0190f3c1a2b4d5e6f7a8b9c0#${'0'.repeat(64)}`,
      }),
  })
  .meta({ id: 'NewClaim' });

const { name, logoUrl, domain } = confirmedIssuer.shape;

/** What whoever has the link sees. */
export const linkedClaimSchema = z
  .object({
    ...commonFields,
    issuer: z.object({ name, logoUrl, domain }).nullable().meta({
      description:
        'Who issues it, as confirmed by the operator; null if not confirmed, or if the contract is not known to have published code',
    }),
    walletAddress: addressReply.meta({ description: 'The wallet that mints it' }),
    contractName: z.string().nullable().meta({ description: 'Name of the contract', example: 'Opening night' }),
    ercStandard: z.enum(['721', '1155']).meta({ description: 'Kind of token' }),
    isCertificate: z.boolean().meta({ description: 'Whether it can never be transferred' }),
    name: z.string().meta({ description: 'Of the token', example: 'Ticket 17' }),
    description: z.string().nullable().meta({ description: 'Of the token', example: 'Row 3' }),
    imageUrl: z.string().meta({ description: 'Of the token', example: 'https://example.com/17.png' }),
    needsPin: z.boolean().meta({ description: 'Whether a PIN is needed to claim it' }),
  })
  .meta({ id: 'LinkedClaim' });

export function linkedClaimReply(claim: LinkedClaim): z.output<typeof linkedClaimSchema> {
  const { document, walletAddress, contractName, ercStandard, contractType, pinHash, status } = claim;
  return {
    ...commonReply(claim),
    issuer: issuerOf(claim),
    walletAddress,
    contractName,
    ercStandard,
    isCertificate: contractType === 'certificate',
    name: document.name,
    description: document.description ?? null,
    imageUrl: document.image,
    needsPin: pinHash !== null && status === 'OPEN',
  };
}

function issuerOf({ issuerName, issuerLogoUrl, issuerDomain, issuerConfirmedAt, ...creation }: LinkedClaim) {
  if (issuerName === null || issuerLogoUrl === null || issuerDomain === null || issuerConfirmedAt === null) return null;
  if (!hasPublishedCode(creation)) return null;
  return { name: issuerName, logoUrl: issuerLogoUrl, domain: issuerDomain };
}
