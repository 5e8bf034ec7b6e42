import { newId } from '../../src/core/record-id.ts';
import { inTransaction } from '../in-transaction.ts';
import { recordCommand } from '../record-command.ts';

/** What is to be indexed again. */
export interface RebuiltIndex {
  /** Only on this chain. */
  readonly chainId: string;
  /** Only this contract, in any letter case; undefined: all of the chain, from a new start. */
  readonly contractAddress: string | undefined;
  /** The first block to be read; undefined: the same as before. */
  readonly fromBlock: number | undefined;
}

const SELECT = `
  create temporary table rebuilt on commit drop as
  select i.*, coalesce((select max(t.block_number) from token_transfers t where t.contract_id = i.contract_id and t.is_notified), 0) as notified_to
  from indexed_contracts i where i.chain_id = $1 and ($2::text is null or i.contract_address = $2)`;

/** Whoever has read the index of the chain for a step cannot store it any more. */
const REFUSE_STEPS = 'update indexed_chains set step_id = $2 where chain_id = $1';
const START_AGAIN = 'delete from indexed_chains where chain_id = $1';

const REMOVE = 'delete from indexed_contracts where contract_id in (select contract_id from rebuilt)';

const ADD = `
  insert into indexed_contracts (contract_id, corporate_account_id, chain_id, contract_address, first_block, next_block, silent_to)
  select contract_id, corporate_account_id, chain_id, contract_address, coalesce($1, first_block), coalesce($1, first_block),
    greatest(silent_to, notified_to)
  from rebuilt returning contract_id`;

/**
 * Removes what is indexed of contracts, so that the next runs of the minutely job read it again. Transfers whose event
 * was stored get no second one.
 * @returns how many contracts are read again.
 */
export async function rebuildIndex(
  databaseUrl: string,
  { chainId, contractAddress, fromBlock }: RebuiltIndex,
): Promise<number> {
  const contract = contractAddress?.toLowerCase() ?? null;
  return await inTransaction(databaseUrl, async (client) => {
    // The row is locked first, so that no step is stored meanwhile.
    if (contract === null) await client.query(START_AGAIN, [chainId]);
    else await client.query(REFUSE_STEPS, [chainId, newId()]);
    await client.query(SELECT, [chainId, contract]);
    await client.query(REMOVE);
    const { rows } = await client.query<{ contract_id: string }>(ADD, [fromBlock ?? null]);
    const resourceIds = rows.map(({ contract_id: id }) => id);
    await recordCommand(client, { name: 'rebuild-index', corporateId: null, resourceIds });
    return resourceIds.length;
  });
}
