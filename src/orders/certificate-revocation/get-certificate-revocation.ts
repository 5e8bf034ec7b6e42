import type { Hex } from 'viem';
import type { Actor } from '../../accounts/actor.ts';
import { requireChainOf } from '../../accounts/chains-of-actor.ts';
import { notFound } from '../../core/domain-error.ts';
import type { TenantServices } from '../../services.ts';
import { findCertificateRevocation, findCertificateRevocationByTx } from './certificate-revocations.store.ts';
import type { CertificateRevocation } from './certificate-revocations.store.ts';

/** @throws {DomainError} `not-found` if the account has no such order; `forbidden` when the key is not for its chain. */
export async function getCertificateRevocation(
  { db, actor }: TenantServices,
  id: string,
): Promise<CertificateRevocation> {
  return visibleOrder(actor, await findCertificateRevocation(db, id));
}

/**
 * The order that a mined transaction executed, successfully or not.
 * @param txHash Lower case.
 * @throws {DomainError} `not-found` if no order of the account has that transaction; `forbidden` when the key is not for its chain.
 */
export async function getCertificateRevocationByTx(
  { db, actor }: TenantServices,
  txHash: Hex,
): Promise<CertificateRevocation> {
  return visibleOrder(actor, await findCertificateRevocationByTx(db, txHash));
}

function visibleOrder(actor: Actor, order: CertificateRevocation | undefined): CertificateRevocation {
  if (order === undefined) throw notFound('Certificate revocation');
  requireChainOf(actor, order.chainId);
  return order;
}
