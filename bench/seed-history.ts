import { Client } from 'pg';
import { getAddress } from 'viem';
import { creationCode } from '../src/catalog/contracts/creation-code.ts';
import { create2Address, saltOf } from '../src/catalog/contracts/create2.ts';
import { DEFAULT_CHAIN } from '../src/chains/list.ts';
import { newId } from '../src/core/record-id.ts';

/** How much history to store. */
export interface HistorySize {
  /**
   * Mints. Each has metadata with an earlier version, a transaction, an attempt, an event with its delivery and a log
   * row, an idempotency key, a row of the audit log, and a transfer and a holding in the index.
   */
  readonly mints: number;
  /** Orders of each other kind, of each this number. Each has a transaction and an attempt. */
  readonly otherOrders: number;
}

/** An account that exists. */
export interface SeededAccount {
  readonly id: string;
  readonly walletAddress: string;
}

/** About how many mints wait in the lane of the last account, which is paused. */
const WAITING = 200;
/**
 * So many orders of each kind are of the last week, whatever the size: what a request reads of that time does not
 * depend on the size.
 */
const RECENT = 1_000;
const RECENT_DAYS = 7;
/**
 * Of the recent ones, each such share failed and was cancelled, so that a list of either fills a page of the largest
 * account, whatever the size.
 */
const RECENT_SHARE = 6;
/** How far back the others go. */
const DAYS = 80;
const KEYS = 2_000;

const idAt = (at: string, suffix: string) =>
  `lpad(to_hex((extract(epoch from ${at}) * 1000)::bigint), 12, '0') || lpad(${suffix}, 12, '0')`;

/** Every kind of order in one temporary table: what the tables of the service derive from. */
const ORDERS = `
  create temporary table seeded as
  select kind, place, n, account, wallet, at, state, ${idAt('at', `place::text || to_hex(n)`)} as id,
    '0x' || md5(kind || n) || md5(n || kind) as hash,
    '0x' || lpad(to_hex(n % 5000), 40, 'a') as holder,
    case when state = 'waiting' then null else row_number() over (partition by account, state = 'waiting' order by at, place, n) - 1 end as nonce
  from (
    select k.kind, k.place, n, a.id as account, a.wallet,
      now() - interval '1 minute' - case when k.count - n < ${RECENT} then interval '1 day' * (${RECENT_DAYS} * (k.count - n) / ${RECENT}::float)
        else interval '1 day' * (${RECENT_DAYS} + ${DAYS - RECENT_DAYS} * (k.count - n) / k.count::float) end as at,
      case when n % 97 = 0 or (k.count - n < ${RECENT} and n % ${RECENT_SHARE} = 1) then 'failed'
        when n % 211 = 0 or (k.count - n < ${RECENT} and n % ${RECENT_SHARE} = 4) then 'cancelled'
        when k.kind = 'mint' and a.place = $5 and n > k.count - ${WAITING} * 50 then 'waiting' else 'confirmed' end as state
    from (values ('mint', 1, $1::int), ('transfer', 2, $2::int), ('deploy', 3, $2::int), ('ownership-transfer', 4, $2::int), ('burn', 6, $2::int),
      ('certificate-revocation', 7, $2::int), ('notification', 8, $2::int), ('base-uri', 9, 200)) k (kind, place, count)
    cross join lateral generate_series(1, k.count) n
    join unnest($3::text[], $4::text[]) with ordinality a (id, wallet, place) on a.place = 1 + floor($5 * power((n::bigint * 7919 % 1000) / 1000.0, 3))
  ) o`;

const ENDED = `case when state = 'waiting' then null else at + interval '2 seconds' end`;
const UPDATED = `coalesce(${ENDED}, at)`;
const HASH = `case when state = 'confirmed' then hash end`;

/** The GTIN of the products of all seeded certificates. */
export const SEEDED_GTIN = '09506000134352';

/** The name of the contracts for certificates. */
const CERTIFICATES = 'Certificates';

/** Stores a contract for certificates, at the address that proves its creation code: only of such are issuers named. */
async function storeCertificateContract(
  database: Client,
  { id: accountId, walletAddress }: SeededAccount,
): Promise<void> {
  const id = newId(Date.now() - (DAYS + 1) * 86_400_000);
  const code = creationCode({
    kind: 'certificate',
    name: CERTIFICATES,
    symbol: 'CERT',
    ercStandard: '721',
    owner: getAddress(walletAddress),
    trustedForwarder: null,
    baseUri: '',
    burnAuth: 'holder',
  });
  await database.query(
    `insert into contracts (id, corporate_account_id, chain_id, name, symbol, erc_standard, contract_type, status, contract_address, current_owner_address)
     values ($1, $2, '${DEFAULT_CHAIN.id}', '${CERTIFICATES}', 'CERT', '721', 'certificate', 'ACTIVE', $3, $4)`,
    [id, accountId, create2Address(saltOf(id), code), walletAddress],
  );
}

/** By table. What follows takes from what comes before. */
const TABLES: Readonly<Record<string, string>> = {
  account_keys: `
    insert into account_keys (id, corporate_account_id, kind, name, hash, scopes, created_at)
    select ${idAt(`now() - interval '1 hour' * n`, `'5' || to_hex(n)`)}, ($1::text[])[1 + n % cardinality($1::text[])], 'live', 'Key', md5(n::text), '{read}', now()
    from generate_series(1, ${KEYS}) n`,
  contracts: `
    insert into contracts (id, corporate_account_id, chain_id, name, symbol, erc_standard, contract_type, status, contract_address,
      created_at, updated_at)
    select id, account, '${DEFAULT_CHAIN.id}', 'Seeded', 'SEED', '721', 'standard', case state when 'confirmed' then 'ACTIVE' else 'FAILED' end,
      case when state = 'confirmed' then '0x' || right(hash, 40) end, at, ${UPDATED}
    from seeded where kind = 'deploy'`,
  collection_versions: `
    insert into collection_versions (id, corporate_account_id, contract_id, version, document, created_at)
    select id, corporate_account_id, id, 1, '{"name":"Seeded"}', created_at from contracts where status = 'ACTIVE' and name = 'Seeded'`,
  metadata: `
    insert into metadata (id, corporate_account_id, chain_id, contract_address, token_id, schema_version,
      standard_fields, version, linked_at, created_at, updated_at)
    select s.id, s.account, '${DEFAULT_CHAIN.id}', case when state = 'confirmed' then c.contract_address end, case when state = 'confirmed' then n::text end,
      'opensea_flexible@1.0.0',
      '{"name":"Seeded","image":"https://example.com/a.png","attributes":[],"utility":{"type":"Flexible","data":{}}}', 2,
      case when state = 'confirmed' then at end, at, at
    from seeded s join main_contracts c on c.account = s.account where kind = 'mint'`,
  metadata_versions: `
    insert into metadata_versions (id, corporate_account_id, metadata_id, version, schema_version, standard_fields, replaced_at)
    select id, corporate_account_id, id, 1, schema_version, standard_fields, created_at from metadata`,
  imports: `
    insert into imports (id, corporate_account_id, chain_id, kind, status, bytes, rows, chunks, cursor, caller, next_try_at, created_at, updated_at)
    select s.id, s.account, '${DEFAULT_CHAIN.id}', 'metadata', case when state = 'confirmed' then 'COMPLETED' else 'CANCELLED' end, 0, 100, 1, 1,
      '{}', at, at, at
    from seeded s where kind = 'transfer'`,
  import_chunks: `
    insert into import_chunks (import_id, place, numbers, run_at)
    select id, 0, array(select generate_series(2, 101)), created_at from imports`,
  forward_requests: `
    insert into forward_requests (order_id, kind, corporate_account_id, chain_id, forwarder_address, signer_address, nonce, contract_address, gas_limit,
      data, signature, read_at_block, state)
    select s.id, kind, s.account, '${DEFAULT_CHAIN.id}', '0x' || repeat(case kind when 'burn' then 'e' else 'f' end, 40), holder, n, c.contract_address, 100000, '0x',
      '0x' || md5(kind || n) || 'aa', 1,
      case state when 'confirmed' then 'mined' else 'released' end
    from seeded s join main_contracts c on c.account = s.account where kind in ('transfer', 'burn')`,
  approvals: `
    insert into approvals (id, corporate_account_id, action, kind, chain_id, expires_at, decision, decided_at, created_at)
    select id, account, 'transfer-ownership', kind, '${DEFAULT_CHAIN.id}', at + interval '1 day',
      case state when 'cancelled' then 'refused' else 'approved' end, at, at from seeded where kind = 'ownership-transfer'`,
  orders: `
    insert into orders (id, kind, order_id, resource, corporate_account_id, chain_id, wallet_address, contract_id, contract_address, erc_standard,
      token_id, amount, receiver_address, holder_address, metadata_id, details, state, nonce, next_try_at, claimed_at, sent_at, tx_hash, block_number,
      spent_wei, spent_at, is_final, endings, batch_id, total_fee_native, completed_at, created_at, updated_at)
    select s.id, kind, s.id, case kind when 'mint' then 'minting-orders' when 'transfer' then 'transfer-orders' when 'burn' then 'burn-orders'
        when 'certificate-revocation' then 'certificate-revocations' when 'ownership-transfer' then 'ownership-transfers'
        when 'notification' then 'chain-notifications' when 'base-uri' then 'base-uri-changes' when 'deploy' then 'contracts' end,
      s.account, '${DEFAULT_CHAIN.id}', wallet, case when kind not in ('deploy', 'transfer', 'burn') then c.id end,
      case when kind <> 'deploy' then c.contract_address end, case when kind in ('mint', 'transfer', 'burn', 'certificate-revocation') then '721' end,
      case when kind not in ('deploy', 'ownership-transfer', 'base-uri') then n::text end, case when kind in ('mint', 'transfer', 'burn', 'certificate-revocation') then 1 end,
      case when kind in ('mint', 'transfer', 'ownership-transfer') then holder end,
      case when kind in ('transfer', 'burn', 'certificate-revocation') then holder end,
      case when kind in ('mint', 'notification') then s.id end, case kind when 'certificate-revocation' then '{"reason": "Seeded"}'::jsonb
        when 'base-uri' then '{"metadataBaseUri": "https://nft.example.com"}'::jsonb end,
      state, nonce, at, case when state <> 'waiting' then at end, case when state <> 'waiting' then at end, ${HASH},
      case when state = 'confirmed' then 1 end, 1e15, case when state <> 'waiting' then at end, state <> 'waiting',
      case when state = 'waiting' then 0 else 1 end, s.id, 0.0011, ${ENDED}, at, ${UPDATED}
    from seeded s left join main_contracts c on c.account = s.account`,
  claims: `
    insert into claims (id, corporate_account_id, chain_id, contract_address, secret_hash, expires_at, claimed_at, created_at)
    select id, corporate_account_id, chain_id, contract_address, md5(id), created_at + interval '30 days', created_at, created_at
    from orders where resource = 'minting-orders'`,
  attempts: `
    insert into attempts (transaction_id, number, nonce, hash, raw, purpose, gas, max_fee_per_gas, max_priority_fee_per_gas, created_at)
    select id, 1, nonce, hash, '0x', 'effect', 84000, 52000000000, 1000000000, at from seeded where nonce is not null`,
  webhook_events: `
    insert into webhook_events (id, corporate_account_id, type, related_order_id, payload, created_at, updated_at)
    select id, account, kind || '.' || state, id, '{}', at, at from seeded where kind = 'mint' and state <> 'waiting'`,
  webhook_deliveries: `
    insert into webhook_deliveries (id, webhook_event_id, webhook_endpoint_id, corporate_account_id, event_type, related_order_id, chain_id, status,
      attempts, attempt_limit, next_attempt_at, created_at, updated_at)
    select e.id, e.id, p.id, e.corporate_account_id, e.type, e.related_order_id, '${DEFAULT_CHAIN.id}', case when right(e.id, 2) = '07' then 'FAILED' else 'SUCCESS' end,
      1, 5, e.created_at, e.created_at, e.created_at
    from webhook_events e join webhook_endpoints p on p.corporate_account_id = e.corporate_account_id and p.managed_by = 'operator'`,
  webhook_logs: `
    insert into webhook_logs (id, webhook_delivery_id, corporate_account_id, event_type, target_url, related_order_id, payload_sent, status,
      response_status_code, attempt, created_at, updated_at)
    select id, id, corporate_account_id, event_type, 'https://example.com/hooks', related_order_id,
      case when created_at < now() - interval '30 days' then '' else '{}' end, case status when 'FAILED' then 'FAILED' else 'SUCCESS' end, 200, 1,
      created_at, created_at
    from webhook_deliveries`,
  idempotency_keys: `
    insert into idempotency_keys (corporate_account_id, key, request_hash, id_seed, status_code, body, created_at)
    select account, id, id, id, 201, '{}', now() - interval '20 hours' * (n % 1000) / 1000 from seeded where kind = 'mint'`,
  assets: `
    insert into assets (id, corporate_account_id, original_file_name, s3_key, url, mime_type, size_bytes, created_at, updated_at)
    select id, account, 'a.png', id, 'https://example.com/a.png', 'image/png', 100, at, at from seeded where kind = 'transfer'`,
  audit_log: `
    insert into audit_log (id, corporate_account_id, actor, key_id, address, request_id, method, route, resource_ids, status_code, is_change, created_at)
    select s.id, account, case when k.id is null then 'global' else 'key' end, k.id, '127.0.0.1', s.id, 'POST',
      case when n % 10 = 0 then '/metadata' else '/minting/order' end, array[s.id], case when n % 4999 = 1 then 409 else 201 end, n % 4999 <> 1, at
    from seeded s left join (
      select distinct on (corporate_account_id) id, corporate_account_id from account_keys order by corporate_account_id, id
    ) k on k.corporate_account_id = s.account and n % 3 > 0
    where kind = 'mint'`,
  // What the index of transfers has of the confirmed mints, in blocks that the local chain does not have.
  indexed_contracts: `
    insert into indexed_contracts (contract_id, corporate_account_id, chain_id, contract_address, first_block, silent_to)
    select id, account, '${DEFAULT_CHAIN.id}', contract_address, 1, 0 from main_contracts`,
  token_transfers: `
    insert into token_transfers (chain_id, block_number, block_hash, log_index, tx_hash, position, contract_id, token_id, from_address, to_address,
      amount, is_notified)
    select '${DEFAULT_CHAIN.id}', -n, hash, 0, hash, 0, c.id, n::text, '0x' || repeat('0', 40), holder, 1, true
    from seeded s join main_contracts c on c.account = s.account where kind = 'mint' and state = 'confirmed'`,
  holdings: `
    insert into holdings (id, corporate_account_id, contract_id, chain_id, contract_address, token_id, holder, amount)
    select substr(encode(sha256(convert_to(concat_ws(' ', contract_address, n, holder), 'UTF8')), 'hex'), 1, 24), c.account, c.id,
      '${DEFAULT_CHAIN.id}', contract_address, n::text, holder, 1
    from seeded s join main_contracts c on c.account = s.account where kind = 'mint' and state = 'confirmed'`,
  // One certificate of each account, of a product, in a contract of its own.
  credential_statuses: `
    with own as (
      select m.account, left(m.id, 12) || '9' || substr(m.id, 14, 10) as prefix, c.id as contract, c.contract_address as address, right(m.id, 12) as serial
      from main_contracts m join contracts c on c.corporate_account_id = m.account and c.name = '${CERTIFICATES}'
    ), document as (
      insert into metadata (id, corporate_account_id, chain_id, contract_address, token_id, schema_version, metadata_hash, linked_at, standard_fields)
      select prefix || 'd', account, '${DEFAULT_CHAIN.id}', address, '1', 'cert_schema@1.0.0', '0x' || md5(serial) || md5(serial), now(), jsonb_build_object('name', 'Seeded',
        'image', 'https://example.com/a.png', 'utility', '{"type":"Certificate","data":{"valid_until":null}}'::jsonb, 'attributes', jsonb_build_array(
          jsonb_build_object('trait_type', 'GTIN', 'value', '${SEEDED_GTIN}'), jsonb_build_object('trait_type', 'Serial Number', 'value', serial)))
      from own
    ), mint as (
      insert into orders (id, kind, order_id, resource, corporate_account_id, contract_id, chain_id, wallet_address, contract_address, erc_standard,
        receiver_address, token_id, amount, metadata_id, details, state, is_final, next_try_at, completed_at)
      select prefix || 'e', 'mint', prefix || 'e', 'minting-orders', account, contract, '${DEFAULT_CHAIN.id}', '', address, '721', '0x' || repeat('a', 40), '1', 1,
        prefix || 'd', jsonb_build_object('tokenUri', 'https://example.com/1', 'metadataHash', '0x' || repeat('5e', 32)), 'confirmed', true, now(), now()
      from own
    )
    insert into credential_statuses (contract_address, token_id, corporate_account_id, number) select address, '1', account, 0 from own`,
};

/**
 * The indexes of tables that no constraint needs: building one afterwards takes a fraction of the time of adding to it
 * row by row.
 */
const INDEXES = `
  select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
  where indrelid = any($1::text[]::regclass[]) and not exists (select from pg_constraint where conindid = indexrelid)`;

/** The seeded orders' first ACTIVE contract of each account. */
const MAIN_CONTRACTS = `
  create temporary table main_contracts as
  select distinct on (corporate_account_id) corporate_account_id as account, id, contract_address from contracts where status = 'ACTIVE' and alias is null
  order by corporate_account_id, id`;

/**
 * Stores orders as if they had been carried out over 80 days, with all that belongs to them, and analyzes the tables.
 * The first account has about 37 % of the orders, the last one 2 %; it is paused, and about 200 of its mints wait. Of
 * each kind, 1,000 orders are of the last week, whatever the size.
 * @param databaseUrl Of the owner; no foreign key is checked.
 * @param accounts At least two, with an endpoint each.
 * @returns the number of nonces that each account's wallet has used on the default chain, by its address.
 */
export async function seedHistory(
  databaseUrl: string,
  { mints, otherOrders }: HistorySize,
  accounts: readonly SeededAccount[],
): Promise<ReadonlyMap<string, number>> {
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  try {
    await database.query(
      `set session_replication_role = replica; set synchronous_commit = off; set work_mem = '256MB'; set maintenance_work_mem = '256MB'`,
    );
    const ids = accounts.map(({ id }) => id);
    const wallets = accounts.map(({ walletAddress }) => walletAddress.toLowerCase());
    await database.query(ORDERS, [mints, otherOrders, ids, wallets, accounts.length]);
    const { rows: indexes } = await database.query<{ name: string; definition: string }>(INDEXES, [
      Object.keys(TABLES),
    ]);
    for (const { name } of indexes) await database.query(`drop index ${name}`);
    for (const [table, statement] of Object.entries(TABLES)) {
      await database.query(statement, statement.includes('$1') ? [ids] : []);
      if (table !== 'contracts') continue;
      await database.query(MAIN_CONTRACTS);
      for (const account of accounts) await storeCertificateContract(database, account);
    }
    for (const { definition } of indexes) await database.query(definition);
    await database.query('update corporate_accounts set paused_at = now() where id = $1', [ids.at(-1)]);
    await database.query(
      `update corporate_accounts set issuer_name = 'Seeded', issuer_logo_url = 'https://seeded.example/logo.svg',
         issuer_domain = 'seeded.example', issuer_confirmed_at = now()
       where id = any($1)`,
      [ids],
    );
    await database.query('vacuum analyze');
    const { rows } = await database.query<{ wallet: string; count: string }>(
      'select wallet, max(nonce) + 1 as count from seeded group by wallet',
    );
    return new Map(rows.map(({ wallet, count }) => [wallet, Number(count)]));
  } finally {
    await database.end();
  }
}
