import { inTransaction } from '../in-transaction.ts';
import { recordCommand } from '../record-command.ts';

/** What the database has about a holder, as numbers of rows. */
export interface HolderRecords {
  /** Orders that have ended for good, and the rows that belong to them. */
  readonly orders: number;
  readonly signedRequests: number;
  readonly events: number;
  readonly deliveries: number;
  readonly deliveryLogs: number;
  /** Transfers in the index that the holder took part in and that are final, and tokens that it has for the holder. */
  readonly transfers: number;
  readonly holdings: number;
  /**
   * Orders that are unfinished, may still be reorganized out, or have an event that is still to be delivered: they are
   * not erased.
   */
  readonly unfinished: number;
  /**
   * Stored replies that contain the address. They are not erased: they prevent a second execution, and expire on their
   * own.
   */
  readonly replies: number;
  /** Earlier versions of the documents of the holder's tokens. */
  readonly metadataVersions: number;
  /**
   * Ids of the documents of the holder's tokens. They may describe the holder, but belong to the tokens and are not
   * erased.
   */
  readonly metadataIds: readonly string[];
}

/** Takes the place of an erased address. */
const ERASED = `0x${'0'.repeat(40)}`;

/** Takes the place of what the account wrote about a holder. */
const ERASED_REMARK = '(erased)';

/** A condition on `orders`. */
function isDone(alias: string): string {
  return `(${alias}.state in ('failed', 'cancelled') or ${alias}.state = 'confirmed' and ${alias}.is_final)`;
}

/** The orders in which an address is a receiver, a holder or a signer, and whether they may be erased. */
const SELECT_ORDERS = `
  create temporary table holder_orders on commit drop as
  select t.id,
    ${isDone('t')} and not exists (
      select 1 from orders o where not (${isDone('o')})
        and (o.bundle_id in (t.bundle_id, t.earlier_bundle_id) or o.id in (t.bundle_id, t.earlier_bundle_id))
    ) and not exists (
      select 1 from webhook_deliveries d where d.related_order_id = t.id and d.status in ('PENDING', 'RETRYING')
    ) as is_done
  from orders t
  where t.id in (
    select id from orders where lower(receiver_address) = $1 and resource <> 'ownership-transfers'
    union select id from orders where lower(holder_address) = $1
    union select order_id from forward_requests where signer_address = $1)`;

const DONE = '(select id from holder_orders where is_done)';

const MINTS = `orders where resource = 'minting-orders' and lower(receiver_address) = $1`;

/** The documents of the tokens that the holder got in these orders. */
const DOCUMENTS = `(select metadata_id from ${MINTS} and id in ${DONE})`;

/**
 * The transfers of the holder that can no longer be reorganized out. A final one is never undone, so holdings do not
 * need its addresses any more.
 */
const TRANSFERS = `(
  select t.chain_id, t.block_number, t.log_index, t.position from token_transfers t join indexed_chains c on c.chain_id = t.chain_id
  where $1 in (t.from_address, t.to_address) and t.is_notified and t.block_number <= coalesce((c.earlier -> -1 ->> 0)::bigint, c.block_number))`;

/** The events of the holder's transfers that are not being delivered. */
const TRANSFER_EVENTS = `(
  select e.id from webhook_events e where e.type = 'token.transferred' and e.payload like '%' || $1 || '%' and not exists (
    select 1 from webhook_deliveries d where d.webhook_event_id = e.id and d.status in ('PENDING', 'RETRYING')))`;

const COUNT = `
  select
    (select count(*)::int from holder_orders where is_done) as orders,
    (select count(*)::int from forward_requests where order_id in ${DONE}) as "signedRequests",
    (select count(*)::int from webhook_events where related_order_id in ${DONE} or id in ${TRANSFER_EVENTS}) as events,
    (select count(*)::int from webhook_deliveries where related_order_id in ${DONE} or webhook_event_id in ${TRANSFER_EVENTS}) as deliveries,
    (select count(*)::int from webhook_logs where related_order_id in ${DONE} or webhook_delivery_id in (
      select id from webhook_deliveries where webhook_event_id in ${TRANSFER_EVENTS})) as "deliveryLogs",
    (select count(*)::int from ${TRANSFERS} t) as transfers,
    (select count(*)::int from holdings where holder = $1) as holdings,
    (select count(*)::int from metadata_versions where metadata_id in ${DOCUMENTS}) as "metadataVersions",
    (select count(*)::int from holder_orders where not is_done) as unfinished,
    (select count(*)::int from idempotency_keys where body ilike '%' || $1 || '%') as replies,
    array(select distinct metadata_id from ${MINTS} order by 1) as "metadataIds"`;

/**
 * Removes what identifies the holder; what proves that an order was carried out once stays: its ids, states, nonces and
 * hashes.
 */
const ERASURES = [
  `delete from metadata_versions where metadata_id in ${DOCUMENTS}`,
  `delete from webhook_logs where related_order_id in ${DONE} or webhook_delivery_id in (
    select id from webhook_deliveries where webhook_event_id in ${TRANSFER_EVENTS})`,
  `delete from webhook_deliveries where related_order_id in ${DONE} or webhook_event_id in ${TRANSFER_EVENTS}`,
  `delete from webhook_events where related_order_id in ${DONE} or id in ${TRANSFER_EVENTS}`,
  // What is left of each token stays known. The id is as `holdingId` derives it.
  `with gone as (delete from holdings where holder = $1 returning *)
   insert into holdings (id, corporate_account_id, contract_id, chain_id, contract_address, token_id, holder, amount)
   select substr(encode(sha256(convert_to(concat_ws(' ', contract_address, token_id, '${ERASED}'), 'UTF8')), 'hex'), 1, 24),
     corporate_account_id, contract_id, chain_id, contract_address, token_id, '${ERASED}', amount from gone
   on conflict (contract_id, token_id, holder) do update set amount = holdings.amount + excluded.amount`,
  `update token_transfers set from_address = case when from_address = $1 then '${ERASED}' else from_address end,
     to_address = case when to_address = $1 then '${ERASED}' else to_address end
   where (chain_id, block_number, log_index, position) in ${TRANSFERS}`,
  `delete from forward_requests where order_id in ${DONE}`,
  `update attempts set raw = '0x' where transaction_id in (
    select unnest(array[id, bundle_id, earlier_bundle_id]) from orders where id in ${DONE})`,
  `update orders set
     receiver_address = case when lower(receiver_address) = $1 then '${ERASED}' else receiver_address end,
     holder_address = case when lower(holder_address) = $1 then '${ERASED}' else holder_address end,
     details = case when details ? 'reason' then details || '{"reason": "${ERASED_REMARK}"}' else details end,
     refusal = regexp_replace(refusal, $1, '${ERASED}', 'gi'),
     error_message = regexp_replace(error_message, $1, '${ERASED}', 'gi')
   where id in ${DONE}`,
];

/**
 * Finds what the database has about a holder, in all accounts, and erases it if asked to: all or nothing, in one
 * transaction, with a row in the audit log that names the orders and not the holder. What is on chain is public and
 * stays there.
 * @param address In any letter case.
 * @returns what was there before.
 */
export async function holderRecords(databaseUrl: string, address: string, erase: boolean): Promise<HolderRecords> {
  const holder = [address.toLowerCase()];
  return await inTransaction(databaseUrl, async (client) => {
    await client.query(SELECT_ORDERS, holder);
    const { rows } = await client.query<HolderRecords>(COUNT, holder);
    const [records] = rows;
    if (records === undefined) throw new Error('A count returned no row');
    if (!erase) return records;
    for (const statement of ERASURES) await client.query(statement, statement.includes('$1') ? holder : []);
    const { rows: erased } = await client.query<{ id: string }>(`${DONE} order by id`);
    const resourceIds = erased.map(({ id }) => id);
    await recordCommand(client, { name: 'erase-holder', corporateId: null, resourceIds });
    return records;
  });
}
