import { mkdtemp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chainDefinition } from '../../src/chains/list.ts';
import { startBackingServices, type BackingServices } from '../../stack/backing-services.ts';
import { type CloudflareApi, startCloudflareApi } from '../fixtures/cloudflare-api.ts';
import { NFT, runScript } from './support/run-script.ts';
import { removeStackDirectory } from '../record/record-stack.ts';

/** What the local stack sets and a deployment must not. */
const LOCAL_ONLY = /^(ENVIRONMENT|ALLOWED_CHAIN_IDS|TRANSFER_TEST_SIGNATURE|WEBHOOK_ALLOW_PRIVATE_TARGETS)$/;
const QUEUES = ['deploy', 'mint', 'transfer', 'webhook', 'import'].map((name) => `nft-staging-${name}`);
const COMPLETE = ['--env', 'staging', '--domain', 'api.example.com'];

let directory: string;
let services: BackingServices;
let cloudflare: CloudflareApi;
/** The secrets of a complete deployment. */
let secrets: Record<string, string>;
/** A directory with this project whose wrangler.toml places the core. */
let placed: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stack-deploy-'));
  const chains = [chainDefinition('43113')];
  [services, cloudflare] = await Promise.all([
    startBackingServices({ dataDir: directory, baseUrl: 'http://127.0.0.1:9', chains }),
    startCloudflareApi(),
  ]);
  const settings = { ...services.workerSettings, LANE_LOCATION: 'enam' };
  secrets = Object.fromEntries(Object.entries(settings).filter(([name]) => !LOCAL_ONLY.test(name)));
  placed = await placeCore(join(directory, 'placed'));
});

/** Makes a copy of the project, by links, with another wrangler.toml. */
async function placeCore(copy: string): Promise<string> {
  await mkdir(copy);
  const others = (await readdir('.')).filter((name) => name !== 'wrangler.toml');
  await Promise.all(others.map((name) => symlink(resolve(name), join(copy, name))));
  const placement = '\n[placement]\nregion = "aws:us-east-1"\n';
  await writeFile(join(copy, 'wrangler.toml'), (await readFile('wrangler.toml', 'utf8')) + placement);
  return copy;
}

beforeEach(() => {
  cloudflare.secrets = null;
  cloudflare.edgeSecrets = null;
  cloudflare.queues = QUEUES;
  cloudflare.requests.length = 0;
});

afterAll(async () => {
  await Promise.all([services.stop(), cloudflare.stop()]);
  await removeStackDirectory(directory);
});

async function deploy(options: readonly string[], env: Readonly<Record<string, string>> = {}, cwd?: string) {
  const run = runScript(NFT, ['deploy', ...options], { ...cloudflare.environment, ...env }, cwd);
  const code = await run.ended;
  return { code, output: run.output(), stdout: run.stdout() };
}

/** The options that upload these secrets; DATABASE_URL is stored at Cloudflare. */
const uploading = (changed: Readonly<Record<string, string>> = {}) => {
  const { DATABASE_URL: _, ...uploaded } = { ...secrets, ...changed };
  return withFile(uploaded);
};

async function withFile(content: Readonly<Record<string, string>>): Promise<string[]> {
  const file = join(directory, 'secrets-file.json');
  await writeFile(file, JSON.stringify(content));
  return [...COMPLETE, '--secrets-file', file];
}

/** Requests other than those of the checks. */
const changes = () => cloudflare.requests.filter((request) => !/^GET .*\/(secrets|queues)$/.test(request));

describe('npm run nft -- deploy', () => {
  it('lists everything that is missing at once, without a secret, and uploads nothing', async () => {
    cloudflare.secrets = [];
    cloudflare.edgeSecrets = ['ADMIN_SECRET_KEY'];
    cloudflare.queues = QUEUES.slice(1);
    const wrong = {
      RPC_URL_43113: 'http://127.0.0.1:1/v2/a-key-of-a-provider',
      AWS_SECRET_ACCESS_KEY: 'a-wrong-secret-of-aws',
    };
    const databaseUrl = (secrets['DATABASE_URL'] ?? '').replace(/:[^:@]*@/, ':a-wrong-password@');
    const run = await deploy(await uploading(wrong), { DATABASE_URL: databaseUrl });
    expect(run.code).toBe(1);
    for (const found of [
      'Node 1 of RPC_URL_43113 (127.0.0.1:1) does not answer',
      'npx wrangler secret put RPC_URL_43113 --env staging',
      'The secrets store returned',
      'password authentication failed',
      'The queue nft-staging-deploy does not exist\n         npx wrangler queues create nft-staging-deploy',
      'missing  The core has no secret DATABASE_URL\n         npx wrangler secret put DATABASE_URL --env staging',
      'missing  The edge has the secret ADMIN_SECRET_KEY, but needs none\n         npx wrangler secret delete ADMIN_SECRET_KEY --name nft-issuance-service-staging-edge',
      'missing  The core is not placed beside the database',
      'Nothing was uploaded.',
    ]) {
      expect(run.stdout).toContain(found);
    }
    const ofStack = Object.entries(secrets).flatMap(([name, value]) => (name.includes('KEY') ? [value] : []));
    for (const secret of ['a-key-of-a-provider', 'a-wrong-secret-of-aws', 'a-wrong-password', ...ofStack]) {
      expect(run.output).not.toContain(secret);
    }
    expect(changes()).toEqual([]);
  });

  it('goes on to the upload when nothing is missing, and fails with it', async () => {
    cloudflare.secrets = ['DATABASE_URL'];
    const run = await deploy(await uploading(), { DATABASE_URL: secrets['DATABASE_URL'] ?? '' }, placed);
    expect(run.stdout).toContain('Nothing is missing.');
    // The stand-in takes no uploads.
    expect(run.code).not.toBe(0);
    expect(changes()).not.toEqual([]);
  });

  it('with --check uploads nothing, though nothing is missing', async () => {
    const run = await deploy([...(await withFile(secrets)), '--check'], {}, placed);
    expect([run.stdout, run.code]).toEqual(['Nothing is missing.\n', 0]);
    expect(changes()).toEqual([]);
  });
});
