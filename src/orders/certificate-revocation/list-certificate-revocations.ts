import { z } from 'zod';
import { addressField, contractAddressField } from '../../core/fields.ts';
import { ORDER_STATUS } from '../../core/order-status.ts';
import { pageFields, pageOf, pageRange } from '../../core/paging.ts';
import type { Page } from '../../core/paging.ts';
import type { TenantServices } from '../../services.ts';
import { certificateRevocationReply } from './certificate-revocation-reply.ts';
import type { CertificateRevocationReply } from './certificate-revocation-reply.ts';
import { listCertificateRevocations as selectRevocations } from './certificate-revocations.store.ts';

export const certificateRevocationListQuery = z.object({
  ...pageFields,
  status: z.enum(ORDER_STATUS).optional().meta({ description: 'Only in this state' }),
  contractAddress: contractAddressField.optional().meta({ description: 'Only of this contract' }),
  from: addressField.optional().meta({ description: 'Only of this former holder' }),
});

/** A page of the account's revocations of certificates, newest first. */
export async function listCertificateRevocations(
  { db }: TenantServices,
  query: z.output<typeof certificateRevocationListQuery>,
): Promise<Page<CertificateRevocationReply>> {
  const range = pageRange(query);
  const { rows, searchedTo } = await selectRevocations(db, query, range);
  return pageOf(rows, range, certificateRevocationReply, searchedTo);
}
