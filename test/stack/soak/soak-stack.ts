import { join } from 'node:path';
import { createTestClient, getAddress, http } from 'viem';
import { upsertAccount } from '../../../operations/accounts/upsert-account.ts';
import { secretsSettingsSchema } from '../../../operations/accounts/wallet-secret.ts';
import { DEFAULT_CHAIN } from '../../../src/chains/list.ts';
import { startBackingServices } from '../../../stack/backing-services.ts';
import { ComponentGroup } from '../../../stack/component-group.ts';
import { startCronTrigger } from '../../../stack/cron-trigger.ts';
import { fundWallet } from '../../../stack/fund-wallet.ts';
import { freePort } from '../../../stack/ports.ts';
import { startWorker } from '../../../stack/worker.ts';
import { startLosingNode } from './losing-node.ts';
import type { LosingNode } from './losing-node.ts';

/** The local stack with a node that mines a block a second and can lose transactions. */
export interface SoakStack {
  readonly baseUrl: string;
  readonly databaseUrl: string;
  readonly apiKey: string;
  readonly adminSecret: string;
  readonly inspectorPort: number;
  readonly node: LosingNode;
  /** Creates an account with coins. @returns its corporateId. */
  createAccount(name: string, webhookUrl: string): Promise<string>;
  stop(): Promise<void>;
}

/**
 * Has blocks mined like those of a chain. A node that mines each transaction at once computes its whole state for a handful of them, so that
 * one flooding account leaves no room in its blocks for others.
 */
async function mineEachSecond(rpcUrl: string): Promise<void> {
  const chain = createTestClient({ mode: 'anvil', transport: http(rpcUrl) });
  await chain.setAutomine(false);
  await chain.setIntervalMining({ interval: 1 });
}

export async function startSoakStack(dataDir: string): Promise<SoakStack> {
  const components = new ComponentGroup();
  try {
    const port = await freePort();
    const baseUrl = `http://127.0.0.1:${port}`;
    const services = await components.add(startBackingServices({ dataDir, baseUrl, chains: [DEFAULT_CHAIN] }));
    const rpcUrl = services.rpcUrls[DEFAULT_CHAIN.id] ?? '';
    await mineEachSecond(rpcUrl);
    const node = await components.add(startLosingNode(rpcUrl));
    const settings = { ...services.workerSettings, [`RPC_URL_${DEFAULT_CHAIN.id}`]: node.url };
    const worker = await components.add(startWorker({ dataDir, port, settings, logFile: join(dataDir, 'worker.log') }));
    await components.add(Promise.resolve(startCronTrigger(baseUrl, console.log)));
    return {
      baseUrl,
      databaseUrl: services.databaseUrl,
      apiKey: services.credentials.apiKey,
      adminSecret: services.credentials.adminSecret,
      inspectorPort: worker.inspectorPort,
      node,
      async createAccount(name, webhookUrl) {
        const { corporateId, walletAddress } = await upsertAccount(
          { name, corporateId: name, webhookUrl },
          { databaseUrl: services.databaseUrl, secrets: secretsSettingsSchema.parse(settings), environment: 'local' },
        );
        await fundWallet(getAddress(walletAddress), Object.values(services.rpcUrls));
        return corporateId;
      },
      stop: () => components.stop(),
    };
  } catch (error) {
    await components.stop().catch((stopError: unknown) => console.error(stopError));
    throw error;
  }
}
