import { readFileSync } from 'node:fs';
import { Client as Postgres } from 'pg';
import type { Address } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CreatedAccount } from '../../cli/corporate/upsert-account.ts';
import { newId } from '../../src/core/record-id.ts';
import { fundWallet } from '../../cli/local-stack/fund-wallet.ts';
import { receiverAddress } from '../fixtures/client.ts';
import { flexibleInput } from '../fixtures/metadata-inputs.ts';
import { startOwnStack, type OwnStack } from '../fixtures/own-stack.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../fixtures/webhook-receiver.ts';

const chainId = '43114';
const MINTS = 3;

let stack: OwnStack;
let receiver: WebhookReceiver;
let account: CreatedAccount;
let database: Postgres;

beforeAll(async () => {
  [stack, receiver] = await Promise.all([startOwnStack({}), startWebhookReceiver()]);
  account = await stack.createAccount({ name: 'Measured', webhookUrl: receiver.url });
  await fundWallet(account.walletAddress as Address, [stack.rpcUrls[chainId] ?? '']);
  database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await stack.stop();
  await receiver.close();
});

const admin = () => ({ 'x-admin-secret-key': stack.settings['ADMIN_SECRET_KEY'] ?? '' });
const caller = () => ({
  'x-api-key': stack.settings['GLOBAL_SECRET_KEY'] ?? '',
  'x-corporate-id': account.corporateId,
});
const post = async (path: string, body: unknown) => {
  const headers = { ...caller(), 'content-type': 'application/json' };
  return (await stack.ask(path, headers, { method: 'POST', body: JSON.stringify(body) })).body;
};
const until = async (path: string, status: string) => {
  await expect
    .poll(async () => (await stack.ask(path, caller())).body.status, { timeout: 40_000, interval: 200 })
    .toBe(status);
};

async function text(): Promise<string> {
  const reply = await fetch(`${stack.baseUrl}/admin/metrics`, { headers: admin() });
  if (!reply.ok) throw new Error(await reply.text());
  return await reply.text();
}

/** The value of each series, by its name and labels as they are written. */
async function read(): Promise<ReadonlyMap<string, number>> {
  const lines = (await text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  );
}

const value = async (series: string) => (await read()).get(series);
const ofChain = (name: string) => `${name}{chain_id="${chainId}"}`;
const percentilesOf = (series: ReadonlyMap<string, number>, name: string, labels = `chain_id="${chainId}",`) =>
  [50, 95, 99].map((percentile) => series.get(`${name}{${labels}percentile="${percentile}"}`));

/**
 * Stores a transaction whose order was accepted these minutes ago, in a lane that nothing drives.
 * @returns how to remove it.
 */
async function storeWaiting(minutes: number, columns: Readonly<Record<string, string>> = {}) {
  const at = new Date(Date.now() - minutes * 60_000);
  const id = newId(at.getTime());
  const row = {
    id,
    kind: 'mint',
    order_id: id,
    corporate_account_id: account._id,
    chain_id: chainId,
    wallet_address: `0x${'de'.repeat(20)}`,
    state: 'waiting',
    next_try_at: at.toISOString(),
    created_at: at.toISOString(),
    ...columns,
  };
  const names = Object.keys(row);
  const places = names.map((_, index) => `$${index + 1}`);
  await database.query(`insert into orders (${names.join(', ')}) values (${places.join(', ')})`, Object.values(row));
  return () => database.query('delete from orders where id = $1', [id]);
}

/** The number of orders of mints that were answered with this class of status. */
const counted = (status: string) =>
  `nft_request_duration_seconds_count{method="POST",route="/minting/order",status="${status}"}`;

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABEL = String.raw`[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"`;
const NUMBER = String.raw`(?:[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?|[-+]Inf|NaN)`;
const HELP_LINE = new RegExp(`^# HELP (${NAME}) \\S.*$`);
const TYPE_LINE = new RegExp(`^# TYPE (${NAME}) (counter|gauge|histogram)$`);
const SAMPLE_LINE = new RegExp(`^(${NAME})(?:\\{${LABEL}(?:,${LABEL})*\\})? ${NUMBER}$`);

/** The lines that are not as in the text format: the help of a metric, its type, and its samples. */
function wrongLines(lines: readonly string[]): string[] {
  let family = '';
  let names: readonly string[] = [];
  return lines.filter((line) => {
    const [, helped] = HELP_LINE.exec(line) ?? [];
    const [, typed, type] = TYPE_LINE.exec(line) ?? [];
    const [, sampled = ''] = SAMPLE_LINE.exec(line) ?? [];
    if (helped !== undefined) {
      family = helped;
      return false;
    }
    if (typed === undefined) return !names.includes(sampled);
    names = type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => typed + end) : [typed];
    return typed !== family;
  });
}

/** The metrics that a document names. */
const namesIn = (file: string) =>
  new Set(
    readFileSync(file, 'utf8')
      .match(/\bnft_\w+/g)
      ?.map((found) => found.replace(/_(?:bucket|sum|count)$/, '')),
  );

describe('GET /admin/metrics', () => {
  it('is for the admin key alone', async () => {
    for (const headers of [{}, caller(), { 'x-admin-secret-key': 'x'.repeat(32) }]) {
      expect((await stack.ask('/admin/metrics', headers)).status).toBe(401);
    }
  });

  it('follows from what was ordered: how many, how long it took, and the calls to nodes', async () => {
    const started = Date.now();
    const fields = { name: 'Measured', symbol: 'M', ercStandard: '721', contractType: 'standard' };
    const { _id } = await post('/contracts/deploy', fields);
    await until(`/contracts/${_id}`, 'ACTIVE');
    const { contractAddress } = (await stack.ask(`/contracts/${_id}`, caller())).body;
    for (let tokenId = 1; tokenId <= MINTS; tokenId += 1) {
      const { _id: metadataId } = await post('/metadata', flexibleInput);
      const mint = { chainId, contractAddress, receiverAddress, tokenId: String(tokenId), metadataId };
      const { id } = await post('/minting/order', mint);
      await until(`/minting/${id}`, 'CONFIRMED');
    }
    await stack.ask('/webhooks/endpoints', { ...caller(), 'x-api-key': 'wrong' });
    await post('/minting/order', {});
    await expect.poll(() => receiver.deliveries.length).toBe(MINTS + 1);
    const seconds = (Date.now() - started) / 1_000;

    await expect.poll(() => value(counted('4xx')), { timeout: 30_000 }).toBe(1);
    const series = await read();
    expect(series.get(counted('2xx'))).toBe(MINTS);
    // Or the first failures would be no increase.
    expect(series.get(counted('5xx'))).toBe(0);
    // Nobody who is unknown causes work of the database.
    expect([...series.keys()].filter((key) => key.includes('/webhooks/endpoints'))).toEqual([]);
    expect(series.get(`nft_node_calls_total{chain_id="${chainId}",method="eth_sendRawTransaction"}`)).toBeGreaterThan(
      MINTS,
    );
    expect(series.get(ofChain('nft_recent_orders'))).toBe(MINTS + 1);
    for (const name of ['nft_accepted_to_signed_seconds', 'nft_signed_to_confirmed_seconds']) {
      const [median = 0, ...higher] = percentilesOf(series, name);
      expect(median).toBeGreaterThan(0);
      expect([median, ...higher]).toEqual([median, ...higher].toSorted((one = 0, other = 0) => one - other));
      expect(higher[1]).toBeLessThan(seconds);
    }
    for (const percentile of percentilesOf(series, 'nft_event_to_attempt_seconds', '')) {
      expect(percentile).toBeGreaterThan(0);
      expect(percentile).toBeLessThan(seconds);
    }
    expect(series.get(ofChain('nft_lanes_overdue'))).toBe(0);
    expect(series.get('nft_webhook_endpoints_late')).toBe(0);
  });

  it("is Prometheus' text format, line by line, and names nothing of an account", async () => {
    const reply = await fetch(`${stack.baseUrl}/admin/metrics`, { headers: admin() });
    expect(reply.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const body = await reply.text();
    expect(body.endsWith('\n')).toBe(true);
    const lines = body.trimEnd().split('\n');
    expect(wrongLines(lines)).toEqual([]);
    const families = lines.filter((line) => line.startsWith('# TYPE'));
    expect(new Set(families).size).toBe(families.length);
    const names = families.map((line) => line.split(' ')[2] ?? '');
    expect([...namesIn('docs/monitoring.md')].toSorted()).toEqual(names.toSorted());
    expect(names).toEqual(expect.arrayContaining([...namesIn('docs/prometheus-rules.yml')]));
    const series = lines.filter((line) => !line.startsWith('#')).map((line) => line.slice(0, line.lastIndexOf(' ')));
    expect(new Set(series).size).toBe(series.length);
    for (const secret of [account._id, account.corporateId, account.walletAddress.slice(2), receiver.url]) {
      expect(body.toLowerCase()).not.toContain(secret.toLowerCase());
    }
  });

  it('counts a lane as overdue once its work has been due for five minutes and nothing drives it', async () => {
    const remove = await storeWaiting(4);
    expect(await value(ofChain('nft_lanes_overdue'))).toBe(0);
    await remove();
    const removals = [await storeWaiting(6), await storeWaiting(7)];
    expect(await value(ofChain('nft_lanes_overdue'))).toBe(1);
    await database.query(
      `insert into lanes (chain_id, wallet_address, state, driven_at) values ($1, $2, 'stuck', now())`,
      [chainId, `0x${'de'.repeat(20)}`],
    );
    const driven = await read();
    await database.query('delete from lanes where wallet_address = $1', [`0x${'de'.repeat(20)}`]);
    for (const each of removals) await each();
    expect(driven.get(ofChain('nft_lanes_overdue'))).toBe(0);
    expect(driven.get(`nft_lanes{chain_id="${chainId}",state="stuck"}`)).toBe(1);
  });

  it('counts the time until now where an order is not signed, unless it waits for its account', async () => {
    const highest = async () => percentilesOf(await read(), 'nft_accepted_to_signed_seconds')[2] ?? 0;
    const held = await storeWaiting(10, { hold_reason: 'funds' });
    const awaiting = await storeWaiting(10, { approval_until: new Date(Date.now() + 3_600_000).toISOString() });
    expect(await highest()).toBeLessThan(300);
    const waiting = await storeWaiting(10, { hold_reason: 'not-now' });
    expect(await highest()).toBeGreaterThan(500);
    for (const remove of [held, awaiting, waiting]) await remove();
    const at = new Date(Date.now() - 120_000).toISOString();
    const signed = await storeWaiting(10, { state: 'signed', nonce: '0', spent_at: at });
    const series = await read();
    await signed();
    expect(percentilesOf(series, 'nft_signed_to_confirmed_seconds')[2]).toBeGreaterThan(100);
    expect(series.get(ofChain('nft_oldest_signed_seconds'))).toBeGreaterThanOrEqual(120);
  });

  it('tells how long a delivery has waited for its attempt, and how many endpoints wait', async () => {
    expect(await value('nft_webhook_lag_seconds')).toBeLessThan(100);
    const id = newId();
    await database.query(
      `insert into webhook_events (id, corporate_account_id, type, payload) values ($1, $2, 'mint.confirmed', '{}')`,
      [id, account._id],
    );
    await database.query(
      `insert into webhook_deliveries (id, webhook_event_id, webhook_endpoint_id, corporate_account_id, event_type, attempt_limit, next_attempt_at)
       select $1, $1, id, $2, 'mint.confirmed', 5, now() - interval '2 minutes' from webhook_endpoints where corporate_account_id = $2`,
      [id, account._id],
    );
    const series = await read();
    await database.query('delete from webhook_deliveries where id = $1', [id]);
    expect(series.get('nft_webhook_lag_seconds')).toBeGreaterThanOrEqual(120);
    expect(series.get('nft_webhook_endpoints_late')).toBe(1);
  });
});

it('a claim is unfinished, and its time runs, from when it is claimed', async () => {
  const { items } = (await stack.ask('/contracts', caller())).body;
  const { _id: metadataId } = await post('/metadata', flexibleInput);
  const { contractAddress } = items[0];
  const { id, url } = await post('/claims', { chainId, contractAddress, tokenId: '4711', metadataId });
  const HOUR = "interval '1 hour'";
  await database.query(`update orders set created_at = created_at - ${HOUR} where order_id = $1`, [id]);
  const counts = async () => {
    const { body } = await stack.ask('/status', admin());
    const { hours } = (await stack.ask('/admin/statistics', admin())).body;
    const awaiting = hours.reduce((sum: number, hour: { awaiting: number }) => sum + hour.awaiting, 0);
    const slowest = Math.max(...hours.map((hour: { p95Seconds: number | null }) => hour.p95Seconds ?? 0));
    return { awaiting: [body.awaiting, awaiting], slowest };
  };
  expect(await counts()).toMatchObject({ awaiting: [1, 1] });
  await post(`/claims/${id}/claim`, { secret: String(url).split('#')[1], receiverAddress });
  await until(`/minting/${id}`, 'CONFIRMED');
  const { awaiting, slowest } = await counts();
  expect(awaiting).toEqual([0, 0]);
  expect(slowest).toBeLessThan(3_000);
  const [, , longest] = percentilesOf(await read(), 'nft_accepted_to_signed_seconds');
  expect(longest).toBeLessThan(3_000);
});
