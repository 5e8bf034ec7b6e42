import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client as Postgres } from 'pg';
import { createTestClient, http, numberToHex, parseGwei, publicActions, type Address } from 'viem';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { standard1155 } from '../../contracts/artifacts/Standard1155.ts';
import { upsertAccount } from '../../cli/corporate/upsert-account.ts';
import { secretsSettingsSchema } from '../../cli/corporate/wallet-secret.ts';
import { connectApi, type Api } from '../../scripts/demo/api.ts';
import { startBackingServices, type BackingServices } from '../../stack/backing-services.ts';
import { fireCron } from '../../stack/fire-cron.ts';
import { fundWallet } from '../../cli/local-stack/fund-wallet.ts';
import { startHealthyWorker, type BuiltWorker } from '../fixtures/built-worker.ts';
import { setFaults, startFaultProxy, statementTagged, type FaultProxy } from '../fixtures/fault-proxy.ts';
import { removeStackDirectory } from '../record/record-stack.ts';

const chainId = '43114';
const BATCHES = 12;
const ORDERS = 10;
/** Orders of one holder never share a transaction: of each batch seven do, and three go alone. */
const HOLDERS = 7;
/**
 * How long the node of one Worker hides the receipts, before the other's does: longer than a driver trusts in their
 * coming.
 */
const HIDDEN_MS = 6_000;
/** Base fees of the blocks, in gwei: each rise is above what was offered before, so that it is replaced. */
const BASE_FEES = [1, 1, 5, 1, 30, 1, 120, 1];

interface Instance {
  readonly worker: BuiltWorker;
  readonly api: Api;
  /** Where its chain is asked. */
  readonly node: FaultProxy;
  /** Where its database is asked. */
  readonly database: FaultProxy;
}

let dataDir: string;
let services: BackingServices;
let instances: readonly [Instance, Instance];
let walletAddress: Address;
let corporateId: string;
let database: Postgres;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'stack-two-'));
  services = await startBackingServices({ dataDir, baseUrl: 'http://127.0.0.1:9' });
  const account = await upsertAccount(
    { name: 'Two' },
    {
      databaseUrl: services.databaseUrl,
      secrets: secretsSettingsSchema.parse(services.workerSettings),
      environment: 'local',
    },
  );
  walletAddress = account.walletAddress as Address;
  corporateId = account.corporateId;
  await fundWallet(walletAddress, Object.values(services.rpcUrls));
  database = new Postgres({ connectionString: services.databaseUrl });
  await database.connect();
  const start = async (): Promise<Instance> => {
    const node = await startFaultProxy(services.rpcUrls[chainId] ?? '');
    // Two names of one node: what the chain would do twice shares no transaction where a single node says what was done.
    const proxy = await startFaultProxy(services.workerSettings['NEON_FETCH_ENDPOINT'] ?? '');
    const settings = {
      ...services.workerSettings,
      [`RPC_URL_${chainId}`]: `${node.url},${node.url}/?second`,
      NEON_FETCH_ENDPOINT: proxy.url,
    };
    const worker = await startHealthyWorker(inject('stack').worker, settings);
    const { apiKey, adminSecret } = services.credentials;
    const { databaseUrl, rpcUrls } = services;
    const info = { baseUrl: worker.url, apiKey, adminSecret, corporateId, walletAddress, rpcUrls, databaseUrl, pid: 1 };
    return { worker, api: connectApi(info), node, database: proxy };
  };
  instances = [await start(), await start()];
});

afterAll(async () => {
  await database.end();
  await Promise.all(instances.map(({ worker }) => worker.stop()));
  await Promise.all(instances.flatMap((one) => [one.node.close(), one.database.close()]));
  await services.stop();
  await removeStackDirectory(dataDir);
});

const importRow = (tokenId: number) =>
  `${numberToHex(0xb0b, { size: 20 })},${tokenId},A,https://example.com/a.png,Flexible,Unused`;
const importSchema = z.object({ id: z.string() });
const count = async (text: string) => Number((await database.query(text)).rows[0].count);

it('two Workers that know nothing of each other carry each order of one wallet out exactly once while its bytes are replaced', async () => {
  const [{ api }] = instances;
  const chain = createTestClient({ mode: 'anvil', transport: http(services.rpcUrls[chainId]) }).extend(publicActions);
  const deployed = await api.post('/contracts/deploy', {
    chainId,
    name: 'Two',
    symbol: 'TWO',
    ercStandard: '1155',
    contractType: 'standard',
  });
  const { contractAddress } = await api.result(`/contracts/${String(deployed['_id'])}`);
  const { _id: metadataId } = await api.post('/metadata', {
    chainId,
    name: 'Two',
    imageUrl: 'https://example.com/t.png',
    utility: { type: 'Flexible', data: {} },
  });
  const holders = Array.from({ length: HOLDERS }, (_, index) => numberToHex(0xb0b00 + index, { size: 20 }));
  const order = { chainId, contractAddress, tokenId: '1', amount: 1, metadataId };
  const before = await chain.getTransactionCount({ address: walletAddress });
  await chain.setAutomine(false);

  // The units of one token: an order that is carried out twice shows, since nothing on chain forbids it.
  let accepting = true;
  const accept = async () => {
    for (let batch = 0; batch < BATCHES; batch += 1) {
      for (const instance of instances) {
        const { accepted } = await instance.api.post('/minting/orders/batch', {
          orders: Array.from({ length: ORDERS }, (_, index) => ({
            ...order,
            receiverAddress: holders[index < HOLDERS ? index : 0],
          })),
        });
        expect(accepted).toBe(ORDERS);
      }
      await delay(2_000);
    }
    accepting = false;
  };
  const total = 2 * BATCHES * ORDERS;
  // One Worker at a time sees that nonces are used and not by what, while the other replaces and settles the same
  // bytes.
  const hideReceipts = async () => {
    const hidden = {
      match: 'eth_getTransactionReceipt',
      effect: 'hide-receipts',
      times: 1_000_000,
      isGuard: true,
    } as const;
    for (let turn = 0; ; turn += 1) {
      if (!accepting) break;
      await Promise.all(instances.map(({ node }, index) => setFaults(node.url, turn % 2 === index ? [hidden] : [])));
      await delay(HIDDEN_MS);
    }
    await Promise.all(instances.map(({ node }) => setFaults(node.url, [])));
  };
  const mine = async () => {
    for (let block = 0; ; block += 1) {
      const ended = await count(
        "select count(*) from orders where kind = 'mint' and status in ('CONFIRMED', 'FAILED')",
      );
      if (!accepting && ended === total) return;
      await chain.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei(String(BASE_FEES[block % BASE_FEES.length])) });
      await chain.mine({ blocks: 1 });
      // As a message that comes twice: each Worker wakes every lane again.
      if (block % 4 === 0) {
        await Promise.all(instances.map(({ worker }) => fireCron(worker.url, Date.now() + 15 * 60_000)));
      }
      await delay(600);
    }
  };
  await Promise.all([accept(), mine(), hideReceipts()]);

  expect(await count("select count(*) from orders where kind = 'mint' and status = 'CONFIRMED'")).toBe(total);
  const call = { ...standard1155, address: contractAddress as Address, functionName: 'balanceOf' } as const;
  const balances = await Promise.all(holders.map((holder) => chain.readContract({ ...call, args: [holder, 1n] })));
  const each = BigInt(2 * BATCHES);
  expect(balances).toEqual(holders.map((_, index) => (index === 0 ? each * BigInt(ORDERS - HOLDERS + 1) : each)));
  // Each transaction used one nonce, and each outcome was sent once.
  expect((await chain.getTransactionCount({ address: walletAddress })) - before).toBe(
    await count("select count(*) from orders where kind = 'bundle' or (kind = 'mint' and bundle_id is null)"),
  );
  expect(await count("select count(*) from webhook_events where type = 'mint.confirmed'")).toBe(total);
  // It was what it says: bytes were replaced, and both drove the wallet.
  expect(await count("select count(*) from attempts where number > 1 and purpose = 'effect'")).toBeGreaterThan(0);
  expect(await count('select count(*) from orders where bundle_id is not null')).toBeGreaterThan(0);
  const logs = instances.map(({ worker }) => worker.log());
  for (const log of logs) expect(log).toContain('"event":"lane.sent"');
  expect(logs.join('\n')).not.toContain('transaction.nonce_lost');
});

it('an import counts a row as accepted that another Worker has accepted meanwhile', async () => {
  const [first, second] = instances;
  await createTestClient({ mode: 'anvil', transport: http(services.rpcUrls[chainId]) }).setAutomine(true);
  const { _id } = await first.api.post('/contracts/deploy', {
    chainId,
    name: 'Import',
    symbol: 'IMP',
    ercStandard: '721',
    contractType: 'standard',
  });
  const { contractAddress } = await first.api.result(`/contracts/${String(_id)}`);
  const file = [
    'receiverAddress,tokenId,name,imageUrl,utility.type,utility.data.status',
    importRow(1),
    importRow(2),
  ].join('\n');
  const target = `kind=tokens&chainId=${chainId}&contractAddress=${String(contractAddress)}`;
  const uploaded = await fetch(`${first.worker.url}/imports?${target}`, {
    method: 'POST',
    headers: {
      'x-api-key': services.credentials.apiKey,
      'x-corporate-id': corporateId,
      'content-type': 'text/csv',
    },
    body: file,
  });
  const { id } = importSchema.parse(await uploaded.json());
  const statusOf = async () => (await database.query('select * from imports where id = $1', [id])).rows[0];
  while ((await statusOf()).status !== 'CHECKED') await delay(100);

  // The first one learns late that the rows are not there yet, and the second one late that it has made them.
  const late = { effect: 'stall', times: 1, milliseconds: 4_000 } as const;
  await setFaults(first.database.url, [{ ...late, match: 'from \\"orders\\" where (\\"orders\\".\\"id\\" in' }]);
  await setFaults(second.database.url, [{ ...late, match: statementTagged('accept-unlimited'), milliseconds: 8_000 }]);
  await first.api.post(`/imports/${id}/start`, {});
  await delay(1_000);
  await first.api.post(`/imports/${id}/pause`, {});
  await second.api.post(`/imports/${id}/resume`, {});
  while ((await statusOf()).status !== 'COMPLETED') await delay(100);
  expect(await statusOf()).toMatchObject({ accepted: 2, refused: 0 });
  await Promise.all(instances.map((one) => setFaults(one.database.url, [])));
  const ofContract = `contract_address = '${String(contractAddress)}'`;
  expect(await count(`select count(*) from orders where ${ofContract}`)).toBe(2);
});
