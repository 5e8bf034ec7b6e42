import { and, eq, getTableColumns, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Address } from 'viem';
import type { LowerCaseAddress } from '../../core/lower-case.ts';
import type { SystemDb } from '../../platform/database/client.ts';
import { contracts, corporateAccounts, relayerWallets } from '../../platform/database/schema.ts';
import { tagged } from '../../platform/database/tagged.ts';
import type { CreationRecord } from './creation-call.ts';

export interface ContractPlace {
  readonly chainId: string;
  readonly contractAddress: LowerCaseAddress;
}

/** The forwarders that contracts trust, whatever their accounts. */
export const forwarders = alias(contracts, 'forwarders');

/** Joins contracts with their forwarders. */
export const isForwarderOf = and(
  eq(forwarders.contractAddress, sql`lower(${contracts.trustedForwarder})`),
  eq(forwarders.chainId, contracts.chainId),
);

const {
  id,
  contractAddress: address,
  name,
  symbol,
  ercStandard,
  contractType,
  currentOwnerAddress,
  trustedForwarder,
  metadataBaseUri,
  burnAuth,
  royaltyReceiver,
  royaltyFeeBps,
} = getTableColumns(contracts);

/**
 * The columns of a {@link CreationRecord}, at the top of what is selected, for statements that join contracts, their accounts and their
 * {@link forwarders}. Who may have owned a contract first are the account's main wallets, former ones too.
 */
export const creationColumns = {
  contract: {
    id,
    contractAddress: address,
    name,
    symbol,
    ercStandard,
    contractType,
    currentOwnerAddress,
    trustedForwarder,
    metadataBaseUri,
    burnAuth,
    royaltyReceiver,
    royaltyFeeBps,
  },
  forwarder: getTableColumns(forwarders),
  owners: sql<Address[]>`array[${corporateAccounts.walletAddress}] || array(
    select ${relayerWallets.address} from ${relayerWallets}
    where ${relayerWallets.corporateAccountId} = ${corporateAccounts.id} and ${relayerWallets.replacedAt} = ${relayerWallets.createdAt})`,
};

/** How the contract at an address was created, whatever its account. */
export async function findDeployment(
  db: SystemDb,
  { chainId, contractAddress }: ContractPlace,
): Promise<CreationRecord | undefined> {
  const [found] = await tagged(
    'find-deployment',
    db.sql
      .select(creationColumns)
      .from(contracts)
      .innerJoin(corporateAccounts, eq(corporateAccounts.id, contracts.corporateAccountId))
      .leftJoin(forwarders, isForwarderOf)
      .where(and(eq(contracts.contractAddress, contractAddress), eq(contracts.chainId, chainId))),
  );
  return found;
}
