import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { SystemDb } from '../../src/platform/database/client.ts';
import { contracts, corporateAccounts } from '../../src/platform/database/schema.ts';
import { valuesTable } from '../../src/platform/database/values.ts';
import type { UnknownCall } from './match-transactions.ts';

/** Of `transferOwnership(address)`. */
const TRANSFER_OWNERSHIP = '0xf2fde38b';

const rowsReply = z.object({ rows: z.array(z.object({ corporateId: z.string() })) });

/**
 * Finds the accounts whose main wallet has given away coins, which the engine never does, or a contract that it had, by
 * transactions that the database does not know: perhaps to another wallet of theirs.
 * @returns their `corporateId`s.
 */
export async function movedAccounts(
  db: SystemDb,
  chainId: string,
  unknown: readonly UnknownCall[],
): Promise<readonly string[]> {
  const given = unknown.map(({ mined: { wallet, to, value }, data }) => ({
    wallet,
    contract: data.startsWith(TRANSFER_OWNERSHIP) ? to?.toLowerCase() : null,
    hasCoins: value > 0n,
  }));
  const reply = await db.sql.execute(sql`
    select distinct a.corporate_id as "corporateId"
    from ${valuesTable('v', { wallet: 'text', contract: 'text', hasCoins: 'boolean' }, given)}
    join ${corporateAccounts} a on lower(a.wallet_address) = v.wallet
    left join ${contracts} c on c.contract_address = v.contract and c.chain_id = ${chainId} and c.status = 'ACTIVE'
      and c.corporate_account_id = a.id and lower(c.current_owner_address) = v.wallet
    where v."hasCoins" or c.id is not null order by 1`);
  return rowsReply.parse(reply).rows.map(({ corporateId }) => corporateId);
}
