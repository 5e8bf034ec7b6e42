import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ChainDefinition } from '../src/chains/definition.ts';
import { DEFAULT_CHAINS } from '../src/chains/list.ts';
import { startAnvil } from './anvil.ts';
import { startExchangeRates } from './exchange-rates.ts';
import { type StackIdentity, stackIdentity } from './identity.ts';
import { applyMigrations } from './migrations.ts';
import { startNeonEndpoint } from './neon-endpoint.ts';
import { startNftIndex } from './nft-index.ts';
import { startObjectStore } from './object-store.ts';
import { startPostgres } from './postgres.ts';
import { startSecretsStore } from './secrets-store.ts';
import { StartedParts } from './started-parts.ts';

export interface ServicesOptions {
  /** Everything is kept here, and survives a restart. */
  readonly dataDir: string;
  /** Where the Worker will answer, without a slash at its end. */
  readonly baseUrl: string;
  /** The chains to start; absent: those that are allowed by default. */
  readonly chains?: readonly ChainDefinition[] | undefined;
}

/** Everything that the Worker needs around it, running. */
export interface Services {
  readonly identity: StackIdentity;
  readonly databaseUrl: string;
  /** By chain id. */
  readonly rpcUrls: Readonly<Record<string, string>>;
  /** The settings that the Worker is to be started with, secrets included. */
  readonly workerSettings: Readonly<Record<string, string>>;
  /** Resolves with a sentence when a server ends that was not asked to. */
  readonly failed: Promise<string>;
  stop(): Promise<void>;
}

const REGION = 'us-east-1';
const BUCKET = 'assets';

async function startDatabase(parts: StartedParts, dataDir: string, password: string) {
  const postgres = await parts.add(startPostgres({ directory: join(dataDir, 'postgres'), password }));
  try {
    await applyMigrations(postgres.url);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `The database in ${dataDir} is not one of this version: ${reason}. Start with --fresh to begin anew.`,
      {
        cause: error,
      },
    );
  }
  const endpoint = await parts.add(startNeonEndpoint({ databaseUrl: postgres.url }));
  return { postgres, endpoint };
}

async function startChains(parts: StartedParts, dataDir: string, definitions: readonly ChainDefinition[]) {
  const directory = join(dataDir, 'chains');
  mkdirSync(directory, { recursive: true });
  const chains = await Promise.all(
    definitions.map(async ({ id, indexName, confirmations, blockTimeMs }) => {
      const stateFile = join(directory, `${id}.json`);
      // Where one block is not enough, others must follow without transactions.
      const blocks = confirmations > 1 ? { blockTimeMs } : {};
      const anvil = await parts.add(startAnvil({ chainId: Number(id), stateFile, ...blocks }));
      return { id, blockchain: indexName, rpcUrl: anvil.url, exited: anvil.exited };
    }),
  );
  const index = await parts.add(startNftIndex({ chains }));
  return { chains, index };
}

/**
 * Starts PostgreSQL with the tables in place, the Neon endpoint, the chains, the secrets store, the object store, the NFT index and the exchange
 * rates: all but the Worker. They end with this process, however it ends.
 * @throws when one of them does not start; then the others have ended.
 */
export async function startServices({
  dataDir,
  baseUrl,
  chains: definitions = DEFAULT_CHAINS,
}: ServicesOptions): Promise<Services> {
  mkdirSync(dataDir, { recursive: true });
  const identity = stackIdentity(join(dataDir, 'identity.json'));
  const credentials = { accessKeyId: identity.awsAccessKeyId, secretAccessKey: identity.awsSecretAccessKey };
  const parts = new StartedParts();
  const starting = [
    startDatabase(parts, dataDir, identity.databasePassword),
    startChains(parts, dataDir, definitions),
    parts.add(startSecretsStore({ file: join(dataDir, 'secrets.json'), region: REGION, credentials })),
    parts.add(startObjectStore({ directory: join(dataDir, 'objects'), bucket: BUCKET, credentials })),
    parts.add(startExchangeRates()),
  ] as const;
  try {
    const [{ postgres, endpoint }, { chains, index }, secrets, objects, rates] = await Promise.all(starting);

    let stopping = false;
    const failed = new Promise<string>((resolve) => {
      const watch = (name: string, exited: Promise<string>) =>
        void exited.then((how) => stopping || resolve(`${name} ended unexpectedly (${how}).`));
      watch('PostgreSQL', postgres.exited);
      for (const { id, exited } of chains) watch(`The chain ${id}`, exited);
    });

    return {
      identity,
      databaseUrl: postgres.url,
      rpcUrls: Object.fromEntries(chains.map(({ id, rpcUrl }) => [id, rpcUrl])),
      workerSettings: {
        ENVIRONMENT: 'local',
        GLOBAL_SECRET_KEY: identity.apiKey,
        ADMIN_SECRET_KEY: identity.adminSecret,
        DATABASE_URL: postgres.url,
        NEON_FETCH_ENDPOINT: endpoint.url,
        ALLOWED_CHAIN_IDS: chains.map(({ id }) => id).join(','),
        ...Object.fromEntries(chains.map(({ id, rpcUrl }) => [`RPC_URL_${id}`, rpcUrl])),
        AWS_REGION: REGION,
        AWS_ACCESS_KEY_ID: identity.awsAccessKeyId,
        AWS_SECRET_ACCESS_KEY: identity.awsSecretAccessKey,
        SECRETS_ENDPOINT: secrets.url,
        S3_ENDPOINT: objects.url,
        S3_BUCKET: BUCKET,
        ASSET_BASE_URL: `${objects.url}/${BUCKET}`,
        NFT_INDEX_URL: index.url,
        EXCHANGE_RATE_URL: rates.url,
        METADATA_BASE_URI: `${baseUrl}/metadata`,
        TRANSFER_TEST_SIGNATURE: 'true',
        WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
        WEBHOOK_RETRY_BASE_SECONDS: '1',
      },
      failed,
      stop: () => {
        stopping = true;
        return parts.stop();
      },
    };
  } catch (error) {
    // What is still starting must be known before it can be ended.
    await Promise.allSettled(starting);
    // The reason for all this is the first error.
    await parts.stop().catch((fault: unknown) => console.error(fault));
    throw error;
  }
}
