import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startBackingServices } from '../../stack/backing-services.ts';
import { writeWorkerConfig } from '../../stack/worker-config.ts';
import { startFaultProxy } from '../fixtures/fault-proxy.ts';
import { createRecordedHarness } from '../record/recorded-harness.ts';
import { removeStackDirectory } from '../record/record-stack.ts';

/** The shared stack, as flow tests see it. */
interface FlowStack {
  /** The running Worker. */
  readonly url: string;
  readonly settings: Readonly<Record<string, string>>;
  /** The database for its owner; in `settings` it is for the Worker's role. */
  readonly ownerDatabaseUrl: string;
  /** The Worker's wrangler.toml, for another Worker with other settings. */
  readonly configPath: string;
  /** The chains themselves, past the proxies. */
  readonly rpcUrls: Readonly<Record<string, string>>;
  /** The fault proxies that the Worker's traffic goes through, by service. */
  readonly proxies: Readonly<Record<'43114' | '43113' | 'database' | 'secrets' | 'objects' | 'index', string>>;
  /** POST `?time=<ms>`: runs the cleanup job as if it were that time. */
  readonly cronUrl: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    stack: FlowStack;
  }
}

/** Starts everything once, with the built Worker in the real runtime, for the whole run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'nft-flows-'));
  const services = await startBackingServices({ dataDir, baseUrl: 'http://service.test' });
  const endpoint = (name: string) => services.workerSettings[name] ?? '';
  const [mainnet, testnet, database, secrets, objects, index] = await Promise.all([
    startFaultProxy(endpoint('RPC_URL_43114')),
    startFaultProxy(endpoint('RPC_URL_43113')),
    startFaultProxy(endpoint('NEON_FETCH_ENDPOINT')),
    startFaultProxy(endpoint('SECRETS_ENDPOINT')),
    startFaultProxy(endpoint('S3_ENDPOINT')),
    startFaultProxy(endpoint('NFT_INDEX_URL')),
  ]);
  const proxies = { '43114': mainnet, '43113': testnet, database, secrets, objects, index };
  const settings = {
    ...services.workerSettings,
    RPC_URL_43114: mainnet.url,
    RPC_URL_43113: testnet.url,
    NEON_FETCH_ENDPOINT: database.url,
    SECRETS_ENDPOINT: secrets.url,
    S3_ENDPOINT: objects.url,
    NFT_INDEX_URL: index.url,
  };
  const configPath = writeWorkerConfig(dataDir);
  const server = createRecordedHarness({ workers: [{ configPath, secrets: settings }] });
  const { url } = await server.listen();

  const cron = createServer((request, response) => {
    const time = new URL(request.url ?? '/', url).searchParams.get('time');
    const scheduledTime = time === null ? new Date() : new Date(Number(time));
    server
      .getWorker()
      .scheduled({ cron: '*/10 * * * *', scheduledTime })
      .then(
        ({ outcome }) => response.end(outcome),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
  });
  await new Promise<void>((resolve) => cron.listen(0, '127.0.0.1', resolve));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server on a TCP port has this kind of address
  const { port } = cron.address() as AddressInfo;

  project.provide('stack', {
    url: url.origin,
    settings,
    ownerDatabaseUrl: services.databaseUrl,
    configPath,
    rpcUrls: services.rpcUrls,
    proxies: {
      '43114': mainnet.url,
      '43113': testnet.url,
      database: database.url,
      secrets: secrets.url,
      objects: objects.url,
      index: index.url,
    },
    cronUrl: `http://127.0.0.1:${port}`,
  });
  return async () => {
    cron.close();
    await server.close();
    await Promise.all(Object.values(proxies).map((proxy) => proxy.close()));
    await services.stop();
    await removeStackDirectory(dataDir);
  };
}
