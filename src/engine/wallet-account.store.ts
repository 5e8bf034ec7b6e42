import { sql, type SQL } from 'drizzle-orm';
import type { Address } from 'viem';
import type { LowerCaseAddress } from '../core/lower-case.ts';
import type { Column } from '../platform/database/client.ts';
import { corporateAccounts, relayerWallets } from '../platform/database/schema.ts';

/** A corporate account with the wallet that makes a call. */
export interface WalletAccount {
  readonly id: string;
  readonly corporateId: string;
  /** EIP-55 checksummed. */
  readonly walletAddress: Address;
  /** Name of the secret with the wallet's private key. */
  readonly secretManagerKeyId: string;
}

/**
 * The columns of a {@link WalletAccount}: the account with a wallet of its own, be it replaced.
 * @param walletAddress For a wallet that is no relayer's, the columns have the account's main wallet.
 */
export function walletColumns(walletAddress: LowerCaseAddress | Column) {
  const ofRelayer = (column: SQL) => sql`(
    select ${column} from ${relayerWallets} w
    where w.corporate_account_id = ${corporateAccounts}.id and lower(w.address) = ${walletAddress})`;
  return {
    id: corporateAccounts.id,
    corporateId: corporateAccounts.corporateId,
    walletAddress: sql<Address>`coalesce(${ofRelayer(sql`w.address`)}, ${corporateAccounts}.wallet_address)`,
    secretManagerKeyId: sql<string>`coalesce(${ofRelayer(sql`w.secret_id`)}, ${corporateAccounts}.secret_manager_key_id)`,
  };
}
