import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getAddress } from 'viem';
import { type AccountRequest, type CreatedAccount, upsertAccount } from '../../cli/corporate/upsert-account.ts';
import { secretsSettingsSchema } from '../../cli/corporate/wallet-secret.ts';
import { startBackingServices } from '../../stack/backing-services.ts';
import { fundWallet } from '../../cli/local-stack/fund-wallet.ts';
import { freePort } from '../../stack/ports.ts';
import { startWorker } from '../../stack/worker.ts';
import { writeWorkerConfig } from '../../stack/worker-config.ts';

/** A local stack without rate limits. */
export interface FuzzStack {
  readonly baseUrl: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly dataDir: string;
  readonly inspectorPort: number;
  readonly logFile: string;
  /** Creates an account with a funded wallet. */
  createAccount(request: AccountRequest): Promise<CreatedAccount>;
  stop(): Promise<void>;
}

export async function startFuzzStack(): Promise<FuzzStack> {
  const dataDir = await mkdtemp(join(tmpdir(), 'nft-fuzz-'));
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const services = await startBackingServices({ dataDir, baseUrl });
  const configFile = writeWorkerConfig(dataDir);
  await writeFile(configFile, readFileSync(configFile, 'utf8').replaceAll(/limit = [\d_]+/g, 'limit = 1_000_000_000'));
  const logFile = join(dataDir, 'worker.log');
  const worker = await startWorker({ dataDir, port, settings: services.workerSettings, configFile, logFile });
  return {
    baseUrl,
    settings: services.workerSettings,
    dataDir,
    inspectorPort: worker.inspectorPort,
    logFile,
    async createAccount(request) {
      const account = await upsertAccount(request, {
        databaseUrl: services.databaseUrl,
        secrets: secretsSettingsSchema.parse(services.workerSettings),
        environment: 'local',
      });
      await fundWallet(getAddress(account.walletAddress), Object.values(services.rpcUrls));
      return account;
    },
    async stop() {
      await worker.stop();
      await services.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
