import { Client as Postgres } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/core/record-id.ts';
import { call, deployContract, newClient, orderMints, stack, type Client } from '../fixtures/client.ts';
import { setFaults } from '../fixtures/fault-proxy.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../fixtures/webhook-receiver.ts';

interface Item {
  readonly type: 'minting_order' | 'webhook_log';
  readonly id: string;
  readonly corporateId: string;
  readonly updatedAt: string;
  readonly [field: string]: unknown;
}

let database: Postgres;

beforeAll(async () => {
  database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
  await database.connect();
});
afterEach(() => Promise.all(Object.values(stack.proxies).map((proxy) => setFaults(proxy, [], 'admin'))));
afterAll(() => database.end());

const admin = (path: string) =>
  call(path, { headers: { 'x-admin-secret-key': stack.settings['ADMIN_SECRET_KEY'] ?? '' } });

async function countActivity(): Promise<number> {
  const { rows } = await database.query(
    `select (select count(*) from orders where resource = 'minting-orders') + (select count(*) from webhook_logs) as all`,
  );
  return Number(rows[0].all);
}

describe('GET /admin/recent-activity', () => {
  let client: Client;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    receiver = await startWebhookReceiver();
    client = await newClient({ webhookUrl: receiver.url });
    const { contractAddress } = await deployContract(client);
    const orders = await orderMints(client, '43114', contractAddress, 40);
    for (const { body } of orders) await client.until(`/minting/${body.id}`, ['CONFIRMED']);
  });

  it('returns orders and webhook attempts of all accounts, 30 per page, last updated first', async () => {
    await expect.poll(() => receiver.events.length).toBe(41);
    // The activity of other tests is included.
    const own: Item[] = [];
    for (let offset = 0; own.length < 81 && offset <= 900; offset += 30) {
      const { status, body } = await admin(`/admin/recent-activity?offset=${offset}`);
      expect(status).toBe(200);
      expect(body).toMatchObject({ limit: 30, offset });
      expect(body.nextOffset).toBe(body.items.length < 30 ? null : offset + 30);
      const times = body.items.map(({ updatedAt }: Item) => Date.parse(updatedAt));
      expect(times).toEqual(times.toSorted((a: number, b: number) => b - a));
      own.push(...body.items.filter(({ corporateId }: Item) => corporateId === client.account.corporateId));
    }
    const order = own.find(({ type }) => type === 'minting_order');
    // On a busy machine it may be the second one.
    const log = own.find(({ event_type: event, status }) => event === 'mint.confirmed' && status === 'SUCCESS');
    if (order === undefined || log === undefined) throw new Error('An order and a log of the account were expected');
    const { body: read } = await client.get(`/minting/${order.id}`);
    expect(read).toMatchObject({
      id: order.id,
      status: order['status'],
      txHash: order['txHash'],
      tokenId: order['tokenId'],
      updatedAt: order.updatedAt,
    });
    expect(log).toMatchObject({ type: 'webhook_log', target_url: receiver.url, response_status_code: 200 });
    expect(receiver.deliveries.map(({ body }) => body)).toContain(log['payload_sent']);
    expect(log['related_order_id']).toBe(JSON.parse(String(log['payload_sent'])).data.id);
  });

  it('ends after the last page', async () => {
    // Another file deletes the orders of its test of long lists after a few seconds.
    await expect.poll(countActivity).toBeLessThan(9_000);
    const { body } = await admin(`/admin/recent-activity?offset=${(await countActivity()) + 1_000}`);
    expect(body).toMatchObject({ items: [], nextOffset: null });
  });

  it.each(['-1', 'x', '1.5', '10001', '99999999'])('refuses the offset %s', async (offset) => {
    const { status, body } = await admin(`/admin/recent-activity?offset=${offset}`);
    expect(status).toBe(400);
    expect(body.errors[0].path).toBe('offset');
  });
});

describe('GET /status', () => {
  it('reports queues, work by state, wallets and balances', async () => {
    const client = await newClient();
    const { contractAddress } = await deployContract(client);
    const [order] = await orderMints(client, '43114', contractAddress, 1);
    await client.until(`/minting/${order?.body.id}`, ['CONFIRMED']);
    const { status, body } = await admin('/status');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      service: 'nft-issuance-service',
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    });
    // Other tests make this chain unavailable at times.
    expect(body.unavailable.filter((part: string) => part !== 'chain 43113')).toEqual([]);
    expect(Object.keys(body.queues)).toEqual(['deploy', 'mint', 'transfer', 'webhook', 'import']);
    for (const queue of Object.values<{ messages: number }>(body.queues)) {
      expect(queue.messages).toBeGreaterThanOrEqual(0);
    }
    expect(body.work.minting.CONFIRMED).toBeGreaterThanOrEqual(1);
    expect(body.work.contracts.ACTIVE).toBeGreaterThanOrEqual(1);
    expect(Object.keys(body.work)).toEqual(
      expect.arrayContaining(['minting', 'transfers', 'ownershipTransfers', 'contracts', 'webhookEvents']),
    );
  });

  it('reports how many nonces a wallet has in flight', async () => {
    const client = await newClient();
    const { _id, walletAddress, corporateId } = client.account;
    const ids = [newId(), newId(), newId()];
    for (const [nonce, id] of ids.entries()) {
      await database.query(
        `insert into orders (id, kind, order_id, corporate_account_id, chain_id, wallet_address, state, nonce, next_try_at)
         values ($1, 'mint', $1, $2, '43114', $3, $4, $5, now())`,
        [id, _id, walletAddress.toLowerCase(), nonce === 2 ? 'waiting' : 'signed', nonce === 2 ? null : nonce],
      );
    }
    const { body } = await admin('/status');
    await database.query('delete from orders where id = any($1)', [ids]);
    expect(body.walletsInFlight).toContainEqual({
      chainId: '43114',
      walletAddress,
      corporateId,
      corporateName: 'Test',
      nonces: 2,
    });
  });
});

describe('the API description', () => {
  it('has the replies of the wallet, the assets and the admin routes', async () => {
    const { body } = await call('/openapi.json');
    const reply = (path: string, method: string, status: string) => {
      const { $ref, content } = body.paths[path][method].responses[status];
      return $ref ?? content['application/json'].schema.$ref;
    };
    expect(reply('/api/wallet/nfts', 'get', '200')).toBe('#/components/schemas/WalletNfts');
    expect(reply('/api/wallet/nfts', 'get', '429')).toBe('#/components/responses/TooManyRequests');
    expect(reply('/assets/upload', 'post', '201')).toBe('#/components/schemas/Asset');
    expect(reply('/admin/recent-activity', 'get', '200')).toBe('#/components/schemas/RecentActivity');
    expect(reply('/status', 'get', '200')).toBe('#/components/schemas/ServiceStatus');
    const { ServiceStatus, RecentActivity, WalletNft } = body.components.schemas;
    expect(Object.keys(ServiceStatus.properties)).toContain('walletsInFlight');
    expect(Object.keys(RecentActivity.properties)).toEqual(['items', 'limit', 'offset', 'nextOffset']);
    expect(Object.keys(WalletNft.properties)).toContain('corporateId');
  });
});
