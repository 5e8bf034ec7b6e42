import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { TenantDb } from '../../platform/database/client.ts';
import { recordset } from '../../platform/database/values-table.ts';
import { contracts, metadata } from '../../platform/database/schema.ts';

/** A token of one of our contracts, with what is stored of it. */
export interface RegisteredToken {
  /** Which of the tokens that were asked for. */
  readonly position: number;
  /** Whether its contract is the asking account's. */
  readonly isOwn: boolean;
  readonly ercStandard: '721' | '1155';
  readonly contractName: string | null;
  readonly contractSymbol: string | null;
  /** The document that the public endpoint serves; null when none is bound to the token. */
  readonly document: Readonly<Record<string, unknown>> | null;
}

const rowsSchema = z.object({
  rows: z.array(
    z.object({
      position: z.coerce.number(),
      isOwn: z.boolean(),
      ercStandard: z.enum(['721', '1155']),
      contractName: z.string().nullable(),
      contractSymbol: z.string().nullable(),
      document: z.record(z.string(), z.unknown()).nullable(),
    }),
  ),
});

/**
 * Of these tokens, those whose contract is registered and ACTIVE, in their order. Nothing of the account that has
 * the contract is read: the id of an account is a credential.
 * @param scope `own`: contracts of the asking account only; `all`: of every account.
 */
export async function registeredTokens(
  db: TenantDb,
  tokens: readonly { readonly chainId: string; readonly contractAddress: string; readonly tokenId: string }[],
  scope: 'own' | 'all',
): Promise<RegisteredToken[]> {
  if (tokens.length === 0) return [];
  const rows = tokens.map(({ chainId, contractAddress, tokenId }, position) => ({
    position,
    chain_id: chainId,
    address: contractAddress,
    token_id: tokenId,
  }));
  const shape = { position: 'integer', chain_id: 'text', address: 'text', token_id: 'text' } as const;
  const ownOnly = scope === 'own' ? sql`and c.corporate_account_id = ${db.accountId}` : sql``;
  const reply = await db.sql.execute(sql`
    select v.position, c.corporate_account_id = ${db.accountId} as "isOwn", c.erc_standard as "ercStandard", c.name as "contractName",
      c.symbol as "contractSymbol", m.standard_fields as document
    from ${recordset('v', shape, rows)}
    join ${contracts} c on c.chain_id = v.chain_id and c.contract_address = v.address
    left join lateral (
      select standard_fields from ${metadata} d
      where d.contract_address = v.address and d.token_id = v.token_id and d.chain_id = v.chain_id
      order by d.linked_at desc limit 1
    ) m on true
    where c.status = 'ACTIVE' and c.erc_standard in ('721', '1155') ${ownOnly}
    order by v.position`);
  return rowsSchema.parse(reply).rows;
}
