import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { getAddress } from 'viem';
import { z } from 'zod';
import { upsertAccount } from '../../../cli/corporate/upsert-account.ts';
import { secretsSettingsSchema } from '../../../cli/corporate/wallet-secret.ts';
import { fundWallet } from '../../../cli/local-stack/fund-wallet.ts';

const PROCESS = fileURLToPath(new URL('./soak-stack-process.ts', import.meta.url));

const addressesSchema = z.object({
  baseUrl: z.string(),
  databaseUrl: z.string(),
  rpcUrl: z.string(),
  inspectorPort: z.number(),
  settings: z.record(z.string(), z.string()),
});
/** Where the parts of the stack are, and the Worker's settings. */
export type StackAddresses = z.output<typeof addressesSchema>;

/** What the process of the stack is told. */
export const commandSchema = z.discriminatedUnion('name', [
  z.object({ name: z.literal('lose'), contractAddress: z.string() }),
  z.object({ name: z.literal('recover') }),
]);

/** The local stack with a node that mines a block a second and can lose transactions. */
export interface SoakStack extends StackAddresses {
  readonly apiKey: string;
  readonly adminSecret: string;
  /** From now on, transactions that call this contract are lost. */
  lose(contractAddress: string): void;
  /** From now on, none is lost. */
  recover(): void;
  /** Creates an account with coins. @returns its corporateId. */
  createAccount(name: string, webhookUrl: string): Promise<string>;
  stop(): Promise<void>;
}

/**
 * Starts the stack in a process of its own: what stands in for the database and the chain must not wait for the clients
 * and receivers of the load.
 * @throws when it does not start.
 */
export async function startSoakStack(dataDir: string): Promise<SoakStack> {
  const child = fork(PROCESS, [dataDir]);
  const exited = once(child, 'exit');
  const failed = exited.then(([code, signal]: unknown[]) => {
    throw new Error(`The stack has ended (${String(signal ?? code)})`);
  });
  const [message]: unknown[] = await Promise.race([once(child, 'message'), failed]);
  const addresses = addressesSchema.parse(message);
  const { settings, databaseUrl, rpcUrl } = addresses;
  const stores = { databaseUrl, secrets: secretsSettingsSchema.parse(settings), environment: 'local' as const };
  const tell = (command: z.output<typeof commandSchema>) => void child.send(command);
  let isStopping = false;
  failed.catch((error: unknown) => {
    if (isStopping) return;
    console.error(error);
    process.exit(1);
  });
  return {
    ...addresses,
    apiKey: settings['GLOBAL_SECRET_KEY'] ?? '',
    adminSecret: settings['ADMIN_SECRET_KEY'] ?? '',
    lose: (contractAddress) => tell({ name: 'lose', contractAddress }),
    recover: () => tell({ name: 'recover' }),
    async createAccount(name, webhookUrl) {
      const { corporateId, walletAddress } = await upsertAccount({ name, corporateId: name, webhookUrl }, stores);
      await fundWallet(getAddress(walletAddress), [rpcUrl]);
      return corporateId;
    },
    async stop() {
      isStopping = true;
      child.disconnect();
      await exited;
    },
  };
}
