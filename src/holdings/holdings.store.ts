import { and, desc, eq, getTableColumns, inArray, lt, sql, type SQL, type SQLWrapper } from 'drizzle-orm';
import { zeroAddress } from 'viem';
import type { LowerCaseAddress } from '../core/lower-case.ts';
import type { PageRange } from '../core/paging.ts';
import type { Rows, TenantDb } from '../platform/database/client.ts';
import { inPage } from '../platform/database/page-scope.ts';
import {
  contractOwners,
  contracts,
  holdings,
  indexedChains,
  indexedContracts,
  tokenTransfers,
  type IndexStop,
} from '../platform/database/schema.ts';

export type Holding = typeof holdings.$inferSelect;

/** Spelled as in the indexes. */
const isHeld = sql`${holdings.amount} > 0`;
const NOBODY = sql.raw(`'${zeroAddress}'`);

/** The filter of a list of holdings. */
export interface HoldingFilter {
  readonly chainId?: string | undefined;
  readonly contractAddress?: LowerCaseAddress | undefined;
  readonly tokenId?: string | undefined;
  readonly holder?: LowerCaseAddress | undefined;
}

/** The id of a holding, as a part of a statement: derived, so that an index that is built again has the same. */
export function holdingId(contractAddress: SQL, tokenId: SQL, holder: SQL): SQL<string> {
  const text = sql`concat_ws(' ', ${contractAddress}, ${tokenId}, ${holder})`;
  return sql<string>`substr(encode(sha256(convert_to(${text}, 'UTF8')), 'hex'), 1, 24)`;
}

/** A page of what is held of the account's contracts, by descending id. */
export function listHoldings(db: TenantDb, filter: HoldingFilter, page: PageRange): Rows<Holding> {
  const { chainId, contractAddress, tokenId, holder } = filter;
  // Of a token with many holders and a holder with many tokens, only the id finds the one row.
  const isOne = contractAddress !== undefined && tokenId !== undefined && holder !== undefined;
  return db.sql
    .select()
    .from(holdings)
    .where(
      and(
        inPage(holdings, db, page),
        isHeld,
        chainId === undefined ? undefined : eq(holdings.chainId, chainId),
        contractAddress === undefined ? undefined : eq(holdings.contractAddress, contractAddress),
        tokenId === undefined ? undefined : eq(holdings.tokenId, tokenId),
        holder === undefined ? undefined : eq(holdings.holder, holder),
        isOne
          ? eq(holdings.id, holdingId(sql`${contractAddress}::text`, sql`${tokenId}::text`, sql`${holder}::text`))
          : undefined,
      ),
    )
    .orderBy(desc(holdings.id))
    .limit(page.take);
}

/** A token that a wallet holds, of a contract of the account. */
export type HeldToken = Pick<Holding, 'id' | 'chainId' | 'contractAddress' | 'tokenId' | 'amount'>;

/** A page of the tokens of the account's contracts that a wallet holds. */
export async function listTokensOfWallet(
  db: TenantDb,
  holder: LowerCaseAddress,
  chainIds: readonly string[],
  { before, limit }: { readonly before: string; readonly limit: number },
): Promise<HeldToken[]> {
  const { id, chainId, contractAddress, tokenId, amount } = getTableColumns(holdings);
  return await db.sql
    .select({ id, chainId, contractAddress, tokenId, amount })
    .from(holdings)
    .where(
      and(
        eq(holdings.corporateAccountId, db.accountId),
        eq(holdings.holder, holder),
        inArray(holdings.chainId, [...chainIds]),
        isHeld,
        lt(holdings.id, before),
      ),
    )
    .orderBy(desc(holdings.id))
    .limit(limit);
}

/**
 * Who holds a token, as a part of a statement that reads it: null if nobody does, or several, or it is not indexed.
 * @param token Columns with its contract and its id.
 */
export function holderOf(token: {
  readonly contractAddress: SQL;
  readonly tokenId: SQL;
}): SQL<LowerCaseAddress | null> {
  return sql<LowerCaseAddress | null>`(
    select case when count(*) = 1 then nullif(min(first.holder), ${zeroAddress}) end from (
      select h.holder from ${holdings} h where h.contract_address = ${token.contractAddress} and h.token_id = ${token.tokenId} and h.amount > 0
      limit 2) first)`;
}

/** Of an indexed contract `i` of the contract `c`: whether it is read from its first block on. */
const isComplete = sql.raw('(i.stop is null and coalesce(i.first_block < c.registered_at_block, true))');

/** What is left of a token, which is what was minted less what was burned. */
const unitsLeft = (contractId: SQL, tokenId: SQLWrapper) =>
  sql`coalesce((select sum(h.amount) from ${holdings} h where h.contract_id = ${contractId} and h.token_id = ${tokenId}), 0)`;

/**
 * Whether all that was minted of a token was burned, whoever burned it, as a part of a statement. Only of a contract
 * that is read from its first block on: of others it is not known what was minted.
 * @param token Columns with its contract and its id.
 */
export function isBurned(token: { readonly contractAddress: SQLWrapper; readonly tokenId: SQLWrapper }): SQL<boolean> {
  const { contractAddress, tokenId } = token;
  return sql<boolean>`exists (
    select from ${indexedContracts} i join ${contracts} c on c.id = i.contract_id
    where i.contract_address = ${contractAddress} and ${isComplete}
      and exists (select from ${tokenTransfers} t where t.contract_id = i.contract_id and t.token_id = ${tokenId} and t.to_address = ${NOBODY})
      and ${unitsLeft(sql`i.contract_id`, tokenId)} = 0)`;
}

/** The tokens of contracts that are burned, as {@link isBurned}. @param contractAddresses A subquery. */
export function burnedTokens(contractAddresses: SQL): SQL {
  return sql`
    select i.contract_address, burned.token_id
    from ${indexedContracts} i join ${contracts} c on c.id = i.contract_id, lateral (
      select distinct t.token_id from ${tokenTransfers} t where t.contract_id = i.contract_id and t.to_address = ${NOBODY}) burned
    where i.contract_address in ${contractAddresses} and ${isComplete}
      and ${unitsLeft(sql`i.contract_id`, sql`burned.token_id`)} = 0`;
}

export interface ContractIndex {
  /** As the contract reported it last; null if it never has. */
  readonly ownerAddress: LowerCaseAddress | null;
  /** The block up to which it is read. */
  readonly blockNumber: number;
  readonly stop: IndexStop | null;
  /** Whether what was before its registration is not read. */
  readonly isFromRegistration: boolean;
}

/** What the index has of each contract, as a part of a statement that reads contracts; null if it has nothing yet. */
export function contractIndex(): SQL<ContractIndex | null> {
  // Ids are spelled out: where a statement reads one table, drizzle leaves the table's name out.
  return sql<ContractIndex | null>`(
    select jsonb_build_object(
      'ownerAddress', (select o.owner from ${contractOwners} o where o.contract_id = i.contract_id order by o.block_number desc, o.log_index desc limit 1),
      'blockNumber', coalesce(i.next_block - 1, c.block_number), 'stop', i.stop,
      'isFromRegistration', coalesce(i.first_block >= contracts.registered_at_block, false))
    from ${indexedContracts} i join ${indexedChains} c on c.chain_id = i.chain_id where i.contract_id = contracts.id)`;
}
