import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestClient, getAddress, http, type Address } from 'viem';
import { upsertAccount, type CreatedAccount } from '../cli/corporate/upsert-account.ts';
import { secretsSettingsSchema } from '../cli/corporate/wallet-secret.ts';
import { DEFAULT_CHAIN } from '../src/chains/list.ts';
import { startBackingServices } from '../stack/backing-services.ts';
import { ComponentGroup } from '../stack/component-group.ts';
import { fundWallet } from '../cli/local-stack/fund-wallet.ts';
import { fireCron } from '../stack/fire-cron.ts';
import { freePort } from '../stack/ports.ts';
import { startWorker } from '../stack/worker.ts';
import { createAccountKey } from './account-key.ts';
import { startDatabaseRecorder, type DatabaseRecorder } from './database-recorder.ts';
import { seedHistory, type HistorySize } from './seed-history.ts';

const ACCOUNTS = 20;

/** The service with a history of orders, and with what it sends to its database recorded. */
export interface GrowthStack {
  readonly baseUrl: string;
  readonly settings: Readonly<Record<string, string>>;
  /** Of the owner. */
  readonly databaseUrl: string;
  readonly rpcUrls: Readonly<Record<string, string>>;
  /** The account with the most orders, a smaller one, and one of the smallest; each can order. */
  readonly accounts: readonly [CreatedAccount, CreatedAccount, CreatedAccount];
  /** Of the first account. */
  readonly apiKey: string;
  readonly recorder: DatabaseRecorder;
  /** Runs the cleanup job as if these minutes had passed. */
  cleanUpAfter(minutes: number): Promise<void>;
  stop(): Promise<void>;
}

interface GrowthOptions {
  /** Starts the Worker on this port of 127.0.0.1; default: `wrangler dev`. */
  readonly start?: (port: number, settings: Readonly<Record<string, string>>) => Promise<{ stop(): Promise<void> }>;
  /** Deletes the data directory of the stack once it has stopped; default: `rm`. */
  readonly remove?: (directory: string) => Promise<void>;
}

/** Starts the service with 20 accounts of unequal size, among which `seedHistory` divides the orders. */
export async function startGrowthStack(
  size: HistorySize,
  { start, remove = (directory) => rm(directory, { recursive: true, force: true }) }: GrowthOptions = {},
): Promise<GrowthStack> {
  const dataDir = await mkdtemp(join(tmpdir(), 'nft-growth-'));
  const components = new ComponentGroup();
  await components.add(Promise.resolve({ stop: () => remove(dataDir) }));
  try {
    const port = await freePort();
    const baseUrl = `http://127.0.0.1:${port}`;
    const services = await components.add(startBackingServices({ dataDir, baseUrl }));
    const { databaseUrl, rpcUrls } = services;
    const recorder = await components.add(startDatabaseRecorder(services.workerSettings['NEON_FETCH_ENDPOINT'] ?? ''));
    const settings = { ...services.workerSettings, NEON_FETCH_ENDPOINT: recorder.url };
    const stores = { databaseUrl, secrets: secretsSettingsSchema.parse(settings), environment: 'local' as const };
    const accounts: CreatedAccount[] = [];
    for (let place = 1; place <= ACCOUNTS; place += 1) {
      accounts.push(await upsertAccount({ name: `Account ${place}`, corporateId: `account-${place}` }, stores));
    }
    const nonces = await seedHistory(
      databaseUrl,
      size,
      accounts.map(({ _id: id, walletAddress }) => ({ id, walletAddress })),
    );
    const [largest, second, , , , , , , , , , , small] = accounts;
    if (largest === undefined || second === undefined || small === undefined) throw new Error('An account is missing');
    for (const { walletAddress } of [largest, second, small]) {
      await prepareWallet(getAddress(walletAddress), rpcUrls, nonces);
    }
    await components.add(
      start?.(port, settings) ?? startWorker({ dataDir, port, settings, logFile: join(dataDir, 'worker.log') }),
    );
    return {
      baseUrl,
      settings,
      databaseUrl,
      rpcUrls,
      accounts: [largest, second, small],
      apiKey: await createAccountKey(baseUrl, services.credentials.adminSecret, largest.corporateId),
      recorder,
      cleanUpAfter: (minutes) => fireCron(baseUrl, Date.now() + minutes * 60_000),
      stop: () => components.stop(),
    };
  } catch (error) {
    // The first error is the cause; it is the one to report.
    await components.stop().catch((stopError: unknown) => console.error(stopError));
    throw error;
  }
}

/** Gives a wallet coins, and the nonce that its seeded transactions have reached. */
async function prepareWallet(
  address: Address,
  rpcUrls: Readonly<Record<string, string>>,
  nonces: ReadonlyMap<string, number>,
): Promise<void> {
  await fundWallet(address, Object.values(rpcUrls));
  const chain = createTestClient({ mode: 'anvil', transport: http(rpcUrls[DEFAULT_CHAIN.id]) });
  await chain.setNonce({ address, nonce: nonces.get(address.toLowerCase()) ?? 0 });
}
