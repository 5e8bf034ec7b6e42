import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { getAddress } from 'viem';
import type { ChainDefinition } from '../src/chains/definition.ts';
import type { Distance } from './distance.ts';
import { fundWallet } from '../cli/local-stack/fund-wallet.ts';
import {
  type AccountRequest,
  type AccountStores,
  type CreatedAccount,
  upsertAccount,
} from '../cli/corporate/upsert-account.ts';
import { setRelayerWallet } from '../cli/corporate/set-relayer-wallet.ts';
import { secretsSettingsSchema } from '../cli/corporate/wallet-secret.ts';
import { startCronTrigger } from './cron-trigger.ts';
import { removeOnExit } from './processes/supervised-process.ts';
import { claimPort, freePort } from './ports.ts';
import { writePrivateFile } from '../cli/local-stack/private-file.ts';
import { processCommand } from '../cli/local-stack/process-command.ts';
import { type BackingServices, startBackingServices } from './backing-services.ts';
import {
  type StackInfo,
  stackInfoFile,
  type StackSettings,
  stackSettingsFile,
} from '../cli/local-stack/stack-files.ts';
import { lockStack } from './stack-lock.ts';
import { ComponentGroup } from './component-group.ts';
import { startWorker } from './worker.ts';

export interface StackOptions {
  /** The data directory; it survives a restart. */
  readonly dataDir: string;
  /** The port of the service on 127.0.0.1, which those of other parts follow; 0: any free ones. */
  readonly port: number;
  /** Deletes the contents of the data directory first. */
  readonly fresh?: boolean;
  /** Writes the Worker's log to worker.log in the data directory instead of the terminal. */
  readonly quiet?: boolean;
  /** The chains to start; default: those that are allowed by default. */
  readonly chains?: readonly ChainDefinition[];
  /** Of the database and the nodes from the Worker; default: none. */
  readonly distance?: Distance | undefined;
  /** Whether the keys of the account `demo` are in KMS: those of its main wallet and of one for relayed requests. */
  readonly kms?: boolean | undefined;
}

/** A whole local stack, running. */
export interface Stack {
  readonly info: StackInfo;
  /** The account `demo`. */
  readonly demo: CreatedAccount;
  /** The Worker's environment, in addition to wrangler.toml. */
  readonly workerSettings: Readonly<Record<string, string>>;
  /** The port on 127.0.0.1 where the Worker serves the Chrome DevTools Protocol. */
  readonly inspectorPort: number;
  /** Creates or updates a corporate account, and funds its wallet on every chain. */
  createAccount(request: AccountRequest): Promise<CreatedAccount>;
  /** Resolves with a message when a component ends unexpectedly. */
  readonly failed: Promise<string>;
  /** Stops every process of the stack. */
  stop(): Promise<void>;
}

/** How far after the service's port those of other parts begin: two services may have neighbouring ones. */
const OTHER_PORTS = 1_000;

function clear(dataDir: string): void {
  for (const entry of readdirSync(dataDir)) {
    if (entry !== 'lock') rmSync(join(dataDir, entry), { recursive: true, force: true });
  }
}

function storesOf({ databaseUrl, workerSettings }: BackingServices): AccountStores {
  return { databaseUrl, secrets: secretsSettingsSchema.parse(workerSettings), environment: 'local' };
}

async function createAndFund(request: AccountRequest, services: BackingServices) {
  const account = await upsertAccount(request, storesOf(services));
  await fundWallet(getAddress(account.walletAddress), Object.values(services.rpcUrls));
  return account;
}

async function createDemo(services: BackingServices, inKms: boolean): Promise<CreatedAccount> {
  const demo = { name: 'Demo', corporateId: 'demo' };
  if (!inKms) return await createAndFund(demo, services);
  const account = await createAndFund({ ...demo, kmsKey: services.walletKey('alias/demo-wallet') }, services);
  const relayer = await setRelayerWallet('demo', services.walletKey('alias/demo-relayer'), storesOf(services));
  if (relayer !== undefined) await fundWallet(relayer, Object.values(services.rpcUrls));
  return account;
}

async function start(components: ComponentGroup, dataDir: string, options: StackOptions): Promise<Stack> {
  const port = options.port === 0 ? await freePort() : options.port;
  const baseUrl = `http://127.0.0.1:${port}`;
  const { chains, distance } = options;
  const firstPort = options.port === 0 ? undefined : port + (port < 60_000 ? OTHER_PORTS : -OTHER_PORTS);
  const services = await components.add(startBackingServices({ dataDir, baseUrl, chains, firstPort, distance }));
  const demo = await createDemo(services, options.kms === true);

  const worker = await components.add(
    startWorker({
      dataDir,
      port,
      settings: services.workerSettings,
      ...(options.quiet ? { logFile: join(dataDir, 'worker.log') } : {}),
    }),
  );
  await components.add(Promise.resolve(startCronTrigger(baseUrl, (line) => console.error(line))));

  const info: StackInfo = {
    baseUrl,
    apiKey: services.credentials.apiKey,
    adminSecret: services.credentials.adminSecret,
    corporateId: demo.corporateId,
    walletAddress: demo.walletAddress,
    rpcUrls: services.rpcUrls,
    databaseUrl: services.databaseUrl,
    pid: process.pid,
  };
  const settings: StackSettings = {
    pid: process.pid,
    command: processCommand(process.pid) ?? '',
    rpcUrls: services.rpcUrls,
    worker: services.workerSettings,
  };
  const files = [stackSettingsFile(dataDir), stackInfoFile(dataDir)].map(removeOnExit);
  writePrivateFile(stackSettingsFile(dataDir), JSON.stringify(settings, null, 2));
  writePrivateFile(stackInfoFile(dataDir), `${JSON.stringify(info, null, 2)}\n`);

  let stopping = false;
  const workerFailed = new Promise<string>((resolve_) => {
    void worker.exited.then((how) => stopping || resolve_(`wrangler dev ended unexpectedly (${how}).`));
  });
  return {
    info,
    demo,
    workerSettings: services.workerSettings,
    inspectorPort: worker.inspectorPort,
    createAccount: (request) => createAndFund(request, services),
    failed: Promise.race([services.failed, workerFailed]),
    stop: () => {
      stopping = true;
      for (const remove of files) remove();
      return components.stop();
    },
  };
}

/**
 * Starts a whole local stack, with the funded account `demo`, and resolves when the service is healthy: PostgreSQL, the
 * chains, the stand-ins for third-party services, and the Worker in `wrangler dev`. While it runs, stack.json in the
 * data directory has its addresses and keys. None of its processes outlives this one.
 * @throws when the port or the directory is in use, or a component does not start; everything else is then stopped.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const dataDir = resolve(options.dataDir);
  if (options.port !== 0) await claimPort(options.port);
  mkdirSync(dataDir, { recursive: true });
  const unlock = await lockStack(dataDir);
  const components = new ComponentGroup();
  // Released last, when nothing uses the directory any more.
  await components.add(Promise.resolve({ stop: async () => unlock() }));
  try {
    rmSync(stackInfoFile(dataDir), { force: true });
    rmSync(stackSettingsFile(dataDir), { force: true });
    if (options.fresh) clear(dataDir);
    return await start(components, dataDir, options);
  } catch (error) {
    // The first error is the cause; it is the one to report.
    await components.stop().catch((stopError: unknown) => console.error(stopError));
    throw error;
  }
}
