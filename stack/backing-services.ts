import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ChainDefinition } from '../src/chains/definition.ts';
import { DEFAULT_CHAINS } from '../src/chains/list.ts';
import { startAnvil } from './anvil.ts';
import { takePorts } from './ports.ts';
import { type Distance, type FarServer, startFarServer } from './distance.ts';
import { startExchangeRates } from './stand-ins/exchange-rates.ts';
import { startKms } from './stand-ins/kms.ts';
import { type StackCredentials, loadCredentials } from './credentials.ts';
import { grantWorkerRole } from '../cli/migrate/grant-worker-role.ts';
import { applyMigrations } from '../cli/migrate/apply-migrations.ts';
import { startNeonEndpoint } from './stand-ins/neon-endpoint.ts';
import { startNftIndex } from './stand-ins/nft-index.ts';
import { startObjectStore } from './stand-ins/object-store.ts';
import { startPostgres } from './postgres/postgres.ts';
import { startSecretsStore } from './stand-ins/secrets-store.ts';
import { ComponentGroup } from './component-group.ts';

export interface BackingServicesOptions {
  /** The data directory; it survives a restart. */
  readonly dataDir: string;
  /** The URL that the Worker will have, without a trailing slash. */
  readonly baseUrl: string;
  /** The chains to start; default: those that are allowed by default. */
  readonly chains?: readonly ChainDefinition[] | undefined;
  /**
   * The ports of what is used from outside the stack begin here: of the nodes, the database and the object store, whose
   * URLs are in metadata. Default: any free ones.
   */
  readonly firstPort?: number | undefined;
  /** Of the database and the nodes from the Worker; default: none. */
  readonly distance?: Distance | undefined;
  /** Whether the Neon endpoint keeps connections and plans, see its option. */
  readonly keepsPlans?: boolean | undefined;
}

/** Everything that the Worker depends on, running. */
export interface BackingServices {
  readonly credentials: StackCredentials;
  readonly databaseUrl: string;
  /** The chains themselves, near, by chain id. */
  readonly rpcUrls: Readonly<Record<string, string>>;
  /** The settings to start the Worker with, including secrets. */
  readonly workerSettings: Readonly<Record<string, string>>;
  /** The ARN of a wallet's key in the stand-in for AWS KMS, by its alias; it is created at the first call. */
  walletKey(alias: string): string;
  /** Resolves with a message when a server ends unexpectedly. */
  readonly failed: Promise<string>;
  stop(): Promise<void>;
}

const REGION = 'us-east-1';
const BUCKET = 'assets';

/** The URL of a server for the Worker, which may be far from it. */
async function urlForWorker(components: ComponentGroup, url: string, to: FarServer, distance: Distance | undefined) {
  return distance === undefined ? url : (await components.add(startFarServer(url, to, distance))).url;
}

async function startDatabase(
  components: ComponentGroup,
  password: string,
  port: number | undefined,
  { dataDir, distance, keepsPlans }: BackingServicesOptions,
) {
  const place = { directory: join(dataDir, 'postgres'), ...(port === undefined ? {} : { port }) };
  const postgres = await components.add(startPostgres({ ...place, password }));
  try {
    await applyMigrations(postgres.url);
    await grantWorkerRole(postgres.url, postgres.workerRole);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `The database in ${dataDir} does not fit this version: ${reason}. Start with --fresh to discard it.`,
      {
        cause: error,
      },
    );
  }
  const endpoint = await components.add(startNeonEndpoint({ databaseUrl: postgres.workerUrl, keepsPlans }));
  return { postgres, endpointUrl: await urlForWorker(components, endpoint.url, 'database', distance) };
}

async function startChains(
  components: ComponentGroup,
  dataDir: string,
  definitions: readonly ChainDefinition[],
  ports: readonly number[],
  distance?: Distance,
) {
  const directory = join(dataDir, 'chains');
  mkdirSync(directory, { recursive: true });
  const chains = await Promise.all(
    definitions.map(async ({ id, indexName, confirmations, blockTimeMs }, index) => {
      const stateFile = join(directory, `${id}.json`);
      // If one confirmation is not enough, blocks must also be mined without transactions.
      const blocks = confirmations > 1 ? { blockTimeMs } : {};
      const port = ports[index];
      const place = port === undefined ? {} : { port };
      const anvil = await components.add(startAnvil({ chainId: Number(id), stateFile, ...blocks, ...place }));
      const workerRpcUrl = await urlForWorker(components, anvil.url, 'node', distance);
      return { id, blockchain: indexName, rpcUrl: anvil.url, workerRpcUrl, exited: anvil.exited };
    }),
  );
  const index = await components.add(startNftIndex({ chains }));
  return { chains, index };
}

/** The ports of the nodes, the database and the object store; none: any. */
async function portsOf(definitions: readonly ChainDefinition[], firstPort: number | undefined): Promise<number[]> {
  if (firstPort === undefined) return [];
  const names = [...definitions.map(({ id }) => `the node of ${id}`), 'the database', 'the object store'];
  return await takePorts(firstPort, names, (line) => console.error(line));
}

/**
 * Starts everything but the Worker: PostgreSQL with its tables, the Neon endpoint, the chains, the secrets store,
 * KMS, the object store, the NFT index and the exchange rates. All of it stops when this process ends for any reason.
 * @throws when one of them does not start; the others are then stopped.
 */
export async function startBackingServices(options: BackingServicesOptions): Promise<BackingServices> {
  const { dataDir, baseUrl, chains: definitions = DEFAULT_CHAINS, distance } = options;
  mkdirSync(dataDir, { recursive: true });
  const credentials = loadCredentials(join(dataDir, 'identity.json'));
  const aws = { accessKeyId: credentials.awsAccessKeyId, secretAccessKey: credentials.awsSecretAccessKey };
  const ports = await portsOf(definitions, options.firstPort);
  const [databasePort, objectsPort] = ports.slice(definitions.length);
  const components = new ComponentGroup();
  const starting = [
    startDatabase(components, credentials.databasePassword, databasePort, options),
    startChains(components, dataDir, definitions, ports, distance),
    components.add(startSecretsStore({ file: join(dataDir, 'secrets.json'), region: REGION, credentials: aws })),
    components.add(startKms({ file: join(dataDir, 'kms.json'), region: REGION, credentials: aws })),
    components.add(
      startObjectStore({
        directory: join(dataDir, 'objects'),
        bucket: BUCKET,
        credentials: aws,
        ...(objectsPort === undefined ? {} : { port: objectsPort }),
      }),
    ),
    components.add(startExchangeRates()),
  ] as const;
  try {
    const [{ postgres, endpointUrl }, { chains, index }, secrets, kms, objects, rates] = await Promise.all(starting);

    let stopping = false;
    const failed = new Promise<string>((resolve) => {
      const watch = (name: string, exited: Promise<string>) =>
        void exited.then((how) => stopping || resolve(`${name} ended unexpectedly (${how}).`));
      watch('PostgreSQL', postgres.exited);
      for (const { id, exited } of chains) watch(`The chain ${id}`, exited);
    });

    return {
      credentials,
      databaseUrl: postgres.url,
      rpcUrls: Object.fromEntries(chains.map(({ id, rpcUrl }) => [id, rpcUrl])),
      workerSettings: {
        ENVIRONMENT: 'local',
        GLOBAL_SECRET_KEY: credentials.apiKey,
        ADMIN_SECRET_KEY: credentials.adminSecret,
        ENCRYPTION_KEYS: credentials.encryptionKeys,
        CREDENTIAL_SECRETS: credentials.credentialSecret,
        DATABASE_URL: postgres.workerUrl,
        NEON_FETCH_ENDPOINT: endpointUrl,
        ALLOWED_CHAIN_IDS: chains.map(({ id }) => id).join(','),
        ...Object.fromEntries(
          chains.flatMap(({ id, rpcUrl, workerRpcUrl }) => [
            [`RPC_URL_${id}`, workerRpcUrl],
            [`PUBLIC_RPC_URL_${id}`, rpcUrl],
          ]),
        ),
        AWS_REGION: REGION,
        AWS_ACCESS_KEY_ID: credentials.awsAccessKeyId,
        AWS_SECRET_ACCESS_KEY: credentials.awsSecretAccessKey,
        SECRETS_ENDPOINT: secrets.url,
        KMS_ENDPOINT: kms.url,
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
      walletKey: (alias) => kms.walletKey(alias),
      failed,
      stop: () => {
        stopping = true;
        return components.stop();
      },
    };
  } catch (error) {
    // Wait for those that are still starting, so that they can be stopped too.
    await Promise.allSettled(starting);
    // The first error is the cause; it is the one to report.
    await components.stop().catch((stopError: unknown) => console.error(stopError));
    throw error;
  }
}
