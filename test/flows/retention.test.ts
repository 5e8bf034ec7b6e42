import { Client as Postgres } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '../../src/core/record-id.ts';
import { holderRecords } from '../../cli/holder/holder-records.ts';
import {
  cleanUpAfter,
  createMetadata,
  deployContract,
  indexTransfers,
  newClient,
  receiverAddress,
  stack,
  type Client,
} from '../fixtures/client.ts';
import { deployForwarder, newSigner, signedBurn, signedTransfer, storeTransfer } from '../fixtures/gasless.ts';
import { certificateInput } from '../fixtures/metadata-inputs.ts';

const DAY = 24 * 3_600_000;
const databaseUrl = stack.settings['DATABASE_URL'] ?? '';
const database = new Postgres({ connectionString: databaseUrl });
const BODY = '{"to":"0x1"}';
let client: Client;

beforeAll(async () => {
  client = await newClient();
  await database.connect();
});
afterAll(() => database.end());

/** Stores an event of a day in the past, and a delivery attempt of another day. */
async function stored(event: { days: number; status: string }, log: { days: number }) {
  const [eventId, logId] = [newId(Date.now() - event.days * DAY), newId(Date.now() - log.days * DAY)];
  const account = client.account._id;
  await database.query(
    `insert into webhook_events (id, corporate_account_id, type, related_order_id, payload)
     values ($1, $2, 'mint.confirmed', $1, '{"to":"0x1"}')`,
    [eventId, account],
  );
  await database.query(
    `insert into webhook_deliveries (id, webhook_event_id, webhook_endpoint_id, corporate_account_id, event_type,
       related_order_id, status, attempt_limit, next_attempt_at)
     select $1, $1, p.id, $2, 'mint.confirmed', $1, $3, 5, now() + interval '1 day'
     from webhook_endpoints p where p.corporate_account_id = $2 and p.managed_by = 'operator'`,
    [eventId, account, event.status],
  );
  await database.query(
    `insert into webhook_logs (id, webhook_delivery_id, corporate_account_id, event_type, target_url, related_order_id, payload_sent,
       status, attempt) values ($1, $2, $3, 'mint.confirmed', 'https://example.com', $2, '{"to":"0x1"}', 'SUCCESS', 1)`,
    [logId, eventId, account],
  );
  return { eventId, logId };
}

/** What is left of them: the event's payload, whether it has a delivery, and the log's body. */
async function left({ eventId, logId }: { eventId: string; logId: string }) {
  const events = await database.query('select payload from webhook_events where id = $1', [eventId]);
  const logs = await database.query('select payload_sent from webhook_logs where id = $1', [logId]);
  const deliveries = await database.query('select 1 from webhook_deliveries where webhook_event_id = $1', [eventId]);
  return [events.rows[0]?.payload, deliveries.rowCount, logs.rows[0]?.payload_sent];
}

it('the cleanup job empties old bodies, then deletes old logs and ended events, and nothing else', async () => {
  const cases = {
    recent: await stored({ days: 29, status: 'SUCCESS' }, { days: 29 }),
    oldBody: await stored({ days: 31, status: 'FAILED' }, { days: 31 }),
    // The event is younger than its row in the log, so that only the row is due.
    oldLog: await stored({ days: 89, status: 'SKIPPED' }, { days: 91 }),
    // The log row is younger: it goes with its event.
    oldEvent: await stored({ days: 91, status: 'SUCCESS' }, { days: 1 }),
    unfinished: await stored({ days: 91, status: 'RETRYING' }, { days: 1 }),
  };
  await cleanUpAfter(0);
  expect(await left(cases.recent)).toEqual([BODY, 1, BODY]);
  expect(await left(cases.oldBody)).toEqual([BODY, 1, '']);
  expect(await left(cases.oldLog)).toEqual([BODY, 1, undefined]);
  expect(await left(cases.oldEvent)).toEqual([undefined, 0, undefined]);
  expect(await left(cases.unfinished)).toEqual([BODY, 1, BODY]);
});

it('an old event stays while one of its deliveries is unfinished, and if one is replayed while the cleanup job runs', async () => {
  const partly = await stored({ days: 91, status: 'SUCCESS' }, { days: 1 });
  const { body: endpoint } = await client.post('/webhooks/endpoints', {
    url: 'https://example.com',
    eventTypes: ['wallet.low'],
  });
  await database.query(
    `insert into webhook_deliveries (id, webhook_event_id, webhook_endpoint_id, corporate_account_id, event_type, status,
       attempt_limit, next_attempt_at) values ($1, $2, $3, $4, 'mint.confirmed', 'PENDING', 5, now() + interval '1 day')`,
    [newId(), partly.eventId, endpoint.id, client.account._id],
  );
  const replayed = await stored({ days: 91, status: 'FAILED' }, { days: 1 });
  const gone = await stored({ days: 91, status: 'FAILED' }, { days: 1 });
  const replay = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
  await replay.connect();
  await replay.query('begin');
  await replay.query("update webhook_deliveries set status = 'PENDING' where id = $1", [replayed.eventId]);
  const cleanup = cleanUpAfter(0);
  try {
    await expect.poll(waitingForLocks).toBeGreaterThan(0);
  } finally {
    await replay.query('commit');
    await replay.end();
  }
  await cleanup;
  expect(await left(partly)).toEqual([BODY, 2, BODY]);
  expect(await left(replayed)).toEqual([BODY, 1, BODY]);
  expect(await left(gone)).toEqual([undefined, 0, undefined]);
});

/** How many statements on deliveries wait for another transaction. */
async function waitingForLocks(): Promise<number | null> {
  const { rowCount } = await database.query(
    "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%for update%webhook_logs%'",
  );
  return rowCount;
}

it('replies to requests with an Idempotency-Key are deleted after a day, and not before', async () => {
  const insert = (key: string, hours: number) =>
    database.query(
      `insert into idempotency_keys (corporate_account_id, key, request_hash, id_seed, status_code, body, created_at)
       values ($1, $2, 'hash', 'seed', 201, '{}', $3)`,
      [client.account._id, key, new Date(Date.now() - hours * 3_600_000)],
    );
  await insert('old', 25);
  await insert('young', 23);
  await cleanUpAfter(0);
  const { rows } = await database.query('select key from idempotency_keys where corporate_account_id = $1', [
    client.account._id,
  ]);
  expect(rows).toEqual([{ key: 'young' }]);
});

/** The tables with a row in which this text occurs, in any letter case. */
async function tablesWith(text: string): Promise<string[]> {
  const { rows } = await database.query(
    "select table_name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
  );
  const found: string[] = [];
  for (const { table_name: name } of rows) {
    const { rowCount } = await database.query(`select 1 from "${name}" t where t::text ilike $1 limit 1`, [
      `%${text}%`,
    ]);
    if (rowCount === 1) found.push(name);
  }
  return found.toSorted();
}

/**
 * Waits until a holder's orders and their deliveries have ended: the account's webhook has no URL, so a delivery ends
 * as soon as a consumer sees it.
 */
async function untilEnded(holder: { address: string }, orders: number): Promise<void> {
  await expect.poll(() => holderRecords(databaseUrl, holder.address, false)).toMatchObject({ orders, unfinished: 0 });
}

/** Runs the index until it has so many transfers of a contract; another run may have the chain. */
async function untilIndexed(contractAddress: string, transfers: number): Promise<void> {
  const count = async () => {
    await indexTransfers();
    const { rows } = await database.query(
      `select count(*)::int as count from token_transfers t join indexed_contracts i on i.contract_id = t.contract_id
       where i.contract_address = $1 and t.is_notified`,
      [contractAddress],
    );
    return rows[0].count;
  };
  await expect.poll(count, { interval: 500 }).toBe(transfers);
}

it('a holder is found in every table and erased from it, once the orders have ended; unfinished orders stay', async () => {
  const holder = newSigner();
  const hex = holder.address.slice(2);
  const forwarder = await deployForwarder(client);
  const { contractAddress } = await deployContract(client);
  const metadataId = await createMetadata(client);
  const order = { chainId: '43114', contractAddress, receiverAddress: holder.address, tokenId: '1', metadataId };
  const { body: minting } = await client.post('/minting/order', order);
  const minted = await client.until(`/minting/${minting.id}`, ['CONFIRMED', 'FAILED']);
  const transfer = { contractAddress, to: receiverAddress, tokenId: '1' } as const;
  const sent = await client.post('/transfer/execute', signedTransfer(holder, forwarder, transfer, { nonce: 0 }));
  const moved = await client.until(`/transfer/${sent.body.id}`, ['CONFIRMED', 'FAILED']);
  expect([minted['status'], moved['status']]).toEqual(['CONFIRMED', 'CONFIRMED']);
  await untilEnded(holder, 2);
  // The account has removed the holder from the document; the version before has it still.
  for (const [version, description] of [
    [1, `Made for ${holder.address}`],
    [2, null],
  ]) {
    const edited = await client.patch(`/metadata/${metadataId}`, { description }, { 'if-match': `"${version}"` });
    expect(edited.status).toBe(200);
  }
  await untilIndexed(contractAddress, 2);
  const before = ['attempts', 'forward_requests', 'metadata_versions', 'orders', 'token_transfers', 'webhook_events'];
  expect(await tablesWith(hex)).toEqual(before);

  const records = {
    orders: 2,
    signedRequests: 1,
    events: 2,
    deliveries: 2,
    deliveryLogs: 0,
    transfers: 2,
    holdings: 0,
    metadataVersions: 2,
    unfinished: 0,
    replies: 0,
  };
  const erased = await holderRecords(databaseUrl, holder.address, true);
  expect(erased).toEqual({ ...records, metadataIds: [metadataId] });
  expect(await tablesWith(hex)).toEqual([]);
  const resourceIds = [String(minting.id), String(sent.body.id)].toSorted();
  const { rows: entries } = await database.query('select * from audit_log where resource_ids = $1', [resourceIds]);
  // A hash of an address is as good as the address.
  expect(entries).toEqual([expect.objectContaining({ actor: 'command', route: 'erase-holder', body_hash: null })]);
  const { body } = await client.get(`/transfer/${sent.body.id}`);
  expect(body).toEqual({ ...moved, from: `0x${'0'.repeat(40)}` });

  const later = signedTransfer(holder, forwarder, transfer, { nonce: 1 });
  await storeTransfer(client, forwarder, later, new Date(Date.now() + DAY));
  expect(await holderRecords(databaseUrl, holder.address, true)).toMatchObject({ orders: 0, unfinished: 1 });
  expect(await tablesWith(hex)).toEqual(['forward_requests', 'orders']);
});

it('a holder is erased from burns and from revocations, and so is the reason of a revocation', async () => {
  const holder = newSigner();
  const forwarder = await deployForwarder(client);
  const deployed = await deployContract(client, { contractType: 'certificate', burnAuth: 'both' });
  const { contractAddress } = deployed;
  const issue = async (tokenId: string) => {
    const { body: document } = await client.post('/metadata', certificateInput);
    const order = { chainId: '43114', contractAddress, receiverAddress: holder.address, tokenId };
    const { body } = await client.post('/minting/order', {
      ...order,
      metadataId: document._id,
      metadataHash: document.metadataHash,
      tokenUri: 'https://example.com/certificate',
    });
    expect(await client.until(`/minting/${body.id}`, ['CONFIRMED', 'FAILED'])).toMatchObject({ status: 'CONFIRMED' });
  };
  await issue('1');
  await issue('2');
  const burn = signedBurn(holder, forwarder, { contractAddress, tokenId: '1' }, { nonce: 0 });
  const { body: burning } = await client.post('/burn/execute', burn.body);
  const { body: revoking } = await client.post('/certificates/revoke', {
    chainId: '43114',
    contractAddress,
    tokenId: '2',
    from: holder.address,
    reason: `Reported stolen by Jane Doe, ${holder.address}`,
  });
  const burned = await client.until(`/burn/${burning.id}`, ['CONFIRMED', 'FAILED']);
  const revoked = await client.until(`/certificates/revoke/${revoking.id}`, ['CONFIRMED', 'FAILED']);
  expect([burned['status'], revoked['status']]).toEqual(['CONFIRMED', 'CONFIRMED']);
  await untilEnded(holder, 4);
  await untilIndexed(contractAddress, 4);

  await holderRecords(databaseUrl, holder.address, true);
  expect([await tablesWith(holder.address.slice(2)), await tablesWith('Jane Doe')]).toEqual([[], []]);
  expect((await client.get(`/certificates/revoke/${revoking.id}`)).body).toEqual({
    ...revoked,
    from: `0x${'0'.repeat(40)}`,
    reason: '(erased)',
  });
});
