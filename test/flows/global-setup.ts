import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { V4WorkerOptions } from 'miniflare';
import type { TestProject } from 'vitest/node';
import { startBackingServices } from '../../stack/backing-services.ts';
import { startHealthyWorker } from '../fixtures/built-worker.ts';
import { startFaultProxy } from '../fixtures/fault-proxy.ts';
import { bundleWorker } from '../fixtures/worker-bundle.ts';
import { removeStackDirectory } from '../record/record-stack.ts';

/** The shared stack, as flow tests see it. */
interface FlowStack {
  /** The running Worker. */
  readonly url: string;
  readonly settings: Readonly<Record<string, string>>;
  /** The database for its owner; in `settings` it is for the Worker's role. */
  readonly ownerDatabaseUrl: string;
  /** The built Worker, for others with other settings. */
  readonly worker: V4WorkerOptions;
  /** The chains themselves, past the proxies. */
  readonly rpcUrls: Readonly<Record<string, string>>;
  /** The fault proxies that the Worker's traffic goes through, by service. */
  readonly proxies: Readonly<Record<'43114' | '43113' | 'database' | 'secrets' | 'kms' | 'objects' | 'index', string>>;
}

declare module 'vitest' {
  interface ProvidedContext {
    stack: FlowStack;
  }
}

/** Starts everything once, with the built Worker in the real runtime, for the whole run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'nft-flows-'));
  const [services, worker] = await Promise.all([
    // What Neon keeps is tested with its endpoint.
    startBackingServices({ dataDir, baseUrl: 'http://service.test', keepsPlans: true }),
    bundleWorker(join(dataDir, 'bundle')),
  ]);
  const endpoint = (name: string) => services.workerSettings[name] ?? '';
  const [mainnet, testnet, database, secrets, kms, objects, index] = await Promise.all([
    startFaultProxy(endpoint('RPC_URL_43114')),
    startFaultProxy(endpoint('RPC_URL_43113')),
    startFaultProxy(endpoint('NEON_FETCH_ENDPOINT')),
    startFaultProxy(endpoint('SECRETS_ENDPOINT')),
    startFaultProxy(endpoint('KMS_ENDPOINT')),
    startFaultProxy(endpoint('S3_ENDPOINT')),
    startFaultProxy(endpoint('NFT_INDEX_URL')),
  ]);
  const proxies = { '43114': mainnet, '43113': testnet, database, secrets, kms, objects, index };
  const settings = {
    ...services.workerSettings,
    RPC_URL_43114: mainnet.url,
    RPC_URL_43113: testnet.url,
    NEON_FETCH_ENDPOINT: database.url,
    SECRETS_ENDPOINT: secrets.url,
    KMS_ENDPOINT: kms.url,
    S3_ENDPOINT: objects.url,
    NFT_INDEX_URL: index.url,
  };
  const shared = await startHealthyWorker(worker, settings);

  project.provide('stack', {
    url: shared.url,
    settings,
    ownerDatabaseUrl: services.databaseUrl,
    worker,
    rpcUrls: services.rpcUrls,
    proxies: {
      '43114': mainnet.url,
      '43113': testnet.url,
      database: database.url,
      secrets: secrets.url,
      kms: kms.url,
      objects: objects.url,
      index: index.url,
    },
  });
  return async () => {
    await shared.stop();
    await Promise.all(Object.values(proxies).map((proxy) => proxy.close()));
    await services.stop();
    await removeStackDirectory(dataDir);
  };
}
