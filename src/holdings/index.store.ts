import { eq, isNull, sql, type SQL } from 'drizzle-orm';
import { z } from 'zod';
import { zeroAddress, type Address, type Hex } from 'viem';
import { newId } from '../core/record-id.ts';
import { runBatch, type Rows, type SystemDb } from '../platform/database/client.ts';
import {
  contractOwners,
  contracts,
  holdings,
  indexedChains,
  indexedContracts,
  tokenTransfers,
  orders,
  type ErcStandard,
  type IndexedBlock,
} from '../platform/database/schema.ts';
import { tagged } from '../platform/database/tagged.ts';
import { valuesTable } from '../platform/database/values.ts';
import { isNoticeWanted } from '../webhooks/events.store.ts';
import { holdingId } from './holdings.store.ts';

export type IndexedChain = typeof indexedChains.$inferSelect;

/** A contract whose transfers are indexed. */
export type IndexedContract = Pick<
  typeof indexedContracts.$inferSelect,
  'contractId' | 'contractAddress' | 'nextBlock' | 'stop' | 'day' | 'transfersOfDay'
> & { readonly ercStandard: ErcStandard };

/** The most contracts that are taken up at once; the next run takes others. */
const MAX_TAKEN_UP = 1_000;

/**
 * Takes up the ACTIVE token contracts that are not indexed yet, from the block of their deployment or registration, and
 * drops those whose deployment was undone.
 * @returns the chains with contracts to be indexed.
 */
export async function takeUpContracts(db: SystemDb): Promise<string[]> {
  const drop = sql`
    delete from ${indexedContracts} i where not exists (
      select from ${contracts} c where c.id = i.contract_id and c.contract_address = i.contract_address and c.status = 'ACTIVE')`;
  const takeUp = sql`
    insert into ${indexedContracts}
      (contract_id, corporate_account_id, chain_id, contract_address, first_block, next_block, silent_to)
    select c.id, c.corporate_account_id, c.chain_id, c.contract_address, first.block, first.block,
      coalesce(c.registered_at_block, first.block - 1)
    from ${contracts} c
    left join ${orders} t on t.order_id = c.id and t.kind = 'deploy',
    lateral (select coalesce(c.registered_at_block, t.block_number) as block) first
    where c.status = 'ACTIVE' and c.erc_standard in ('721', '1155') and c.contract_address is not null
      and first.block is not null and not exists (select from ${indexedContracts} i where i.contract_id = c.id)
    order by c.id limit ${MAX_TAKEN_UP}
    on conflict do nothing`;
  const { chains } = await runBatch(db, {
    drop: db.sql.execute(tagged('drop-indexed-contracts', drop)),
    takeUp: db.sql.execute(tagged('take-up-contracts', takeUp)),
    chains: db.sql
      .selectDistinct({ chainId: indexedContracts.chainId })
      .from(indexedContracts)
      .where(isNull(indexedContracts.stop)),
  });
  return chains.map(({ chainId }) => chainId);
}

/** What a run finds: the chain for itself, a chain that was never indexed, or one that another run has. */
export type Lease = 'leased' | 'new' | 'taken';

/** Of a chain that was given back. */
const FREE = new Date(0);

/**
 * Takes a chain for a run. If the last one did not give it back, it died: perhaps of a range with more logs than it has
 * memory for, so that this one reads half of that.
 * @param until Until when, unless the run ends before.
 */
export async function leaseChain(db: SystemDb, chainId: string, now: Date, until: Date): Promise<Lease> {
  const isOf = eq(indexedChains.chainId, chainId);
  const { leased, known } = await runBatch(db, {
    leased: db.sql
      .update(indexedChains)
      .set({
        leasedUntil: until,
        rangeLength: sql`case when ${indexedChains.leasedUntil} = ${FREE.toISOString()}::timestamptz
          then ${indexedChains.rangeLength} else greatest(1, ${indexedChains.rangeLength} / 2) end`,
      })
      .where(sql`${isOf} and ${indexedChains.leasedUntil} <= ${now.toISOString()}::timestamptz`)
      .returning({ chainId: indexedChains.chainId }),
    known: db.sql.select({ chainId: indexedChains.chainId }).from(indexedChains).where(isOf),
  });
  if (leased.length > 0) return 'leased';
  return known.length > 0 ? 'taken' : 'new';
}

/** Begins the index of a chain, with the chain taken for this run. @returns whether no other run has begun it. */
export async function beginChain(
  db: SystemDb,
  chainId: string,
  [blockNumber, blockHash]: IndexedBlock,
  { rangeLength, until }: { readonly rangeLength: number; readonly until: Date },
): Promise<boolean> {
  const rows = await db.sql
    .insert(indexedChains)
    .values({ chainId, stepId: newId(), blockNumber, blockHash, rangeLength, leasedUntil: until })
    .onConflictDoNothing()
    .returning({ chainId: indexedChains.chainId });
  return rows.length > 0;
}

/**
 * Gives a chain back.
 * @param until As it was taken.
 * @param rangeLength How many blocks are to be asked for at once; undefined: as many as before.
 */
export async function releaseChain(
  db: SystemDb,
  chainId: string,
  until: Date,
  rangeLength: number | undefined,
): Promise<void> {
  await db.sql
    .update(indexedChains)
    .set({ leasedUntil: FREE, ...(rangeLength === undefined ? {} : { rangeLength }) })
    .where(
      sql`${eq(indexedChains.chainId, chainId)} and ${indexedChains.leasedUntil} = ${until.toISOString()}::timestamptz`,
    );
}

/** How far the index of a chain has come, and its contracts. */
export async function readIndex(
  db: SystemDb,
  chainId: string,
): Promise<{ readonly chain: IndexedChain | undefined; readonly contracts: readonly IndexedContract[] }> {
  const { chains, ...found } = await runBatch(db, {
    chains: db.sql.select().from(indexedChains).where(eq(indexedChains.chainId, chainId)),
    contracts: db.sql
      .select({
        contractId: indexedContracts.contractId,
        contractAddress: indexedContracts.contractAddress,
        nextBlock: indexedContracts.nextBlock,
        stop: indexedContracts.stop,
        day: indexedContracts.day,
        transfersOfDay: indexedContracts.transfersOfDay,
        ercStandard: sql<ErcStandard>`${contracts.ercStandard}`,
      })
      .from(indexedContracts)
      .innerJoin(contracts, eq(contracts.id, indexedContracts.contractId))
      .where(eq(indexedContracts.chainId, chainId))
      .orderBy(indexedContracts.contractAddress),
  });
  return { chain: chains[0], ...found };
}

/** The blocks of stored transfers above a block, newest first: at most `limit`. */
export function blocksAbove(db: SystemDb, chainId: string, number: number, limit: number): Rows<BlockRow> {
  return db.sql
    .selectDistinct({ number: tokenTransfers.blockNumber, hash: tokenTransfers.blockHash })
    .from(tokenTransfers)
    .where(sql`${eq(tokenTransfers.chainId, chainId)} and ${tokenTransfers.blockNumber} > ${number}`)
    .orderBy(sql`${tokenTransfers.blockNumber} desc`)
    .limit(limit);
}

interface BlockRow {
  readonly number: number;
  readonly hash: Hex;
}

const placeShape = {
  contract_id: 'text',
  block_number: 'bigint',
  block_hash: 'text',
  log_index: 'integer',
  tx_hash: 'text',
} as const;
const transferShape = {
  ...placeShape,
  position: 'integer',
  token_id: 'text',
  from_address: 'text',
  to_address: 'text',
  amount: 'numeric',
} as const;
const ownerShape = { ...placeShape, owner: 'text' } as const;

export interface LogPlace {
  readonly contract_id: string;
  readonly block_number: number;
  readonly block_hash: Hex;
  readonly log_index: number;
  readonly tx_hash: Hex;
}

/** A transfer as it is stored. */
export interface TransferRow extends LogPlace {
  readonly position: number;
  readonly token_id: string;
  readonly from_address: Address;
  readonly to_address: Address;
  readonly amount: string;
}

/** An owner as it is stored. */
export interface OwnerRow extends LogPlace {
  readonly owner: Address;
}

/** What the index stores of a range of blocks. */
export interface Step {
  /** Where the index of the chain is after it. */
  readonly block: IndexedBlock;
  readonly earlier: readonly IndexedBlock[];
  readonly transfers: readonly TransferRow[];
  readonly owners: readonly OwnerRow[];
  /** The contracts that it changes, as they are after it. */
  readonly contracts: readonly IndexedContract[];
}

/** The part of a statement that moves the index of a chain; its other parts depend on `moved`. */
function move({ chainId, stepId }: IndexedChain, { block: [number, hash], earlier }: Pick<Step, 'block' | 'earlier'>) {
  return sql`
    moved as (
      update ${indexedChains} set step_id = ${newId()}, block_number = ${number}, block_hash = ${hash}, earlier = ${JSON.stringify(earlier)}::jsonb
      where chain_id = ${chainId} and step_id = ${stepId} returning 1
    )`;
}

/** The part of a statement that changes holdings by transfers. @param sign Whether they were made or undone. */
function changeHoldings(transfers: SQL, sign: 'made' | 'undone'): SQL {
  const [got, gave] = sign === 'made' ? [sql`amount`, sql`-amount`] : [sql`-amount`, sql`amount`];
  return sql`
    changes as (
      select contract_id, token_id, holder, sum(amount) as amount from (
        select contract_id, token_id, to_address as holder, ${got} as amount from ${transfers}
        union all select contract_id, token_id, from_address, ${gave} from ${transfers}) each
      where holder <> ${zeroAddress} group by contract_id, token_id, holder having sum(amount) <> 0
    ),
    held as (
      insert into ${holdings} (id, corporate_account_id, contract_id, chain_id, contract_address, token_id, holder, amount)
      select ${holdingId(sql`i.contract_address`, sql`c.token_id`, sql`c.holder`)},
        i.corporate_account_id, c.contract_id, i.chain_id, i.contract_address, c.token_id, c.holder, c.amount
      from changes c join ${indexedContracts} i on i.contract_id = c.contract_id
      on conflict (contract_id, token_id, holder) do update set amount = holdings.amount + excluded.amount
    )`;
}

/**
 * Stores what a range of blocks has, with the step of the index, unless another run has made a step since `chain` was
 * read.
 * @returns whether it is stored.
 */
export async function storeStep(db: SystemDb, chain: IndexedChain, step: Step): Promise<boolean> {
  const changed = step.contracts.map(({ contractId, nextBlock, stop, day, transfersOfDay }) => {
    return { contract_id: contractId, next_block: nextBlock, stop, day, transfers_of_day: transfersOfDay };
  });
  const changedShape = {
    contract_id: 'text',
    next_block: 'bigint',
    stop: 'text',
    day: 'bigint',
    transfers_of_day: 'integer',
  } as const;
  const { chainId } = chain;
  return await storeMove(
    db,
    chainId,
    sql`
    with ${move(chain, step)},
    reported as materialized (select v.* from ${valuesTable('v', transferShape, step.transfers)}),
    reporting as materialized (
      select i.contract_id, case when ${isNoticeWanted(sql`i.corporate_account_id`, 'token.transferred', sql`i.chain_id`)} then i.silent_to end as silent_to
      from ${indexedContracts} i where i.contract_id in (select contract_id from reported)
    ),
    made as (
      insert into ${tokenTransfers}
        (chain_id, block_number, block_hash, log_index, tx_hash, position, contract_id, token_id, from_address, to_address, amount, is_notified)
      select ${chainId}, v.block_number, v.block_hash, v.log_index, v.tx_hash, v.position, v.contract_id, v.token_id, v.from_address,
        v.to_address, v.amount, i.silent_to is null or v.block_number <= i.silent_to
      from reported v join reporting i on i.contract_id = v.contract_id
      where exists (select from moved)
      on conflict do nothing
      returning contract_id, token_id, from_address, to_address, amount
    ),
    ${changeHoldings(sql`made`, 'made')},
    owned as (
      insert into ${contractOwners} (chain_id, block_number, block_hash, log_index, tx_hash, contract_id, owner)
      select ${chainId}, v.block_number, v.block_hash, v.log_index, v.tx_hash, v.contract_id, v.owner
      from ${valuesTable('v', ownerShape, step.owners)} where exists (select from moved)
      on conflict do nothing
    ),
    changed as (
      update ${indexedContracts} i
      set next_block = v.next_block, stop = v.stop, day = v.day, transfers_of_day = v.transfers_of_day
      from ${valuesTable('v', changedShape, changed)} where i.contract_id = v.contract_id and exists (select from moved)
    )
    select count(*)::int as moved from moved`,
  );
}

/**
 * Undoes what was stored above a block, with the step of the index to it, unless another run has made a step since
 * `chain` was read.
 * @returns whether it is undone.
 */
export async function undoAbove(
  db: SystemDb,
  chain: IndexedChain,
  step: Pick<Step, 'block' | 'earlier'>,
): Promise<boolean> {
  const isUndone = sql`chain_id = ${chain.chainId} and block_number > ${step.block[0]} and exists (select from moved)`;
  const next = sql`${step.block[0] + 1}::bigint`;
  return await storeMove(
    db,
    chain.chainId,
    sql`
    with ${move(chain, step)},
    undone as (
      delete from ${tokenTransfers} where ${isUndone} returning contract_id, token_id, from_address, to_address, amount
    ),
    ${changeHoldings(sql`undone`, 'undone')},
    disowned as (delete from ${contractOwners} where ${isUndone}),
    changed as (
      update ${indexedContracts} i
      set next_block = least(i.next_block, ${next}), stop = case when i.next_block >= ${next} then null else i.stop end,
        transfers_of_day = greatest(0, i.transfers_of_day - coalesce(u.count, 0)::int)
      from ${indexedContracts} o left join (select contract_id, count(*) from undone group by contract_id) u on u.contract_id = o.contract_id
      where i.contract_id = o.contract_id and i.chain_id = ${chain.chainId} and (u.count > 0 or i.next_block >= ${next})
        and exists (select from moved)
    )
    select count(*)::int as moved from moved`,
  );
}

const moveReply = z.object({ rows: z.tuple([z.object({ moved: z.int() })]) });

async function storeMove(db: SystemDb, chainId: string, statement: SQL): Promise<boolean> {
  const { move: reply } = await runBatch(db, {
    move: db.sql.execute(tagged('move-index', statement)),
    removeEmpty: db.sql.delete(holdings).where(sql`${eq(holdings.chainId, chainId)} and ${holdings.amount} = 0`),
  });
  return moveReply.parse(reply).rows[0].moved > 0;
}
