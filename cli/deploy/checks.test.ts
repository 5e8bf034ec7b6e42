import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { createTestClient, http, parseEther, type Address } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { upsertAccount } from '../corporate/upsert-account.ts';
import { secretsSettingsSchema, walletSecretId } from '../corporate/wallet-secret.ts';
import { kmsWallet } from '../corporate/wallet-signer.ts';
import type { DatabaseState } from '../database-state.ts';
import { applyMigrations } from '../migrate/apply-migrations.ts';
import { chainDefinition } from '../../src/chains/list.ts';
import { parseSettings } from '../../src/platform/env.ts';
import { startBackingServices, type BackingServices } from '../../stack/backing-services.ts';
import { readBody, sendJson, startHttpServer } from '../../stack/http-server.ts';
import { checkChains, checkWallets } from './check-chains.ts';
import { checkDatabase } from './check-database.ts';
import { checkSettings } from './check-settings.ts';
import { checkBucket, checkKms, checkSecretsStore } from './check-stores.ts';
import { readDeployment, type Deployment } from './deployment.ts';

const TEST_CHAIN = '43113';
const MAIN_CHAIN = '43114';

let directory: string;
let services: BackingServices;
let wallet: Address;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'deploy-checks-'));
  const chains = [chainDefinition(TEST_CHAIN), chainDefinition(MAIN_CHAIN)];
  services = await startBackingServices({ dataDir: directory, baseUrl: 'http://127.0.0.1:9', chains });
  const account = await upsertAccount(
    { name: 'Acme', corporateId: 'acme' },
    {
      databaseUrl: services.databaseUrl,
      secrets: secretsSettingsSchema.parse(services.workerSettings),
      environment: 'staging',
    },
  );
  wallet = account.walletAddress as Address;
});

afterAll(async () => {
  await services.stop();
  await rm(directory, { recursive: true, force: true });
});

/** The settings of a complete staging deployment, with changes; undefined leaves one out. */
function deployment(changed: Readonly<Record<string, string | undefined>> = {}): Deployment {
  const complete = readDeployment('staging', undefined, 'api.example.com');
  const { vars } = complete.configuration;
  const settings = {
    ...services.workerSettings,
    TRANSFER_TEST_SIGNATURE: undefined,
    WEBHOOK_ALLOW_PRIVATE_TARGETS: undefined,
    ...vars,
    ...changed,
  };
  return { ...complete, settings };
}

const settingsOf = (changed: Readonly<Record<string, string | undefined>> = {}) =>
  parseSettings(deployment(changed).settings);

const issues = (subject: Deployment) => checkSettings(subject).findings.map(({ what }) => what);

const findingsOfDatabase = async (url: string | undefined) => (await checkDatabase(url ?? '')).findings;

const findingsOfNodes = (urls: string | undefined) => {
  const changed = { [`RPC_URL_${TEST_CHAIN}`]: urls };
  return checkChains(deployment(changed), settingsOf(changed));
};

const findingsOfSecrets = (changed: Record<string, string>, corporateId?: string) => {
  const wallets =
    corporateId === undefined ? [] : [{ corporateId, address: wallet, keyId: walletSecretId('staging', corporateId) }];
  return checkSecretsStore(settingsOf(changed), deployment(changed).settings, wallets);
};

describe('the settings of a deployment', () => {
  it('are complete when nothing is found', () => {
    expect(issues(deployment())).toEqual([]);
  });

  it('name a secret without a value, with the command that sets it', () => {
    expect(checkSettings(deployment({ ADMIN_SECRET_KEY: undefined })).findings).toEqual([
      {
        what: 'ADMIN_SECRET_KEY has no value here, so it cannot be checked',
        command: expect.stringContaining('npx wrangler secret put ADMIN_SECRET_KEY --env staging'),
        blocks: true,
      },
    ]);
  });

  it('name a malformed var, with the place to edit', () => {
    expect(checkSettings(deployment({ PK_CACHE_TTL_SECONDS: '-1' })).findings).toEqual([
      {
        what: expect.stringMatching(/^PK_CACHE_TTL_SECONDS must/),
        command: 'edit [env.staging.vars] in wrangler.toml',
        blocks: true,
      },
    ]);
  });

  it('of staging have no main chain, and the nodes of each chain are among the required secrets', () => {
    expect(issues(deployment({ ALLOWED_CHAIN_IDS: `${TEST_CHAIN},${MAIN_CHAIN}` }))).toEqual([
      `Chain ${MAIN_CHAIN} is a main chain, but staging is for test chains`,
      `RPC_URL_${MAIN_CHAIN} is not among the required secrets`,
    ]);
  });

  it('name the environment that is deployed, a custom domain, and no secret that is also a var', () => {
    const { configuration, ...rest } = deployment();
    const changed = { ...configuration, vars: { ...configuration.vars, ENVIRONMENT: 'production' } };
    const subject = { ...rest, configuration: changed, domain: undefined, uploaded: new Set(['ENVIRONMENT']) };
    expect(issues(subject)).toEqual([
      'ENVIRONMENT in wrangler.toml is not staging',
      'The edge has no custom domain, so nobody can call it',
      'ENVIRONMENT is both a secret and a var',
    ]);
  });
});

describe('the database', () => {
  it('is complete when it has all migrations, and the Worker has its own role', async () => {
    expect(await findingsOfDatabase(services.workerSettings['DATABASE_URL'])).toEqual([]);
  });

  it('may not belong to the role of the Worker', async () => {
    expect(await findingsOfDatabase(services.databaseUrl)).toEqual([
      expect.objectContaining({ what: "The Worker's role can change the audit log" }),
    ]);
  });

  it('may not lack migrations, nor have others than this version', async () => {
    const url = services.databaseUrl.replace(/\/[^/]*$/, '/unmigrated');
    await query(services.databaseUrl, 'CREATE DATABASE unmigrated');
    expect(await findingsOfDatabase(url)).toEqual([
      {
        what: expect.stringMatching(/lacks migrations: 0000_initial$/),
        command: expect.stringContaining('npm run nft -- migrate'),
        blocks: true,
      },
    ]);
    await applyMigrations(url);
    await query(
      url,
      "INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES ('of a later version', 9999999999999)",
    );
    expect(await findingsOfDatabase(url)).toEqual([
      expect.objectContaining({ what: expect.stringContaining('has migrations that this version does not have') }),
    ]);
    await query(url, "DELETE FROM drizzle.__drizzle_migrations WHERE hash = 'of a later version'");
    await query(url, "UPDATE drizzle.__drizzle_migrations SET hash = 'of an earlier file'");
    expect(await findingsOfDatabase(url)).toEqual([
      expect.objectContaining({ what: expect.stringMatching(/^0000_initial changed after being applied to /) }),
    ]);
  });

  it('must let the Worker in, and let it see which migrations it has', async () => {
    const url = services.workerSettings['DATABASE_URL'] ?? '';
    expect(await findingsOfDatabase(url.replace(/:[^:@]*@/, ':wrong@'))).toEqual([
      expect.objectContaining({ what: expect.stringContaining('password authentication failed') }),
    ]);
    const role = new URL(url).username;
    await query(services.databaseUrl, `REVOKE SELECT ON drizzle.__drizzle_migrations FROM ${role}`);
    expect(await findingsOfDatabase(url)).toEqual([
      expect.objectContaining({
        what: expect.stringContaining('permission denied'),
        command: expect.stringContaining('npm run nft -- migrate'),
      }),
    ]);
    await query(services.databaseUrl, `GRANT SELECT ON drizzle.__drizzle_migrations TO ${role}`);
  });
});

describe('the nodes of a chain', () => {
  it('are complete when each is on its chain and has the deployment proxy', async () => {
    expect(await findingsOfNodes(services.rpcUrls[TEST_CHAIN])).toEqual([]);
  });

  it('are all asked, and those that are wrong or silent are named without their keys', async () => {
    const elsewhere = services.rpcUrls[MAIN_CHAIN] ?? '';
    const findings = await findingsOfNodes(`${elsewhere},http://127.0.0.1:1/v2/a-key-of-a-provider`);
    expect(findings).toEqual([
      {
        what: `Node 1 of RPC_URL_${TEST_CHAIN} (${new URL(elsewhere).host}) is on chain ${MAIN_CHAIN}`,
        command: `npx wrangler secret put RPC_URL_${TEST_CHAIN} --env staging`,
        blocks: true,
      },
      expect.objectContaining({ what: expect.stringContaining('Node 2 of') }),
    ]);
    expect(JSON.stringify(findings)).not.toContain('a-key-of-a-provider');
  });

  it('must have the deployment proxy', async () => {
    const node = await startHttpServer('Bare node', async (request, response) => {
      const calls = [JSON.parse(String(await readBody(request, 65_536)))].flat() as { id: number; method: string }[];
      sendJson(
        response,
        200,
        calls.map(({ id, method }) => ({ jsonrpc: '2.0', id, result: method === 'eth_chainId' ? '0xa869' : '0x' })),
      );
    });
    const findings = await findingsOfNodes(node.url);
    await node.stop();
    expect(findings).toEqual([expect.objectContaining({ what: expect.stringContaining('has no deployment proxy') })]);
  });

  it('tell which wallets are low, which prevents no deployment', async () => {
    const chain = createTestClient({ mode: 'anvil', transport: http(services.rpcUrls[TEST_CHAIN]) });
    const wallets = [{ corporateId: 'acme', address: wallet, keyId: '' }];
    await chain.setBalance({ address: wallet, value: parseEther('0.01') });
    expect(await checkWallets(settingsOf(), wallets)).toEqual([
      {
        what: `The wallet of acme has 0.01 AVAX on chain ${TEST_CHAIN}`,
        command: `send coins to ${wallet}`,
        blocks: false,
      },
    ]);
    const behindSilent = { [`RPC_URL_${TEST_CHAIN}`]: `http://127.0.0.1:1,${services.rpcUrls[TEST_CHAIN]}` };
    expect(await checkWallets(settingsOf(behindSilent), wallets)).toHaveLength(1);
    const many = Array.from({ length: 25 }, () => wallets).flat();
    expect((await checkWallets(settingsOf(), many)).at(-1)?.what).toBe('5 more wallets are low');
    await chain.setBalance({ address: wallet, value: parseEther('1') });
    expect(await checkWallets(settingsOf(), wallets)).toEqual([]);
  });
});

describe('KMS', () => {
  it("is complete when the first key there is its wallet's, and missing when it is another one's or cannot be read", async () => {
    const keyId = services.walletKey('alias/check');
    const inKms = {
      corporateId: 'acme',
      ...(await kmsWallet(secretsSettingsSchema.parse(services.workerSettings), keyId)),
    };
    const inSecrets = { corporateId: 'other', address: wallet, keyId: 'secret' };
    const found = async (first: DatabaseState['wallets'][number], changed: Record<string, string> = {}) =>
      (await checkKms(deployment(changed).settings, [inSecrets, first])).map(({ what }) => what);
    expect(await checkKms(deployment().settings, [inSecrets])).toEqual([]);
    expect(await found(inKms)).toEqual([]);
    expect(await found({ ...inKms, address: wallet })).toEqual([expect.stringContaining('not of the wallet')]);
    expect(await found({ ...inKms, keyId: `${keyId}0` })).toEqual([expect.stringContaining('NotFoundException')]);
    expect(await found(inKms, { AWS_SECRET_ACCESS_KEY: 'a-wrong-secret-of-aws' })).toEqual([
      expect.stringMatching(/InvalidSignatureException/),
    ]);
  });
});

describe('the secrets store and the bucket', () => {
  it('are complete when a wallet can be read, or there is none yet, and an upload can be begun', async () => {
    expect(await findingsOfSecrets({})).toEqual([]);
    expect(await findingsOfSecrets({}, 'acme')).toEqual([]);
    expect(await checkBucket(settingsOf())).toEqual([]);
    expect(await checkBucket(settingsOf({ S3_BUCKET: undefined }))).toEqual([]);
  });

  it('are missing with wrong credentials, which are not shown', async () => {
    const wrong = { AWS_SECRET_ACCESS_KEY: 'a-wrong-secret-of-aws' };
    const findings = [...(await findingsOfSecrets(wrong)), ...(await checkBucket(settingsOf(wrong)))];
    expect(findings.map(({ what }) => what)).toEqual([
      expect.stringContaining('The secrets store returned'),
      expect.stringMatching(/^The bucket assets at .* takes no uploads: SignatureDoesNotMatch$/),
    ]);
    expect(JSON.stringify(findings)).not.toContain('a-wrong-secret-of-aws');
  });

  it("are missing without the first account's wallet, without the bucket, or when they do not answer", async () => {
    const silent = 'http://127.0.0.1:1';
    const findings = [
      ...(await findingsOfSecrets({}, 'nobody')),
      ...(await checkBucket(settingsOf({ S3_BUCKET: 'no-such-bucket' }))),
      ...(await findingsOfSecrets({ SECRETS_ENDPOINT: silent })),
      ...(await checkBucket(settingsOf({ S3_ENDPOINT: silent }))),
    ];
    expect(findings.map(({ what }) => what)).toEqual([
      'The secrets store has no wallet of nobody',
      expect.stringContaining('NoSuchBucket'),
      expect.stringContaining('does not answer'),
      expect.stringContaining('does not answer'),
    ]);
  });
});

async function query(databaseUrl: string, text: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}
