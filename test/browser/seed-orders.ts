import { Client } from 'pg';
import { inject } from 'vitest';
import { newId } from '../../src/core/record-id.ts';

/** What was seeded. */
export interface Seeded {
  readonly corporateId: string;
  readonly walletAddress: string;
  readonly contractAddress: string;
  /** A FAILED delivery of the account. */
  readonly deliveryId: string;
}

/**
 * Stores orders of one account, spread over the last 7 days, as if they had been carried out: most are CONFIRMED, every
 * 97th FAILED. They are stored without the API, which would take an hour for 100,000.
 */
export async function seedOrders(count: number): Promise<Seeded> {
  const database = new Client({ connectionString: inject('info').databaseUrl });
  await database.connect();
  const [accountId, contractId, metadataId, endpointId] = Array.from({ length: 4 }, () => newId());
  const corporateId = 'acme-watches';
  const walletAddress = '0x5aE0000000000000000000000000000000000A01';
  const contractAddress = `0x${'ac'.repeat(20)}`;
  await database.query(
    `insert into corporate_accounts (id, corporate_id, corporate_name, secret_manager_key_id, wallet_address)
     values ($1, $2, 'Acme Watches', 'acme', $3)`,
    [accountId, corporateId, walletAddress],
  );
  await database.query(
    `insert into contracts (id, corporate_account_id, chain_id, name, symbol, erc_standard, contract_type, status, contract_address, created_at)
     values ($1, $2, '43114', 'Acme', 'ACME', '1155', 'standard', 'ACTIVE', $3, now())`,
    [contractId, accountId, contractAddress],
  );
  await database.query(
    `insert into metadata (id, corporate_account_id, chain_id, schema_version, standard_fields)
     values ($1, $2, '43114', 'opensea_flexible@1.0.0',
       '{"name":"Acme","image":"https://example.com/a.png","attributes":[],"utility":{"type":"Flexible","data":{}}}')`,
    [metadataId, accountId],
  );
  // More orders at some hours than at others.
  await database.query(
    `create temporary table seeded as
     select n, at, lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || lpad(to_hex(n), 12, '0') as id, n % 97 = 0 as failed,
       interval '1 second' * (1.4 + (n % 13) * 0.11 + (case when n % 20 = 0 then 5 else 0 end)) as took, 0.0011 + (n % 7) * 0.0001 as fee
     from (select n, now() - interval '1 day' * (d + 0.04 * sin(4 * pi() * d)) - interval '1 minute' as at
       from (select n, 7 * n::float / $1 as d from generate_series(1, $1) n) days) times`,
    [count],
  );
  await database.query(
    `insert into orders (id, kind, order_id, resource, corporate_account_id, contract_id, chain_id, contract_address, erc_standard,
       receiver_address, token_id, amount, metadata_id, wallet_address, state, nonce, next_try_at, tx_hash, block_number, spent_wei, spent_at, is_final,
       endings, total_fee_native, error_message, completed_at, created_at, updated_at)
     select id, 'mint', id, 'minting-orders', $1, $4, '43114', $5, '1155', '0x' || lpad(to_hex(n % 5000), 40, '0'), n::text, 1, $6, lower($2),
       case when failed then 'failed' else 'confirmed' end, case when failed then null else $3 - n end, at,
       case when failed then null else '0x' || md5(n::text) || md5('-' || n) end, $3 - n, fee * 1e18, case when failed then null else at end, true, 1,
       case when failed then null else fee end, case when failed then 'The token exists' end, at + took, at, at + took from seeded`,
    [accountId, walletAddress, count, contractId, contractAddress, metadataId],
  );
  await database.query(
    `insert into attempts (transaction_id, number, nonce, hash, raw, purpose, gas, max_fee_per_gas, max_priority_fee_per_gas, created_at)
     select id, 1, $1 - n, '0x' || md5(n::text) || md5('-' || n), '0x', 'effect', 84000, 52000000000, 1000000000, at + interval '200 milliseconds'
     from seeded where not failed`,
    [count],
  );
  await database.query(
    `insert into webhook_endpoints (id, corporate_account_id, managed_by, url, secret_id, secret)
     values ($1, $2, 'operator', 'https://hooks.acme.example/nft', $1, 'whsec_unused')`,
    [endpointId, accountId],
  );
  await database.query(
    `insert into webhook_events (id, corporate_account_id, type, related_order_id, payload, created_at)
     select id, $1, case when failed then 'mint.failed' else 'mint.confirmed' end, id, '{}', at + took from seeded`,
    [accountId],
  );
  await database.query(
    `insert into webhook_deliveries (id, webhook_event_id, webhook_endpoint_id, corporate_account_id, event_type, related_order_id, status, attempts,
       attempt_limit, next_attempt_at, created_at, updated_at)
     select id, id, $1, $2, case when failed then 'mint.failed' else 'mint.confirmed' end, id,
       case when n % 2500 = 7 then 'FAILED' else 'SUCCESS' end, case when n % 2500 = 7 then 5 else 1 end, 5, at + took, at + took, at + took from seeded`,
    [endpointId, accountId],
  );
  await database.query(
    `insert into webhook_logs (id, webhook_delivery_id, corporate_account_id, event_type, target_url, payload_sent, status, response_status_code,
       attempt)
     select id, id, $1, event_type, 'https://hooks.acme.example/nft', '{}', 'FAILED', 503, attempts from webhook_deliveries
     where status = 'FAILED' and corporate_account_id = $1`,
    [accountId],
  );
  for (const table of ['orders', 'attempts', 'webhook_events', 'webhook_deliveries']) {
    await database.query(`vacuum analyze ${table}`);
  }
  const { rows } = await database.query<{ id: string }>(
    `select id from webhook_deliveries where status = 'FAILED' and corporate_account_id = $1 order by id desc limit 1`,
    [accountId],
  );
  await database.end();
  return { corporateId, walletAddress, contractAddress, deliveryId: rows[0]?.id ?? '' };
}
