import { and, eq, getTableColumns, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Address } from 'viem';
import type { SystemDb } from '../../platform/database/client.ts';
import { contracts, corporateAccounts, relayerWallets } from '../../platform/database/schema.ts';
import { tagged } from '../../platform/database/tagged.ts';

/** Which contract. */
export interface ContractPlace {
  readonly chainId: string;
  /** Lower case. */
  readonly contractAddress: Address;
}

const forwarders = alias(contracts, 'forwarders');

/**
 * The contract at an address, whatever its account, with the forwarder that it trusts, if an account has that too, and
 * the account's main wallets, former ones too.
 */
export async function findDeployment(db: SystemDb, { chainId, contractAddress }: ContractPlace) {
  const former = db.sql
    .select({ addresses: sql`array_agg(${relayerWallets.address})` })
    .from(relayerWallets)
    .where(
      and(
        eq(relayerWallets.corporateAccountId, corporateAccounts.id),
        eq(relayerWallets.replacedAt, relayerWallets.createdAt),
      ),
    );
  const [found] = await tagged(
    'find-deployment',
    db.sql
      .select({
        contract: getTableColumns(contracts),
        forwarder: getTableColumns(forwarders),
        owners: sql<Address[]>`array[${corporateAccounts.walletAddress}] || coalesce((${former}), '{}')`,
      })
      .from(contracts)
      .innerJoin(corporateAccounts, eq(corporateAccounts.id, contracts.corporateAccountId))
      .leftJoin(
        forwarders,
        and(
          eq(forwarders.contractAddress, sql`lower(${contracts.trustedForwarder})`),
          eq(forwarders.chainId, contracts.chainId),
        ),
      )
      .where(and(eq(contracts.contractAddress, contractAddress), eq(contracts.chainId, chainId))),
  );
  return found;
}
