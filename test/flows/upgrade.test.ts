import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AwsClient } from 'aws4fetch';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import { Client as Postgres } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createWalletClient,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  http,
  keccak256,
  parseGwei,
  publicActions,
  zeroAddress,
} from 'viem';
import type { Address, Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { minimalForwarder } from '../../contracts/artifacts/MinimalForwarder.ts';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import { fireCron } from '../../stack/fire-cron.ts';
import { fundWallet } from '../../stack/fund-wallet.ts';
import { secretsSettingsSchema, walletSecretId } from '../../operations/accounts/wallet-secret.ts';
import { Webhook } from 'standardwebhooks';
import { newId } from '../../src/core/ids.ts';
import { DEPLOYMENT_PROXY, create2Address, create2Call, saltOf } from '../../src/orders/deploy/create2.ts';
import { applyMigrations } from '../../operations/apply-migrations.ts';
import { startNeonEndpoint } from '../../stack/stand-ins/neon-endpoint.ts';
import { startBuiltWorker } from '../fixtures/built-worker.ts';
import { receiverAddress, stack } from '../fixtures/client.ts';
import { newSigner, signedTransfer } from '../fixtures/gasless.ts';
import { startWebhookReceiver } from '../fixtures/webhook-receiver.ts';

// Upgrades a database of the first engine that has work in every state, which the lanes then finish.

const chainId = '43114';
const LAST_OF_FIRST_ENGINE = '0001_units_under_way';
const OLD = new Date(Date.now() - 3_600_000);

const closing: (() => unknown)[] = [];
let database: Postgres;
let databaseUrl: string;

const privateKey = generatePrivateKey();
const account = privateKeyToAccount(privateKey);
const wallet = createWalletClient({ account, transport: http(stack.rpcUrls[chainId]) }).extend(publicActions);
const webhookSecret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
let accountId: string;
let nextNonce = 0;

/** The tables as the first engine had them. */
async function migrateToFirstEngine(url: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'migrations-'));
  cpSync('migrations', folder, { recursive: true });
  const path = join(folder, 'meta/_journal.json');
  const journal = JSON.parse(readFileSync(path, 'utf8')) as { entries: { tag: string }[] };
  const last = journal.entries.findIndex(({ tag }) => tag === LAST_OF_FIRST_ENGINE);
  writeFileSync(path, JSON.stringify({ ...journal, entries: journal.entries.slice(0, last + 1) }));
  const client = new Postgres({ connectionString: url });
  await client.connect();
  await migrate(drizzle(client), { migrationsFolder: folder });
  await client.end();
  rmSync(folder, { recursive: true });
}

async function insert(table: string, row: Readonly<Record<string, unknown>>): Promise<void> {
  const columns = Object.keys(row);
  await database.query(
    `insert into ${table} (${columns.map((column) => `"${column}"`).join(', ')})
     values (${columns.map((_, index) => `$${index + 1}`).join(', ')})`,
    Object.values(row),
  );
}

const times = { created_at: OLD, updated_at: OLD };

async function insertContract(contract_address: Address | null, row: Readonly<Record<string, unknown>> = {}) {
  const id = newId(OLD.getTime());
  await insert('contracts', {
    id,
    corporate_account_id: accountId,
    chain_id: chainId,
    name: 'Old',
    symbol: 'OLD',
    erc_standard: '721',
    contract_type: 'standard',
    status: contract_address === null ? 'DEPLOYING' : 'ACTIVE',
    current_owner_address: account.address,
    royalty_receiver: account.address,
    royalty_fee_bps: 0,
    contract_address: contract_address?.toLowerCase() ?? null,
    ...times,
    ...row,
  });
  return id;
}

interface Minting {
  readonly contractId: string;
  readonly contractAddress: Address;
}

async function insertMint({ contractId, contractAddress }: Minting, tokenId: number, status: string) {
  const metadataId = newId(OLD.getTime());
  const utility = { type: 'Flexible', data: { status: 'Unused' } };
  await insert('metadata', {
    id: metadataId,
    corporate_account_id: accountId,
    chain_id: chainId,
    name: 'A token',
    image_url: 'https://example.com/a.png',
    attributes: '[]',
    utility,
    schema_version: 'opensea_flexible@1.0.0',
    standard_fields: { name: 'A token', image: 'https://example.com/a.png', attributes: [], utility },
  });
  const id = newId(OLD.getTime());
  await insert('minting_orders', {
    id,
    corporate_account_id: accountId,
    contract_id: contractId,
    chain_id: chainId,
    contract_address: contractAddress.toLowerCase(),
    erc_standard: '721',
    receiver_address: receiverAddress,
    token_id: String(tokenId),
    amount: 1,
    metadata_id: metadataId,
    status,
    mode: 'direct',
    ...times,
  });
  return id;
}

/** Inserts the first engine's row of an operation; `raws` are its attempts, oldest first. */
async function insertOperation(
  kind: string,
  orderId: string,
  state: string,
  { raws = [], lost = [], nonce = null }: { raws?: readonly Hex[]; lost?: readonly Hex[]; nonce?: number | null } = {},
) {
  await insert('transactions', {
    id: newId(OLD.getTime()),
    kind,
    order_id: orderId,
    chain_id: chainId,
    wallet_address: account.address,
    state,
    nonce,
    raw_transaction: raws.at(-1) ?? null,
    hashes: [...lost, ...raws.map((raw) => keccak256(raw))],
    max_fee_per_gas: raws.length === 0 ? null : parseGwei('30').toString(),
    max_priority_fee_per_gas: raws.length === 0 ? null : parseGwei('1').toString(),
    signed_at: raws.length === 0 ? null : OLD,
    ...times,
  });
}

function sign(nonce: number, to: Address, data: Hex, gas = 300_000n, tip = '1'): Promise<Hex> {
  return account.signTransaction({
    type: 'eip1559',
    chainId: Number(chainId),
    nonce,
    to,
    data,
    gas,
    maxFeePerGas: parseGwei('30'),
    maxPriorityFeePerGas: parseGwei(tip),
  });
}

const mintCall = (tokenId: number) =>
  encodeFunctionData({ ...standard721, functionName: 'mint', args: [receiverAddress, BigInt(tokenId)] });

async function mined(raw: Hex): Promise<void> {
  const hash = await wallet.sendRawTransaction({ serializedTransaction: raw });
  await wallet.waitForTransactionReceipt({ hash });
}

/** Creates a contract without the service, which uses a nonce. */
async function create(data: Hex): Promise<Address> {
  const hash = await wallet.sendTransaction({ chain: null, data, nonce: nextNonce });
  await wallet.waitForTransactionReceipt({ hash });
  nextNonce += 1;
  return getContractAddress({ from: account.address, nonce: BigInt(nextNonce - 1) });
}

function tokenContract(forwarder: Address): Hex {
  const { address } = account;
  return encodeDeployData({ ...standard721, args: ['Old', 'OLD', address, forwarder, '', address, 0n] });
}

/** Inserts an accepted transfer that its holder signed. */
async function insertTransfer(forwarder: Address, contractAddress: Address, holder: ReturnType<typeof newSigner>) {
  const id = newId(OLD.getTime());
  const move = { contractAddress, to: receiverAddress, tokenId: '50' } as const;
  const { signature, gasLimit } = signedTransfer(holder, forwarder, move, { nonce: 0 });
  const common = {
    corporate_account_id: accountId,
    chain_id: chainId,
    contract_address: contractAddress.toLowerCase(),
  };
  await insert('transfer_orders', {
    id,
    ...common,
    erc_standard: '721',
    from: holder.address,
    to: receiverAddress,
    token_id: '50',
    amount: 1,
    status: 'PENDING',
    ...times,
  });
  const args = [holder.address, receiverAddress, 50n] as const;
  await insert('forward_requests', {
    order_id: id,
    kind: 'transfer',
    ...common,
    forwarder_address: forwarder.toLowerCase(),
    signer_address: holder.address.toLowerCase(),
    nonce: '0',
    gas_limit: gasLimit,
    data: encodeFunctionData({ ...standard721, functionName: 'safeTransferFrom', args }),
    signature,
    state: 'open',
  });
  return id;
}

const statusOf = async (table: string, id: string) =>
  (await database.query(`select status from ${table} where id = $1`, [id])).rows[0]?.status as string;

beforeAll(async () => {
  const url = new URL(stack.ownerDatabaseUrl);
  const admin = new Postgres({ connectionString: url.href });
  await admin.connect();
  const name = `upgrade_${newId()}`;
  await admin.query(`create database ${name}`);
  await admin.end();
  url.pathname = `/${name}`;
  databaseUrl = url.href;
  await migrateToFirstEngine(databaseUrl);
  database = new Postgres({ connectionString: databaseUrl });
  await database.connect();
  closing.push(() => database.end());
});
afterAll(async () => {
  for (const close of closing.toReversed()) await close();
});

describe('a database of the first engine', () => {
  it('is upgraded with work in every state, which the lanes finish exactly once', async () => {
    const receiver = await startWebhookReceiver();
    closing.push(() => receiver.close());
    const secrets = secretsSettingsSchema.parse(stack.settings);
    const corporateId = crypto.randomUUID();
    const store = new AwsClient({
      accessKeyId: secrets.AWS_ACCESS_KEY_ID,
      secretAccessKey: secrets.AWS_SECRET_ACCESS_KEY,
      region: secrets.AWS_REGION,
      service: 'secretsmanager',
    });
    const secret = { Name: walletSecretId('local', corporateId), ClientRequestToken: crypto.randomUUID() };
    await store.fetch(secrets.SECRETS_ENDPOINT ?? '', {
      method: 'POST',
      headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'secretsmanager.CreateSecret' },
      body: JSON.stringify({ ...secret, SecretString: JSON.stringify({ privateKey }) }),
    });
    accountId = newId(OLD.getTime());
    await insert('corporate_accounts', {
      id: accountId,
      corporate_id: corporateId,
      corporate_name: 'Old',
      secret_manager_key_id: walletSecretId('local', corporateId),
      wallet_address: account.address,
      webhook_url: receiver.url,
      webhook_secret: webhookSecret,
      ...times,
    });
    await fundWallet(account.address, [stack.rpcUrls[chainId] ?? '']);

    const forwarder = await create(encodeDeployData({ ...minimalForwarder, args: [] }));
    await insertContract(forwarder, { erc_standard: 'Forwarder', contract_type: null });
    const contractAddress = await create(tokenContract(forwarder));
    const contractId = await insertContract(contractAddress);
    await insertOperation('deploy', contractId, 'confirmed', { nonce: nextNonce - 1 });
    const minting = { contractId, contractAddress };
    const handed = await create(tokenContract(zeroAddress));
    const holder = newSigner();
    const mintToHolder = { ...standard721, functionName: 'mint', args: [holder.address, 50n] } as const;
    await mined(await sign(nextNonce, contractAddress, encodeFunctionData(mintToHolder)));
    nextNonce += 1;

    // Ended.
    const failed = await insertMint(minting, 90, 'FAILED');
    await mined(await sign(nextNonce, account.address, '0x', 21_000n));
    await insertOperation('mint', failed, 'reverted', { nonce: nextNonce, lost: [`0x${'0a'.repeat(32)}`] });
    nextNonce += 1;
    const dropped = await insertMint(minting, 91, 'FAILED');
    await insertOperation('mint', dropped, 'dropped');

    // Sent and mined; of the second one's attempt only the hash is known.
    const sent = await insertMint(minting, 1, 'SENT');
    const sentRaw = await sign(nextNonce, contractAddress, mintCall(1));
    await mined(sentRaw);
    await insertOperation('mint', sent, 'broadcast', { raws: [sentRaw], nonce: nextNonce });
    nextNonce += 1;
    const replaced = await insertMint(minting, 2, 'SENT');
    const raws = [
      await sign(nextNonce, contractAddress, mintCall(2)),
      await sign(nextNonce, contractAddress, mintCall(2), 300_000n, '2'),
    ];
    await mined(raws[0] ?? '0x');
    await insertOperation('mint', replaced, 'broadcast', { raws, nonce: nextNonce });
    nextNonce += 1;
    const deploying = await insertContract(null);
    // As if an earlier version had different creation code.
    const code: Hex = `${tokenContract(zeroAddress)}00`;
    const deployRaw = await sign(nextNonce, DEPLOYMENT_PROXY, create2Call(saltOf(deploying), code), 5_000_000n);
    await mined(deployRaw);
    await insertOperation('deploy', deploying, 'broadcast', { raws: [deployRaw], nonce: nextNonce });
    nextNonce += 1;

    // Signed and never sent; sent and lost.
    const signed = await insertMint(minting, 3, 'PROCESSING');
    const signedRaw = await sign(nextNonce, contractAddress, mintCall(3));
    await insertOperation('mint', signed, 'signed', { raws: [signedRaw], nonce: nextNonce });
    nextNonce += 1;
    const lost = await insertMint(minting, 4, 'SENT');
    const lostRaw = await sign(nextNonce, contractAddress, mintCall(4));
    await insertOperation('mint', lost, 'broadcast', { raws: [lostRaw], nonce: nextNonce });
    nextNonce += 1;

    // Not signed: claimed, claimed again after a foreign transaction used its nonce, and not claimed.
    const preparing = await insertMint(minting, 5, 'PROCESSING');
    await insertOperation('mint', preparing, 'preparing');
    const again = await insertMint(minting, 6, 'PROCESSING');
    await insertOperation('mint', again, 'preparing', { lost: [`0x${'0b'.repeat(32)}`] });
    const pending = await insertMint(minting, 7, 'PENDING');
    const waiting = await insertContract(null);
    await insertOperation('fill', newId(), 'preparing');

    const ownershipTransfer = newId(OLD.getTime());
    await insert('ownership_transfers', {
      id: ownershipTransfer,
      corporate_account_id: accountId,
      contract_id: await insertContract(handed),
      chain_id: chainId,
      contract_address: handed.toLowerCase(),
      new_owner_address: holder.address,
      status: 'PENDING',
      ...times,
    });
    const transfer = await insertTransfer(forwarder, contractAddress, holder);

    const event = newId();
    const eventOf = { corporate_account_id: accountId, type: 'mint.failed', related_order_id: failed };
    await insert('webhook_events', {
      id: event,
      ...eventOf,
      payload: '{"retried":true}',
      status: 'RETRYING',
      attempts: 1,
      next_attempt_at: OLD,
    });
    await insert('webhook_logs', {
      id: newId(),
      webhook_event_id: event,
      corporate_account_id: accountId,
      event_type: 'mint.failed',
      target_url: receiver.url,
      related_order_id: failed,
      payload_sent: '{"retried":true}',
      status: 'RETRYING',
      response_status_code: 503,
      attempt: 1,
    });
    const delivered = newId();
    await insert('webhook_events', { id: delivered, ...eventOf, payload: '{}', status: 'SUCCESS', attempts: 1 });

    await applyMigrations(databaseUrl);
    const endpoint = await startNeonEndpoint({ databaseUrl });
    closing.push(() => endpoint.stop());
    const settings = { ...stack.settings, DATABASE_URL: databaseUrl, NEON_FETCH_ENDPOINT: endpoint.url };
    const worker = await startBuiltWorker(stack.worker, settings);
    closing.push(() => worker.stop());
    const before = await wallet.getTransactionCount({ address: account.address });
    await fireCron(worker.url, Date.now());

    const unfinished = async () =>
      (await database.query("select kind, order_id from transactions where state in ('waiting', 'signed')")).rows;
    await expect.poll(unfinished, { timeout: 50_000 }).toEqual([]);
    for (const id of [sent, replaced, signed, lost, preparing, again, pending]) {
      expect([id, await statusOf('minting_orders', id)]).toEqual([id, 'CONFIRMED']);
    }
    for (const id of [failed, dropped]) expect(await statusOf('minting_orders', id)).toBe('FAILED');
    for (const id of [deploying, waiting]) expect(await statusOf('contracts', id)).toBe('ACTIVE');
    expect(await statusOf('ownership_transfers', ownershipTransfer)).toBe('CONFIRMED');
    expect(await statusOf('transfer_orders', transfer)).toBe('CONFIRMED');
    const { rows } = await database.query('select contract_address from contracts where id = $1', [deploying]);
    expect(rows[0].contract_address).toBe(create2Address(saltOf(deploying), code));

    const mints = await wallet.getContractEvents({
      ...standard721,
      address: contractAddress,
      eventName: 'Transfer',
      args: { from: zeroAddress },
      fromBlock: 0n,
    });
    const tokens = mints.map(({ args }) => Number(args.tokenId)).toSorted((a, b) => a - b);
    expect(tokens).toEqual([1, 2, 3, 4, 5, 6, 7, 50]);
    // Two signed mints, three unsigned ones, a deployment, a filler, an ownership transfer and a transfer.
    expect(await wallet.getTransactionCount({ address: account.address })).toBe(before + 9);
    await expect.poll(() => receiver.deliveries.length).toBe(12);

    // The webhook is an endpoint now; what was under way goes on with the same id and secret, and what had ended stays ended.
    const retried = receiver.deliveries.filter(({ headers }) => headers['webhook-id'] === `evt_${event}`);
    expect(retried.map(({ body }) => body)).toEqual(['{"retried":true}']);
    for (const { body, headers } of receiver.deliveries) {
      new Webhook(webhookSecret).verify(body, headers as Record<string, string>);
    }
    expect(receiver.deliveries.map(({ headers }) => headers['webhook-id'])).not.toContain(`evt_${delivered}`);
    const storedSecrets = async () => (await database.query('select secret as stored from webhook_endpoints')).rows;
    const encrypted = { stored: expect.stringMatching(/^local\.[A-Za-z0-9+/]{16}\./) };
    await expect.poll(storedSecrets).toEqual([encrypted]);
    const { rows: attempts } = await database.query(
      'select attempt, status, response_status_code from webhook_logs where webhook_delivery_id = $1 order by attempt',
      [event],
    );
    expect(attempts).toEqual([
      { attempt: 1, status: 'RETRYING', response_status_code: 503 },
      { attempt: 2, status: 'SUCCESS', response_status_code: 200 },
    ]);
  });
});
