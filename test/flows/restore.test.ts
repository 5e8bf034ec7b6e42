import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { Client } from 'pg';
import { createTestClient, http, parseTransaction, publicActions, type Address, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { standard1155 } from '../../contracts/artifacts/Standard1155.ts';
import { moveWallet } from '../../cli/corporate/move-wallet.ts';
import { upsertAccount } from '../../cli/corporate/upsert-account.ts';
import { secretsSettingsSchema } from '../../cli/corporate/wallet-secret.ts';
import { grantWorkerRole } from '../../cli/migrate/grant-worker-role.ts';
import { raiseFence } from '../../cli/fence/raise-fence.ts';
import { connectChains } from '../../src/chains/client.ts';
import { chainDefinition } from '../../src/chains/list.ts';
import { startBackingServices, type BackingServices } from '../../stack/backing-services.ts';
import { fundWallet } from '../../cli/local-stack/fund-wallet.ts';
import { freePort } from '../../stack/ports.ts';
import { startNeonEndpoint } from '../../stack/stand-ins/neon-endpoint.ts';
import { startHealthyWorker, type BuiltWorker } from '../fixtures/built-worker.ts';
import { removeStackDirectory } from '../record/record-stack.ts';
import { dumpDatabase, restoreDatabase, type DatabaseDump } from '../stack/support/database-dump.ts';
import { NFT, runScript } from '../stack/support/run-script.ts';
import { allowErrors, expectErrors } from '../record/service-errors.ts';

// The loss may hit a request for a change or come between two.
allowErrors('lane.failed', 'lane.store_failed', 'health.data_store_unavailable', 'audit.not_recorded');
expectErrors('request.failed');

const CHAIN = '43114';
const RECEIVER: Address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

let directory: string;
let services: BackingServices;
let worker: BuiltWorker;
const outdated: BuiltWorker[] = [];
/** Of the database in use, as its owner. */
let databaseUrl: string;
const endpoints: Awaited<ReturnType<typeof startNeonEndpoint>>[] = [];
let baseUrl: string;
let account: { corporateId: string; walletAddress: Address; secretManagerKeyId: string };

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stack-restore-'));
  const port = await freePort();
  baseUrl = `http://127.0.0.1:${port}`;
  services = await startBackingServices({ dataDir: directory, baseUrl, chains: [chainDefinition(CHAIN)] });
  worker = await startHealthyWorker(inject('stack').worker, services.workerSettings, port);
  databaseUrl = services.databaseUrl;
  const secrets = secretsSettingsSchema.parse(services.workerSettings);
  const stores = { databaseUrl: services.databaseUrl, secrets, environment: 'local' } as const;
  const created = await upsertAccount({ name: 'Acme', corporateId: 'acme' }, stores);
  account = { ...created, walletAddress: created.walletAddress as Address };
  await fundWallet(account.walletAddress, Object.values(services.rpcUrls));
});

afterAll(async () => {
  await Promise.all([worker, ...outdated].map((one) => one.stop()));
  await Promise.all(endpoints.map((one) => one.stop()));
  await services.stop();
  await removeStackDirectory(directory);
});

const chain = () =>
  createTestClient({ mode: 'anvil', transport: http(services.rpcUrls[CHAIN]), cacheTime: 0 }).extend(publicActions);

async function ask(path: string, body?: unknown) {
  const reply = await fetch(`${baseUrl}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': services.workerSettings['GLOBAL_SECRET_KEY'] ?? '',
      'x-corporate-id': account.corporateId,
      'x-admin-secret-key': services.workerSettings['ADMIN_SECRET_KEY'] ?? '',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  // oxlint-disable-next-line typescript/no-explicit-any -- the test says what it expects of replies
  return { status: reply.status, body: (await reply.json()) as any };
}

async function becomes(path: string, status: string): Promise<Record<string, unknown>> {
  await expect.poll(async () => (await ask(path)).body.status, { timeout: 40_000 }).toBe(status);
  return (await ask(path)).body;
}

async function orderMint(contractAddress: string, tokenId: string, amount: number) {
  const metadata = await ask('/metadata', {
    chainId: CHAIN,
    name: 'A token',
    imageUrl: 'https://example.com/a.png',
    utility: { type: 'Flexible', data: { status: 'Unused' } },
  });
  const order = { chainId: CHAIN, contractAddress, receiverAddress: RECEIVER, tokenId, amount };
  return await ask('/minting/order', { ...order, metadataId: metadata.body._id });
}

async function acceptMint(contractAddress: string, tokenId: string, amount: number): Promise<string> {
  const { status, body } = await orderMint(contractAddress, tokenId, amount);
  expect([status, body.errorMessage]).toEqual([201, null]);
  return body.id;
}

async function deployContract(): Promise<Address> {
  const deployed = await ask('/contracts/deploy', {
    name: 'T',
    symbol: 'T',
    ercStandard: '1155',
    contractType: 'standard',
    chainId: CHAIN,
  });
  return (await becomes(`/contracts/${deployed.body._id}`, 'ACTIVE'))['contractAddress'] as Address;
}

const balancesOf = (contract: Address, tokenIds: readonly bigint[]) =>
  Promise.all(
    tokenIds.map((tokenId) =>
      chain().readContract({
        ...standard1155,
        address: contract,
        functionName: 'balanceOf',
        args: [RECEIVER, tokenId],
      }),
    ),
  );

/** The Worker's role. */
const role = () => new URL(services.workerSettings['DATABASE_URL'] ?? '').username;

/** Restores a dump into a new database. @returns what the Worker and the comparison need of it. */
async function restore(name: string, dump: DatabaseDump): Promise<{ workerUrl: string; endpoint: string }> {
  databaseUrl = await restoreDatabase(services.databaseUrl, name, dump);
  await grantWorkerRole(databaseUrl, role());
  await raiseFence(databaseUrl);
  const workerUrl = new URL(services.workerSettings['DATABASE_URL'] ?? '');
  workerUrl.pathname = `/${name}`;
  const endpoint = await startNeonEndpoint({ databaseUrl: workerUrl.href });
  endpoints.push(endpoint);
  return { workerUrl: workerUrl.href, endpoint: endpoint.url };
}

/** Starts a Worker that uses a restored database. */
async function serve({ workerUrl, endpoint }: { workerUrl: string; endpoint: string }): Promise<void> {
  const port = await freePort();
  baseUrl = `http://127.0.0.1:${port}`;
  const restored = {
    ...services.workerSettings,
    DATABASE_URL: workerUrl,
    NEON_FETCH_ENDPOINT: endpoint,
    METADATA_BASE_URI: `${baseUrl}/metadata`,
  };
  worker = await startHealthyWorker(inject('stack').worker, restored, port);
}

const pause = (what: 'pause' | 'resume') => ask(`/admin/accounts/${account.corporateId}/${what}`, {});

/** The stored attempts of an order, oldest first. */
async function attemptsOf(orderId: string): Promise<{ nonce: string; raw: Hex }[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query(
      'SELECT a.nonce, a.raw FROM attempts a JOIN orders t ON t.id = a.transaction_id WHERE t.order_id = $1 ORDER BY number',
      [orderId],
    );
    return rows;
  } finally {
    await client.end();
  }
}

/** The signer of the account's wallet. */
async function walletSigner() {
  const settings = services.workerSettings;
  const secrets = new SecretsManagerClient({
    endpoint: settings['SECRETS_ENDPOINT'] ?? '',
    region: settings['AWS_REGION'] ?? '',
    credentials: {
      accessKeyId: settings['AWS_ACCESS_KEY_ID'] ?? '',
      secretAccessKey: settings['AWS_SECRET_ACCESS_KEY'] ?? '',
    },
  });
  const secret = await secrets.send(new GetSecretValueCommand({ SecretId: account.secretManagerKeyId }));
  const { privateKey } = JSON.parse(secret.SecretString ?? '') as { privateKey: Hex };
  return privateKeyToAccount(privateKey);
}

/** Replaces sent bytes by others with a higher fee, as a driver does whose database is then lost. @returns the hash. */
async function replace(raw: Hex): Promise<Hex> {
  const { type, chainId, nonce, to, data, gas, maxFeePerGas, maxPriorityFeePerGas } = parseTransaction(raw);
  if (type !== 'eip1559') throw new Error('The service signs transactions of type 2');
  const replacement = await (
    await walletSigner()
  ).signTransaction({
    type,
    chainId,
    to,
    gas,
    ...(nonce === undefined ? {} : { nonce }),
    ...(data === undefined ? {} : { data }),
    maxFeePerGas: (maxFeePerGas ?? 0n) * 2n,
    maxPriorityFeePerGas: (maxPriorityFeePerGas ?? 1n) * 2n,
  });
  return await chain().sendRawTransaction({ serializedTransaction: replacement });
}

/** Sends a transfer of nothing from the wallet to itself. @returns the hash. */
async function sendTransfer(nonce: number): Promise<Hex> {
  const { maxFeePerGas } = await chain().estimateFeesPerGas();
  const signed = await (
    await walletSigner()
  ).signTransaction({
    type: 'eip1559',
    chainId: Number(CHAIN),
    to: account.walletAddress,
    gas: 21_000n,
    nonce,
    maxFeePerGas: maxFeePerGas * 2n,
    maxPriorityFeePerGas: 1n,
  });
  return await chain().sendRawTransaction({ serializedTransaction: signed });
}

async function compare(workerUrl: string, endpoint: string, args: readonly string[] = []) {
  const run = runScript(NFT, ['compare', ...args], {
    DATABASE_URL: workerUrl,
    NEON_FETCH_ENDPOINT: endpoint,
    ALLOWED_CHAIN_IDS: CHAIN,
    [`RPC_URL_${CHAIN}`]: services.rpcUrls[CHAIN] ?? '',
  });
  const code = await run.ended;
  if (code === 1) throw new Error(run.output());
  return { code, report: JSON.parse(run.stdout())[0] };
}

it('a database restored while a Worker still uses the old one is compared with the chain, and no order is carried out twice afterwards', async () => {
  const contract = await deployContract();
  const before = await acceptMint(contract, '1', 1);
  await becomes(`/minting/${before}`, 'CONFIRMED');

  // Signed before the dump, and mined after it with other bytes.
  await chain().setAutomine(false);
  const replaced = await acceptMint(contract, '2', 2);
  await expect.poll(() => attemptsOf(replaced)).toHaveLength(1);
  // Accepted before the dump, and signed after it. Their calls are the same.
  await pause('pause');
  const waiting = [await acceptMint(contract, '3', 3), await acceptMint(contract, '3', 3)];

  const dump = await dumpDatabase(databaseUrl);

  await pause('resume');
  for (const id of waiting) await expect.poll(() => attemptsOf(id)).toHaveLength(1);
  const lost = await acceptMint(contract, '4', 4);
  await expect.poll(() => attemptsOf(lost)).toHaveLength(1);
  await pause('pause');
  const neverSigned = await acceptMint(contract, '5', 5);

  // The loss. The Worker and its drivers live on, with the old database in their settings and in their memory.
  outdated.push(worker);
  await raiseFence(databaseUrl, role());
  await expect.poll(async () => (await ask(`/minting/${before}`)).status).toBeGreaterThanOrEqual(500);
  const [signed] = await attemptsOf(replaced);
  const replacement = await replace(signed?.raw ?? '0x');
  const restored = await restore('restored', dump);

  // What is sent and not mined cannot be matched yet.
  expect(await compare(restored.workerUrl, restored.endpoint)).toMatchObject({
    code: 2,
    report: { toAdopt: [], unknown: [], unsettled: [{ wallet: account.walletAddress.toLowerCase() }] },
  });
  await chain().mine({ blocks: 1 });

  const found = [
    expect.objectContaining({ orderId: replaced, purpose: 'effect', txHash: replacement }),
    ...waiting.map((orderId) => expect.objectContaining({ orderId, purpose: 'effect' })),
  ];
  const unknown = [expect.objectContaining({ to: contract.toLowerCase() })];
  const settled = { unsettled: [], unexplained: [] };
  const first = await compare(restored.workerUrl, restored.endpoint);
  expect(first).toMatchObject({ code: 2, report: { toAdopt: found, unknown, ...settled } });

  // While a transaction is not settled, nothing is stored.
  const open = await sendTransfer(6);
  const early = await compare(restored.workerUrl, restored.endpoint, ['--adopt']);
  expect(early).toMatchObject({ code: 2, report: { toAdopt: found, unsettled: [{ from: 6, to: 6 }] } });
  await chain().dropTransaction({ hash: open });
  await chain().setAutomine(true);

  const adopting = await compare(restored.workerUrl, restored.endpoint, ['--adopt']);
  expect(adopting).toMatchObject({ code: 0, report: { adopted: found, unknown, ...settled } });
  const again = await compare(restored.workerUrl, restored.endpoint);
  expect(again).toMatchObject({ code: 0, report: { toAdopt: [], unknown, ...settled } });

  await serve(restored);
  await pause('resume');
  const next = await acceptMint(contract, '6', 6);
  await becomes(`/minting/${next}`, 'CONFIRMED');
  expect(await becomes(`/minting/${replaced}`, 'CONFIRMED')).toMatchObject({ txHash: replacement });
  for (const id of waiting) await becomes(`/minting/${id}`, 'CONFIRMED');
  for (const id of [lost, neverSigned]) expect((await ask(`/minting/${id}`)).status).toBe(404);

  // Token 3 was ordered twice; token 4 by an order that is lost; token 5 by one that was never signed.
  expect(await balancesOf(contract, [1n, 2n, 3n, 4n, 5n, 6n])).toEqual([1n, 2n, 6n, 4n, 0n, 6n]);
  // One transaction each: the deployment, and the mints of tokens 1, 2, 3, 3, 4 and 6.
  expect(await chain().getTransactionCount({ address: account.walletAddress })).toBe(7);
});

it('a database that is replaced while orders are accepted and carried out carries out none twice', async () => {
  const contract = await deployContract();
  /** The token that each order mints, by the order's id. */
  const accepted = new Map<string, bigint>();
  const fenced = new AbortController();
  const load = (async () => {
    for (let tokenId = 1n; !fenced.signal.aborted; tokenId += 1n) {
      const { status, body } = await orderMint(contract, String(tokenId), 1);
      if (status === 201) accepted.set(body.id, tokenId);
    }
  })();
  const untilAccepted = async (count: number) => {
    await expect.poll(() => accepted.size, { timeout: 60_000 }).toBeGreaterThanOrEqual(count);
  };

  await untilAccepted(10);
  const dump = await dumpDatabase(databaseUrl);
  await untilAccepted(accepted.size + 20);
  await raiseFence(databaseUrl, role());
  fenced.abort();
  await load;
  outdated.push(worker);
  const restored = await restore('restored_under_load', dump);

  // What was stored before the fence may be sent for a while.
  await expect
    .poll(async () => (await compare(restored.workerUrl, restored.endpoint)).report.unsettled, { timeout: 60_000 })
    .toEqual([]);
  const { code, report } = await compare(restored.workerUrl, restored.endpoint, ['--adopt']);
  expect({ code, unexplained: report.unexplained }).toEqual({ code: 0, unexplained: [] });
  expect(report.unknown.length).toBeGreaterThan(0);

  await serve(restored);
  // Wakes the lane, as the cleanup job does otherwise.
  await acceptMint(contract, '1000000', 1);
  let known = 0;
  for (const id of accepted.keys()) {
    if ((await ask(`/minting/${id}`)).status === 404) continue;
    known += 1;
    await becomes(`/minting/${id}`, 'CONFIRMED');
  }
  expect(known).toBeGreaterThanOrEqual(10);
  expect(known).toBeLessThan(accepted.size);
  const minted = await balancesOf(contract, [...accepted.values()]);
  expect(minted.filter((balance) => balance > 1n)).toEqual([]);
});

/** Moves the account's wallet, as `npm run corporate -- --move-wallet wallet-2` does. */
async function moveToSecondWallet(): Promise<Address> {
  const chains = connectChains(
    new Map([[CHAIN, { ...chainDefinition(CHAIN), rpcUrls: [services.rpcUrls[CHAIN] ?? ''] }]]),
  );
  const secrets = secretsSettingsSchema.parse(services.workerSettings);
  const move = { corporateId: account.corporateId, key: 'wallet-2', chains, say: () => {}, lateMs: 0 };
  return (await moveWallet(move, { databaseUrl, secrets, environment: 'local' })).address;
}

it('what another wallet has carried out since the backup is not carried out again once the move to it is repeated', async () => {
  const contract = await deployContract();
  await pause('pause');
  const waiting = await acceptMint(contract, '1', 1);
  const backup = new Date();
  const dump = await dumpDatabase(databaseUrl);
  const second = await moveToSecondWallet();
  await pause('resume');
  await becomes(`/minting/${waiting}`, 'CONFIRMED');
  await raiseFence(databaseUrl, role());
  outdated.push(worker);
  const restored = await restore('restored_before_move', dump);

  const { corporateId } = account;
  const first = await compare(restored.workerUrl, restored.endpoint, ['--adopt']);
  expect(first).toMatchObject({ code: 0, report: { adopted: [], moved: [corporateId] } });
  expect(await moveToSecondWallet()).toBe(second);
  const since = new Date(backup.getTime() - 10 * 60_000).toISOString();
  const again = await compare(restored.workerUrl, restored.endpoint, ['--adopt', '--since', since]);
  expect(again).toMatchObject({ code: 0, report: { adopted: [{ orderId: waiting }], moved: [] } });

  await serve(restored);
  await pause('resume');
  await becomes(`/minting/${await acceptMint(contract, '2', 2)}`, 'CONFIRMED');
  await becomes(`/minting/${waiting}`, 'CONFIRMED');
  expect(await balancesOf(contract, [1n, 2n])).toEqual([1n, 2n]);
});
