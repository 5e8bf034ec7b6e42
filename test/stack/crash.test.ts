import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client as Postgres } from 'pg';
import { createPublicClient, http, type Address } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectApi } from '../../scripts/demo/api.ts';
import type { StackInfo } from '../../cli/local-stack/stack-files.ts';
import { startDevStack } from './support/dev-stack.ts';
import { differencesOf } from './support/ledger.ts';
import { removeStackDirectory } from '../record/record-stack.ts';

const chainId = '43114';
const receiverAddress = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const ORDERS = 100;

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'stack-crash-'));
});
afterAll(() => removeStackDirectory(dataDir));

async function query(info: StackInfo, text: string): Promise<Record<string, unknown>[]> {
  const database = new Postgres({ connectionString: info.databaseUrl });
  await database.connect();
  const { rows } = await database.query<Record<string, unknown>>(text);
  await database.end();
  return rows;
}

async function countOf(info: StackInfo, where: string): Promise<number> {
  const [row] = await query(info, `select count(*) from orders where kind = 'mint' and ${where}`);
  return Number(row?.['count']);
}

/** The orders without an end. */
function unfinishedOrders(info: StackInfo): Promise<Record<string, unknown>[]> {
  return query(info, "select * from orders where kind = 'mint' and status not in ('CONFIRMED', 'FAILED')");
}

it('a service that is killed repeatedly while minting executes every accepted order exactly once', async () => {
  let { run, info } = await startDevStack(dataDir);
  let api = connectApi(info);
  const accepted = await api.post('/contracts/deploy', {
    chainId,
    name: 'Crash',
    symbol: 'CR',
    ercStandard: '721',
    contractType: 'standard',
  });
  const { contractAddress } = await api.result(`/contracts/${String(accepted['_id'])}`);
  const metadata = await Promise.all(
    Array.from({ length: ORDERS }, () =>
      api.post('/metadata', {
        chainId,
        name: 'Crash',
        imageUrl: 'https://example.com/c.png',
        utility: { type: 'Flexible', data: {} },
      }),
    ),
  );
  const orders = metadata.map(({ _id }, index) => ({
    chainId,
    contractAddress,
    receiverAddress,
    tokenId: String(index + 1),
    metadataId: _id,
  }));

  // Each kill interrupts what is in progress: the first one what was accepted, the second one what was sent.
  for (const [part, status] of [
    [orders.slice(0, 40), 'PENDING'],
    [orders.slice(40), 'SENT'],
  ] as const) {
    const begun = await countOf(info, 'true');
    const { accepted: taken } = await api.post('/minting/orders/batch', { orders: part });
    expect(taken).toBe(part.length);
    const waiting = status === 'SENT' ? "status in ('PENDING', 'PROCESSING')" : 'false';
    while ((await countOf(info, `not (${waiting})`)) <= begun) await delay(5);
    run.child.kill('SIGKILL');
    await run.ended;
    ({ run, info } = await startDevStack(dataDir));
    api = connectApi(info);
  }
  await expect.poll(() => unfinishedOrders(info), { timeout: 90_000, interval: 100 }).toEqual([]);
  expect(await countOf(info, "status = 'CONFIRMED'")).toBe(ORDERS);

  expect(await differencesOf(info, chainId)).toEqual([]);
  const chain = createPublicClient({ transport: http(info.rpcUrls[chainId]) });
  // One deployment, the transactions that the orders name, and nothing else.
  const nonce = await chain.getTransactionCount({ address: info.walletAddress as Address });
  const [minting] = await query(info, "select count(distinct tx_hash)::int as count from orders where kind = 'mint'");
  expect(nonce).toBe(Number(minting?.['count']) + 1);

  // The comparison above finds what is wrong: a minted token whose order says FAILED, and a mined transaction that is
  // not stored.
  await query(info, `update orders set state = 'failed' where token_id = '1'`);
  expect(await differencesOf(info, chainId)).toEqual([expect.stringContaining('is minted and not CONFIRMED')]);
  const [row] = await query(info, `delete from attempts where nonce = 1 returning 1 as count`);
  expect(row).toBeDefined();
  expect(await differencesOf(info, chainId)).toContainEqual(expect.stringContaining('is mined and not stored'));
  run.child.kill('SIGTERM');
  expect(await run.ended).toBe(0);
});
