import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import {
  createPublicClient,
  createTestClient,
  encodeDeployData,
  encodeFunctionData,
  http,
  parseEther,
  type Hex,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { standard721 } from '../contracts/artifacts/Standard721.ts';
import { startCpuProfile } from './cpu-profile.ts';
import { cpuOf } from './process-cpu.ts';
import { connectApi, type Api } from '../scripts/demo/api.ts';
import { chainId, createMetadata, deployContract, receiverAddress } from './bench-resources.ts';
import { startStack, type Stack } from '../stack/stack.ts';
import { commandLine } from '../cli/command-line.ts';

const USAGE = `npm run bench [-- MINTS] [--block-time SECONDS] [--wallets COUNT] [--profile FILE]

The mint throughput of the service, compared with a plain sender on the same node in the same run, and the latency of a single mint on an idle
service. The plain sender signs and sends as fast as it can and stores nothing. The ratio is the cost of storing and settling every order and
of sending its webhook.
  MINTS         how many (default 500)
  --block-time  only the service runs, and the blocks that its mints need are counted
  --wallets     compare the rate of several wallets with that of one
  --profile     where a profile of the Worker's processor time is written
Examples:
  npm run bench -- 1000
  npm run bench -- 500 --block-time 2
  npm run bench -- 500 --wallets 4`;

const { positionals, values } = commandLine(
  USAGE,
  { 'block-time': { type: 'string' }, profile: { type: 'string' }, wallets: { type: 'string' } },
  { allowPositionals: true },
);
const MINTS = Number(positionals[0] ?? 500);
const WALLETS = Number(values.wallets ?? 1);
const blockTime = values['block-time'] === undefined ? undefined : Number(values['block-time']);
/** The number of batches posted concurrently. */
const CONCURRENCY = 5;
/** The number of single mints whose latency is measured. */
const SINGLES = 30;
const BATCH = 100;

/** Seconds from the first signature to the last receipt. */
async function plainSender(stack: Stack): Promise<number> {
  const client = createPublicClient({ transport: http(stack.info.rpcUrls[chainId], { batch: { batchSize: 100 } }) });
  const account = privateKeyToAccount(generatePrivateKey());
  await createTestClient({ mode: 'anvil', transport: http(stack.info.rpcUrls[chainId]) }).setBalance({
    address: account.address,
    value: parseEther('1000'),
  });
  const common = {
    type: 'eip1559',
    chainId: Number(chainId),
    maxFeePerGas: 10n ** 11n,
    maxPriorityFeePerGas: 10n ** 9n,
  } as const;
  const data = encodeDeployData({
    ...standard721,
    args: ['Bench', 'B', account.address, receiverAddress, '', account.address, 0n],
  });
  const creation = await account.signTransaction({ ...common, nonce: 0, gas: 3_000_000n, data });
  const hash = await client.sendRawTransaction({ serializedTransaction: creation });
  const { contractAddress } = await client.waitForTransactionReceipt({ hash, pollingInterval: 20 });
  if (contractAddress === null || contractAddress === undefined) throw new Error('The contract was not created');

  const started = performance.now();
  const hashes: Hex[] = [];
  for (let first = 0; first < MINTS; first += BATCH) {
    const signed = await Promise.all(
      Array.from({ length: Math.min(BATCH, MINTS - first) }, (_, index) =>
        account.signTransaction({
          ...common,
          nonce: 1 + first + index,
          gas: 120_000n,
          to: contractAddress,
          data: encodeFunctionData({
            ...standard721,
            functionName: 'mint',
            args: [receiverAddress, BigInt(first + index + 1)],
          }),
        }),
      ),
    );
    hashes.push(
      ...(await Promise.all(
        signed.map((serializedTransaction) => client.sendRawTransaction({ serializedTransaction })),
      )),
    );
  }
  let open: readonly Hex[] = hashes;
  while (open.length > 0) {
    const receipts = await Promise.all(
      open.map((sent) => client.request({ method: 'eth_getTransactionReceipt', params: [sent] })),
    );
    if (receipts.some((receipt) => receipt !== null && receipt.status !== '0x1'))
      throw new Error('A plain mint failed');
    open = open.filter((_, index) => receipts[index] === null);
  }
  return (performance.now() - started) / 1_000;
}

/** Seconds from the first order posted. */
interface Duration {
  /** Until the last one was accepted. */
  readonly accepted: number;
  /** Until the last one was CONFIRMED. */
  readonly confirmed: number;
  /** Milliseconds of CPU that a mint has taken by then, of each process. */
  readonly cpu: { readonly worker: number; readonly postgres: number };
}

/** Orders the mints in batches, and waits for their ends. */
async function service(
  api: Api,
  contractAddress: unknown,
  metadata: readonly unknown[],
  database: Client,
): Promise<Duration> {
  const before = await confirmed(database);
  const started = performance.now();
  const startedAt = { worker: cpuOf('workerd'), postgres: cpuOf('postgres') };
  const seconds = () => (performance.now() - started) / 1_000;
  await post({ api, contractAddress, metadata });
  const accepted = seconds();
  await untilConfirmed(database, before + MINTS);
  const cpu = {
    worker: (cpuOf('workerd') - startedAt.worker) / MINTS,
    postgres: (cpuOf('postgres') - startedAt.postgres) / MINTS,
  };
  return { accepted, confirmed: seconds(), cpu };
}

function cpuText({ cpu: { worker, postgres } }: Duration): string {
  return `${worker.toFixed(2)} ms of the Worker, ${postgres.toFixed(2)} ms of PostgreSQL`;
}

/** Posts a wallet's orders in batches. */
async function post({ api, contractAddress, metadata }: Minter): Promise<void> {
  let next = 0;
  const postBatches = async () => {
    for (let first = next; first < MINTS; first = next) {
      next += BATCH;
      const { refused } = await api.post('/minting/orders/batch', {
        orders: metadata.slice(first, first + BATCH).map((metadataId, index) => ({
          chainId,
          contractAddress,
          receiverAddress,
          tokenId: String(first + index + 1),
          metadataId,
        })),
      });
      if (refused !== 0) throw new Error('The service refused an order');
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, postBatches));
}

async function untilConfirmed(database: Client, count: number): Promise<void> {
  while ((await confirmed(database)) < count) await delay(20);
}

/** The number of CONFIRMED orders, read from the database so that the query does not load the service. */
async function confirmed(database: Client): Promise<number> {
  const { rows } = await database.query<{ count: string }>(
    "select count(*) from orders where kind = 'mint' and status = 'CONFIRMED'",
  );
  return Number(rows[0]?.count);
}

/** Milliseconds from the request of a mint to its webhook, one after another, sorted. */
async function singleMints(api: Api, contractAddress: unknown, webhooks: WebhookTimes): Promise<number[]> {
  const metadata = await createMetadata(api, SINGLES);
  const times: number[] = [];
  for (const [index, metadataId] of metadata.entries()) {
    const tokenId = String(1_000_000 + index);
    const started = performance.now();
    const { id } = await api.post('/minting/order', { chainId, contractAddress, receiverAddress, tokenId, metadataId });
    times.push((await webhooks.of(String(id))) - started);
  }
  return times.toSorted((a, b) => a - b);
}

/** A wallet and what it mints. */
interface Minter {
  readonly api: Api;
  readonly contractAddress: unknown;
  readonly metadata: readonly unknown[];
}

/** Compares the rate of one wallet with that of several concurrent ones. */
async function compareWallets(stack: Stack, first: Minter, database: Client): Promise<void> {
  const alone = MINTS / (await service(first.api, first.contractAddress, first.metadata, database)).confirmed;
  const minters = await Promise.all(
    Array.from({ length: WALLETS }, async (_, index): Promise<Minter> => {
      const { corporateId } = await stack.createAccount({ name: 'Bench', corporateId: `bench-${index}` });
      const api = connectApi({ ...stack.info, corporateId });
      return { api, contractAddress: await deployContract(api), metadata: await createMetadata(api, MINTS) };
    }),
  );
  const before = await confirmed(database);
  const started = performance.now();
  await Promise.all(minters.map((minter) => post(minter)));
  await untilConfirmed(database, before + WALLETS * MINTS);
  const together = (1_000 * WALLETS * MINTS) / (performance.now() - started);
  console.log(`${MINTS} mints by each wallet`);
  console.log(`  one wallet   ${alone.toFixed(0)} mints/s`);
  console.log(
    `  ${WALLETS} wallets    ${together.toFixed(0)} mints/s  ${(together / alone).toFixed(1)} times one wallet`,
  );
}

/** The interval of {@link mineOverlooked}, in milliseconds. */
const MINING_MS = 100;

/**
 * Mines a block at an interval, for the plain sender and the service alike: anvil's automatic mining overlooks
 * transactions at times, and then leaves them until the next block (foundry-rs/foundry#10122). @returns what ends it.
 */
function mineOverlooked(chain: { mine(options: { readonly blocks: number }): Promise<void> }): () => void {
  const timer = setInterval(() => void chain.mine({ blocks: 1 }).catch(() => {}), MINING_MS);
  return () => clearInterval(timer);
}

/** When the webhook of an order arrived. */
interface WebhookTimes {
  readonly url: string;
  of(orderId: string): Promise<number>;
  stop(): void;
}

async function receiveWebhooks(): Promise<WebhookTimes> {
  const times = new Map<string, number>();
  const waiting = new Map<string, (time: number) => void>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const now = performance.now();
      response.end();
      const [, id = ''] = /"id":"([0-9a-f]{24})"/.exec(Buffer.concat(chunks).toString()) ?? [];
      times.set(id, now);
      waiting.get(id)?.(now);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server on a TCP port has this kind of address
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    of: (id) => {
      const time = times.get(id);
      return time === undefined ? new Promise((resolve) => waiting.set(id, resolve)) : Promise.resolve(time);
    },
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The number of mints in each block. */
async function blocksOf(database: Client): Promise<string> {
  const { rows } = await database.query<{ count: string }>(
    "select count(*) from orders where kind = 'mint' group by block_number order by block_number",
  );
  return rows.map(({ count }) => count).join(' + ');
}

const dataDir = await mkdtemp(join(tmpdir(), 'nft-bench-'));
const [stack, webhooks] = await Promise.all([
  startStack({ dataDir, port: 0, fresh: true, quiet: true }),
  receiveWebhooks(),
]);
const database = new Client({ connectionString: stack.info.databaseUrl });
await database.connect();
try {
  const api = connectApi(stack.info);
  const contractAddress = await deployContract(api);
  const setWebhookUrl = (url: string | null) => database.query('update webhook_endpoints set url = $1', [url]);
  const rate = (seconds: number) => `${(MINTS / seconds).toFixed(0)} mints/s`;
  const chain = createTestClient({ mode: 'anvil', transport: http(stack.info.rpcUrls[chainId]) });
  const metadata = await createMetadata(api, MINTS);
  if (WALLETS > 1) {
    const stopMining = mineOverlooked(chain);
    await compareWallets(stack, { api, contractAddress, metadata }, database);
    stopMining();
  } else if (blockTime !== undefined) {
    await chain.setAutomine(false);
    await chain.setIntervalMining({ interval: blockTime });
    const ours = await service(api, contractAddress, metadata, database);
    console.log(`${MINTS} mints by one wallet, a block each ${blockTime} s`);
    console.log(`  service       ${ours.confirmed.toFixed(2)} s  ${rate(ours.confirmed)}`);
    console.log(`  accepted      ${ours.accepted.toFixed(2)} s  ${rate(ours.accepted)}`);
    console.log(`  blocks        ${await blocksOf(database)}`);
    console.log(`  CPU a mint    ${cpuText(ours)}`);
  } else {
    await setWebhookUrl(webhooks.url);
    const singles = await singleMints(api, contractAddress, webhooks);
    await setWebhookUrl(null);
    const stopMining = mineOverlooked(chain);
    const plain = await plainSender(stack);
    const profile = values.profile === undefined ? undefined : await startCpuProfile(stack.inspectorPort);
    const ours = await service(api, contractAddress, metadata, database);
    stopMining();
    const busy = await profile?.stop(values.profile ?? '');
    console.log(`${MINTS} mints by one wallet`);
    console.log(`  plain sender  ${plain.toFixed(2)} s  ${rate(plain)}`);
    console.log(
      `  service       ${ours.confirmed.toFixed(2)} s  ${rate(ours.confirmed)}  (accepted, stored, minted, settled, webhook queued)`,
    );
    console.log(`  accepted      ${ours.accepted.toFixed(2)} s  ${rate(ours.accepted)}`);
    console.log(`  ratio         ${(ours.confirmed / plain).toFixed(1)} times the plain sender's time`);
    console.log(`  CPU a mint    ${cpuText(ours)}`);
    if (busy !== undefined)
      console.log(`  busy          ${(busy / MINTS).toFixed(2)} ms of the Worker a mint, by its profile`);
    console.log(`one mint, from the request to its webhook: p50 ${(singles[SINGLES / 2] ?? 0).toFixed(0)} ms`);
  }
} finally {
  webhooks.stop();
  await database.end();
  await stack.stop();
  await rm(dataDir, { recursive: true, force: true });
}
process.exit();
