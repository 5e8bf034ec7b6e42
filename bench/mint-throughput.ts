// npm run bench: the mint throughput of the service, compared with a plain sender on the same node in the same run.
// The plain sender signs and sends as fast as it can and stores nothing. The ratio is the cost of storing and settling every order and
// of sending its webhook.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { createPublicClient, createTestClient, encodeDeployData, encodeFunctionData, http, parseEther } from 'viem';
import type { Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { standard721 } from '../contracts/artifacts/Standard721.ts';
import { DEFAULT_CHAIN } from '../src/chains/list.ts';
import { connectApi } from '../scripts/demo/api.ts';
import type { Api } from '../scripts/demo/api.ts';
import { startStack } from '../stack/stack.ts';
import type { Stack } from '../stack/stack.ts';

const chainId = DEFAULT_CHAIN.id;
const MINTS = Number(process.argv[2] ?? 500);
const BATCH = 100;
const receiverAddress = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

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
  const { contractAddress } = await client.getTransactionReceipt({ hash });
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
  const receipts = await Promise.all(hashes.map((sent) => client.getTransactionReceipt({ hash: sent })));
  if (receipts.some(({ status }) => status !== 'success')) throw new Error('A plain mint failed');
  return (performance.now() - started) / 1_000;
}

/** Seconds from the first order posted to the last one CONFIRMED. */
async function service(api: Api, contractAddress: unknown, databaseUrl: string): Promise<number> {
  const metadata: unknown[] = [];
  while (metadata.length < MINTS) {
    const created = await Promise.all(
      Array.from({ length: Math.min(20, MINTS - metadata.length) }, () =>
        api.post('/metadata', {
          chainId,
          name: 'Bench',
          imageUrl: 'https://example.com/b.png',
          utility: { type: 'Flexible', data: { status: 'Unused' } },
        }),
      ),
    );
    metadata.push(...created.map(({ _id }) => _id));
  }
  const started = performance.now();
  for (let first = 0; first < MINTS; first += BATCH) {
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
  while ((await confirmed(databaseUrl)) < MINTS) await delay(50);
  return (performance.now() - started) / 1_000;
}

/** The number of CONFIRMED orders, read from the database so that the query does not load the service. */
async function confirmed(databaseUrl: string): Promise<number> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ count: string }>(
    "select count(*) from minting_orders where status = 'CONFIRMED'",
  );
  await client.end();
  return Number(rows[0]?.count);
}

const dataDir = await mkdtemp(join(tmpdir(), 'nft-bench-'));
const stack = await startStack({ dataDir, port: 0, fresh: true, quiet: true });
try {
  const api = connectApi(stack.info);
  const accepted = await api.post('/contracts/deploy', {
    chainId,
    name: 'Bench',
    symbol: 'B',
    ercStandard: '721',
    contractType: 'standard',
  });
  const { contractAddress } = await api.result(`/contracts/${String(accepted['_id'])}`);
  const plain = await plainSender(stack);
  const ours = await service(api, contractAddress, stack.info.databaseUrl);
  const rate = (seconds: number) => `${(MINTS / seconds).toFixed(0)} mints/s`;
  console.log(`${MINTS} mints by one wallet`);
  console.log(`  plain sender  ${plain.toFixed(2)} s  ${rate(plain)}`);
  console.log(
    `  service       ${ours.toFixed(2)} s  ${rate(ours)}  (accepted, stored, minted, settled, webhook queued)`,
  );
  console.log(`  ratio         ${(ours / plain).toFixed(1)} times the time of the plain sender`);
} finally {
  await stack.stop();
  await rm(dataDir, { recursive: true, force: true });
}
process.exit();
