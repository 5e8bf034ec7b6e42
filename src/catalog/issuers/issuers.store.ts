import { and, eq, exists, isNotNull, or } from 'drizzle-orm';
import { getAddress, type Address } from 'viem';
import type { LowerCaseAddress } from '../../core/lower-case.ts';
import type { SystemDb } from '../../platform/database/client.ts';
import { contracts, corporateAccounts, relayerWallets } from '../../platform/database/schema.ts';
import { tagged } from '../../platform/database/tagged.ts';
import { creationColumns, forwarders, isForwarderOf } from '../contracts/deployments.store.ts';

/** A wallet that has issued certificates of a contract. */
export interface IssuerKey {
  readonly chainId: string;
  readonly contractAddress: LowerCaseAddress;
  readonly walletAddress: Address;
}

/**
 * The confirmed issuer with a wallet, be it a former main one, and how a contract of its account was created: a contract
 * of anyone can name any wallet as its issuer.
 */
export async function findIssuer(db: SystemDb, { chainId, contractAddress, walletAddress }: IssuerKey) {
  const wallet = getAddress(walletAddress);
  const former = db.sql
    .select({ address: relayerWallets.address })
    .from(relayerWallets)
    .where(
      and(
        eq(relayerWallets.address, wallet),
        eq(relayerWallets.corporateAccountId, corporateAccounts.id),
        eq(relayerWallets.replacedAt, relayerWallets.createdAt),
      ),
    );
  const [found] = await tagged(
    'find-issuer',
    db.sql
      .select({
        name: corporateAccounts.issuerName,
        logoUrl: corporateAccounts.issuerLogoUrl,
        domain: corporateAccounts.issuerDomain,
        confirmedAt: corporateAccounts.issuerConfirmedAt,
        ...creationColumns,
      })
      .from(contracts)
      .innerJoin(corporateAccounts, eq(corporateAccounts.id, contracts.corporateAccountId))
      .leftJoin(forwarders, isForwarderOf)
      .where(
        and(
          eq(contracts.contractAddress, contractAddress),
          eq(contracts.chainId, chainId),
          or(eq(corporateAccounts.walletAddress, wallet), exists(former)),
          isNotNull(corporateAccounts.issuerConfirmedAt),
        ),
      ),
  );
  return found;
}
