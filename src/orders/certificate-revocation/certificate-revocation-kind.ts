import { zeroAddress } from 'viem';
import { hasTransferLog } from '../../chains/token-transfer.ts';
import { ORDER_STATUS } from '../../core/order-status.ts';
import type { OrderKind } from '../../engine/order-kind.ts';
import { certificateRevocations } from '../../platform/database/schema.ts';
import { certificateRevocationReply, certificateRevocationReplySchema } from './certificate-revocation-reply.ts';
import type { CertificateRevocationReply } from './certificate-revocation-reply.ts';
import { loadCertificateRevocations } from './certificate-revocations.store.ts';
import type { CertificateRevocation } from './certificate-revocations.store.ts';
import { encodeCertificateRevocation } from './revocation-call.ts';

const NAME = 'certificate-revocation';

/**
 * The revocation of a certificate by the account's wallet, the owner of its contract. Nobody else can make it, and nothing has to be refreshed: a
 * certificate's document stays public.
 */
export const certificateRevocationKind: OrderKind<CertificateRevocation, null, CertificateRevocationReply> = {
  name: NAME,
  queue: 'mint',
  orders: {
    label: 'certificateRevocations',
    table: certificateRevocations,
    statuses: ORDER_STATUS,
    columns: { txHash: certificateRevocations.txHash, gasUsed: certificateRevocations.revocationGasUsed },
  },
  idleMinutes: { waiting: 5, signed: 10 },
  resource: {
    path: '/certificates/revoke',
    scope: 'revoke',
    tag: 'Contracts',
    name: 'Certificate revocation',
    reply: ({ order }, progress) => certificateRevocationReply({ ...order, progress }),
  },
  events: {
    types: {
      confirmed: { type: 'certificate-revocation.confirmed', when: 'A certificate is revoked' },
      failed: { type: 'certificate-revocation.failed', when: 'The revocation of a certificate is FAILED' },
      cancelled: { type: 'certificate-revocation.cancelled', when: 'The revocation of a certificate is CANCELLED' },
    },
    data: certificateRevocationReplySchema,
    reply: ({ claim, result }, { gasUsed, ...end }) =>
      certificateRevocationReply({
        ...claim.order,
        ...end,
        status: ORDER_STATUS[result],
        revocationGasUsed: gasUsed,
      }),
  },
  parties: ({ contractAddress }) => ({ contract: contractAddress, receivers: [] }),
  dependency: null,
  check: null,
  explain: null,
  findForeignEffect: null,
  settled: null,

  // It removes what a mint has written.
  gasCeiling: (_, settings) => BigInt(settings.MINT_GAS_CEILING),

  load: (db, condition) => loadCertificateRevocations(db, NAME, condition),

  call: ({ order }) => ({ to: order.contractAddress, data: encodeCertificateRevocation(order) }),

  readReceipt: ({ order }, { logs }) =>
    hasTransferLog({ ...order, to: zeroAddress }, logs)
      ? { effect: null }
      : { failure: 'The transaction was mined, but its logs do not contain the ordered Transfer' },

  ended: () => [],
  reopened: () => [],
};
