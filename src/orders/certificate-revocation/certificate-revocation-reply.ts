import { z } from 'zod';
import { recordIdField } from '../../core/fields.ts';
import { ORDER_STATUS, ORDER_STATUS_MEANING } from '../../core/order-status.ts';
import { resultFields, resultReply } from '../../core/result-fields.ts';
import {
  shownAddress,
  shownChainId,
  shownContractAddress,
  shownGasUsed,
  shownTokenId,
  shownTxHash,
} from '../../core/reply-fields.ts';
import type { CertificateRevocation } from './certificate-revocations.store.ts';

/** The response form of the revocation of a certificate. A field without a value yet is null. */
export const certificateRevocationReplySchema = z
  .object({
    id: recordIdField.meta({ description: 'Id of the order' }),
    chainId: shownChainId,
    contractAddress: shownContractAddress,
    from: shownAddress.meta({ description: 'Who held the certificate' }),
    tokenId: shownTokenId,
    amount: z.int().meta({ description: 'Number of units; 1 for ERC-721', example: 1 }),
    ercStandard: z.enum(['721', '1155']).meta({ description: 'Token standard: ERC-721 or ERC-1155' }),
    reason: z
      .string()
      .meta({ description: 'Why it was revoked, as ordered. It is not on the chain', example: 'Reported stolen' }),
    status: z.enum(ORDER_STATUS).meta({ description: ORDER_STATUS_MEANING }),
    txHash: shownTxHash.nullable(),
    revocationGasUsed: shownGasUsed.nullable(),
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
    revocationGasUsed: order.revocationGasUsed,
    ...resultReply(order),
  };
}
