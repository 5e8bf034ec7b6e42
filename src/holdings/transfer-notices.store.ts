import { sql } from 'drizzle-orm';
import { z } from 'zod';
import { timePart } from '../core/record-id.ts';
import type { SystemDb } from '../platform/database/client.ts';
import { indexedChains, indexedContracts, tokenTransfers } from '../platform/database/schema.ts';
import { tagged } from '../platform/database/tagged.ts';
import { noticeTables } from '../webhooks/events.store.ts';
import type { NoticeType } from '../webhooks/notices.ts';

const TYPE = 'token.transferred' satisfies NoticeType;

const reply = z.object({ rows: z.tuple([z.object({ count: z.int(), endpoints: z.array(z.string()) })]) });

/**
 * Stores the events of transfers that are deep enough in the index of a chain, each with the mark that it is stored: of
 * each account in turn, the oldest first, so that one with very many keeps nobody waiting.
 * @param depth In blocks; 1 is the newest block.
 * @param limit How many transfers at most.
 * @returns how many transfers are marked, and the endpoint of each delivery.
 */
export async function notifyTransfers(
  db: SystemDb,
  chainId: string,
  { depth, limit, now }: { readonly depth: number; readonly limit: number; readonly now: Date },
): Promise<{ readonly count: number; readonly endpointIds: readonly string[] }> {
  const at = now.toISOString();
  const drafts = sql`
    select ${timePart(now.getTime())}::text || substr(md5(concat_ws(' ', n.block_hash, n.log_index, n.position)), 1, 12) as id,
      i.corporate_account_id as account, ${TYPE}::text as type, n.chain_id, null::text as order_id,
      json_build_object('type', ${TYPE}::text, 'timestamp', ${at}::text, 'data', json_build_object(
        'chainId', n.chain_id, 'contractAddress', i.contract_address, 'tokenId', n.token_id, 'from', n.from_address,
        'to', n.to_address, 'amount', n.amount::text, 'txHash', n.tx_hash, 'blockNumber', n.block_number,
        'logIndex', n.log_index))::text as payload, ${at}::timestamptz as at
    from notified n join ${indexedContracts} i on i.contract_id = n.contract_id`;
  const statement = sql`
    with waiting as (
      select first.*, row_number() over (partition by i.corporate_account_id order by first.block_number, first.log_index, first.position) as turn
      from ${indexedContracts} i join ${indexedChains} c on c.chain_id = i.chain_id, lateral (
        select t.block_number, t.log_index, t.position from ${tokenTransfers} t
        where t.contract_id = i.contract_id and not t.is_notified and t.block_number <= c.block_number - ${depth - 1}::bigint
        order by t.block_number, t.log_index, t.position limit ${limit}) first
      where i.chain_id = ${chainId}
    ),
    due as materialized (
      select * from waiting order by turn, block_number, log_index, position limit ${limit}
    ),
    notified as (
      update ${tokenTransfers} t set is_notified = true from due d
      where (t.chain_id, t.block_number, t.log_index, t.position) = (${chainId}, d.block_number, d.log_index, d.position)
        and not t.is_notified
      returning t.*
    ),
    ${noticeTables(drafts)}
    select (select count(*)::int from notified) as count, array(select endpoint_id from added) as endpoints`;
  const { rows } = reply.parse(await db.sql.execute(tagged('notify-transfers', statement)));
  const [{ count, endpoints }] = rows;
  return { count, endpointIds: endpoints };
}
