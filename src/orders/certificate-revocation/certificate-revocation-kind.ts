import { shownAs } from '../shown-as.ts';
import { defineOrder } from '../define-order.ts';
import type { Claim } from '../../engine/order-kind.ts';
import { laneName, laneOf } from '../../engine/wallet-lane.ts';
import { encodeFunctionData, zeroAddress, type Hex } from 'viem';
import { z } from 'zod';
import { certificate1155 } from '../../../contracts/artifacts/Certificate1155.ts';
import { certificate721 } from '../../../contracts/artifacts/Certificate721.ts';
import { hasTransferLog, type Holding } from '../../chains/token-transfer.ts';
import { recordIdField } from '../../core/fields.ts';
import { ORDER_STATUS_MEANING, ORDER_STATUSES } from '../../platform/database/vocabulary/order-status.ts';
import {
  addressReply,
  chainIdReply,
  contractAddressReply,
  gasUsedReply,
  tokenIdReply,
  txHashReply,
} from '../../core/reply-fields.ts';
import { resultFields, resultReply } from '../../engine/order-result.ts';
import { updateFollowers } from '../following-orders.store.ts';
import type { OrderOf } from '../stored-orders.ts';
import { certificateRevocations } from '../order-forms.ts';

export type CertificateRevocation = OrderOf<typeof certificateRevocations>;

/** The response form of the revocation of a certificate. A field without a value yet is null. */
export const certificateRevocationReplySchema = z
  .object({
    id: recordIdField.meta({ description: 'Id of the order' }),
    chainId: chainIdReply,
    contractAddress: contractAddressReply,
    from: addressReply.meta({ description: 'Who held the certificate' }),
    tokenId: tokenIdReply,
    amount: z.int().meta({ description: 'Number of units; 1 for ERC-721', example: 1 }),
    ercStandard: z.enum(['721', '1155']).meta({ description: 'Token standard: ERC-721 or ERC-1155' }),
    reason: z.string().meta({
      description: 'Why it was revoked, as ordered. It is public, but not on the chain',
      example: 'Reported stolen',
    }),
    status: z.enum(ORDER_STATUSES).meta({ description: ORDER_STATUS_MEANING }),
    txHash: txHashReply.nullable(),
    revocationGasUsed: gasUsedReply.nullable(),
    ...resultFields,
  })
  .meta({ id: 'CertificateRevocation' });

export type CertificateRevocationReply = z.infer<typeof certificateRevocationReplySchema>;

export function certificateRevocationReply(order: CertificateRevocation): CertificateRevocationReply {
  return {
    id: order.id,
    chainId: order.chainId,
    contractAddress: order.contractAddress,
    from: order.from,
    tokenId: order.tokenId,
    amount: order.amount,
    ercStandard: order.ercStandard,
    reason: order.reason,
    status: order.status,
    txHash: order.txHash,
    revocationGasUsed: order.gasUsed,
    ...resultReply(order),
  };
}

/** Calldata of the certificate contracts' `revoke`. */
function encodeCertificateRevocation({ ercStandard, from, tokenId, amount }: Holding): Hex {
  const functionName = 'revoke';
  return ercStandard === '721'
    ? encodeFunctionData({ ...certificate721, functionName, args: [from, BigInt(tokenId)] })
    : encodeFunctionData({ ...certificate1155, functionName, args: [from, BigInt(tokenId), BigInt(amount)] });
}

const NAME = 'certificate-revocation';

/**
 * The revocation of a certificate by the account's wallet, the owner of its contract. Nobody else can make it, and
 * nothing has to be refreshed: a certificate's document stays public.
 */
export const certificateRevocationKind = defineOrder<
  CertificateRevocation,
  null,
  CertificateRevocationReply,
  { readonly followers: ReturnType<typeof updateFollowers> }
>({
  name: NAME,
  queue: 'mint',
  ...shownAs({
    stored: certificateRevocations,
    label: 'certificateRevocations',
    path: '/certificates/revoke',
    scope: 'revoke',
    tag: 'Contracts',
    name: 'Certificate revocation',
    schema: certificateRevocationReplySchema,
    reply: certificateRevocationReply,
    types: {
      confirmed: { type: 'certificate-revocation.confirmed', when: 'A certificate is revoked' },
      failed: { type: 'certificate-revocation.failed', when: 'The revocation of a certificate is FAILED' },
      cancelled: { type: 'certificate-revocation.cancelled', when: 'The revocation of a certificate is CANCELLED' },
    },
  }),
  parties: ({ contractAddress }) => ({ contract: contractAddress, receivers: [] }),

  // It removes what a mint has written.
  gasCeiling: (_, settings) => BigInt(settings.MINT_GAS_CEILING),

  call: ({ order }) => ({ to: order.contractAddress, data: encodeCertificateRevocation(order) }),

  readReceipt: ({ order }, { logs }) =>
    hasTransferLog({ ...order, to: zeroAddress }, logs)
      ? { effect: null }
      : { failure: 'The transaction was mined, but its logs do not contain the ordered Transfer' },

  ended: (db, batchId, outcomes) => ({
    followers: updateFollowers(db, batchId, outcomes.map(({ claim }) => claim).flatMap(followerOf)),
  }),
  reopened: (db, batchId, claims) => ({ followers: updateFollowers(db, batchId, claims.flatMap(followerOf)) }),
  async settled({ lanes }, _outcomes, { followers = [] }) {
    const names = followers.map(({ chainId, walletAddress }) => laneName(laneOf(chainId, walletAddress)));
    await Promise.all(Array.from(new Set(names), (name) => lanes.getByName(name).wake()));
  },
});

const followerOf = ({ order }: Claim<CertificateRevocation>) => order.followedBy ?? [];
