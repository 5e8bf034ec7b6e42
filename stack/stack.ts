import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { getAddress } from 'viem';
import type { ChainDefinition } from '../src/chains/definition.ts';
import { fundWallet } from '../scripts/accounts/fund-wallet.ts';
import { type AccountRequest, type CreatedAccount, upsertAccount } from '../scripts/accounts/upsert-account.ts';
import { secretsSettingsSchema } from '../scripts/accounts/wallet-secret.ts';
import { startCron } from './cron.ts';
import { removeWithUs } from './kept-process.ts';
import { assertPortFree, freePort } from './ports.ts';
import { writePrivateFile } from './private-file.ts';
import { processCommand } from './process-command.ts';
import { type Services, startServices } from './services.ts';
import { type StackInfo, stackInfoFile, type StackSettings, stackSettingsFile } from './stack-files.ts';
import { lockStack } from './stack-lock.ts';
import { StartedParts } from './started-parts.ts';
import { startWorker } from './worker.ts';

export interface StackOptions {
  /** Everything is kept here, and survives a restart. */
  readonly dataDir: string;
  /** Where the service answers on 127.0.0.1; 0 for any free port. */
  readonly port: number;
  /** Start from nothing: what the directory holds is removed. */
  readonly fresh?: boolean;
  /** The Worker's log goes to worker.log in the data directory, and not to the terminal. */
  readonly quiet?: boolean;
  /** The chains to start; absent: those that are allowed by default. */
  readonly chains?: readonly ChainDefinition[];
}

/** A whole local stack, running. */
export interface Stack {
  readonly info: StackInfo;
  /** The account `demo`. */
  readonly demo: CreatedAccount;
  /** Makes a corporate account, or changes one, and funds its wallet on every chain. */
  createAccount(request: AccountRequest): Promise<CreatedAccount>;
  /** Resolves with a sentence when a part of the stack ends that was not asked to. */
  readonly failed: Promise<string>;
  /** Ends every process of the stack. */
  stop(): Promise<void>;
}

function clear(dataDir: string): void {
  for (const entry of readdirSync(dataDir)) {
    if (entry !== 'lock') rmSync(join(dataDir, entry), { recursive: true, force: true });
  }
}

async function createAndFund(request: AccountRequest, { databaseUrl, workerSettings, rpcUrls }: Services) {
  const account = await upsertAccount(request, {
    databaseUrl,
    secrets: secretsSettingsSchema.parse(workerSettings),
    environment: 'local',
  });
  await fundWallet(getAddress(account.walletAddress), Object.values(rpcUrls));
  return account;
}

async function start(parts: StartedParts, dataDir: string, options: StackOptions): Promise<Stack> {
  const port = options.port === 0 ? await freePort() : options.port;
  const baseUrl = `http://127.0.0.1:${port}`;
  const services = await parts.add(startServices({ dataDir, baseUrl, chains: options.chains }));
  const demo = await createAndFund({ name: 'Demo', corporateId: 'demo' }, services);

  const worker = await parts.add(
    startWorker({
      dataDir,
      port,
      settings: services.workerSettings,
      ...(options.quiet ? { logFile: join(dataDir, 'worker.log') } : {}),
    }),
  );
  await parts.add(Promise.resolve(startCron(baseUrl, (line) => console.error(line))));

  const info: StackInfo = {
    baseUrl,
    apiKey: services.identity.apiKey,
    adminSecret: services.identity.adminSecret,
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
  const files = [stackSettingsFile(dataDir), stackInfoFile(dataDir)].map(removeWithUs);
  writePrivateFile(stackSettingsFile(dataDir), JSON.stringify(settings, null, 2));
  writePrivateFile(stackInfoFile(dataDir), `${JSON.stringify(info, null, 2)}\n`);

  let stopping = false;
  const workerFailed = new Promise<string>((resolve_) => {
    void worker.exited.then((how) => stopping || resolve_(`wrangler dev ended unexpectedly (${how}).`));
  });
  return {
    info,
    demo,
    createAccount: (request) => createAndFund(request, services),
    failed: Promise.race([services.failed, workerFailed]),
    stop: () => {
      stopping = true;
      for (const remove of files) remove();
      return parts.stop();
    },
  };
}

/**
 * Starts a whole local stack and resolves when the service answers: PostgreSQL, the chains, the stand-ins for the services of others, and the Worker in
 * `wrangler dev`, with the funded account `demo`. stack.json in the data directory says where all is, as long as it runs. No
 * process of it outlives this one.
 * @throws when the port or the directory is in use, or a part does not start; then nothing is left running.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const dataDir = resolve(options.dataDir);
  if (options.port !== 0) await assertPortFree(options.port);
  mkdirSync(dataDir, { recursive: true });
  const unlock = await lockStack(dataDir);
  const parts = new StartedParts();
  // Ended last, after all that it protects.
  await parts.add(Promise.resolve({ stop: async () => unlock() }));
  try {
    rmSync(stackInfoFile(dataDir), { force: true });
    rmSync(stackSettingsFile(dataDir), { force: true });
    if (options.fresh) clear(dataDir);
    return await start(parts, dataDir, options);
  } catch (error) {
    // The reason for all this is the first error.
    await parts.stop().catch((fault: unknown) => console.error(fault));
    throw error;
  }
}
