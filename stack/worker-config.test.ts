import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unstable_readConfig as readConfig } from 'wrangler';
import { z } from 'zod';
import { writeWorkerConfig } from './worker-config.ts';

const configSchema = z.object({
  name: z.string(),
  main: z.string(),
  compatibility_flags: z.array(z.string()),
  vars: z.record(z.string(), z.string()),
  secrets: z.object({ required: z.array(z.string()) }).optional(),
  durable_objects: z.object({ bindings: z.array(z.unknown()) }),
  queues: z.object({
    producers: z.array(z.object({ binding: z.string(), queue: z.string() })),
    consumers: z.array(z.looseObject({ queue: z.string() })),
  }),
  ratelimits: z.array(z.object({ name: z.string(), simple: z.unknown() })),
  triggers: z.unknown(),
  migrations: z.unknown(),
});
type Config = z.output<typeof configSchema>;

const read = (config: string, env?: string) => configSchema.parse(readConfig({ config, env }));
const production = read('wrangler.toml');
const staging = read('wrangler.toml', 'staging');

const bindingsOf = ({ durable_objects: objects, queues, ratelimits }: Config) => ({
  objects,
  queues: queues.producers.map(({ binding }) => binding),
  consumers: queues.consumers.map((consumer) => ({ ...consumer, queue: '' })),
  ratelimits,
});
const queuesOf = ({ queues }: Config) => ({
  produced: queues.producers.map(({ queue }) => queue),
  consumed: queues.consumers.map(({ queue }) => queue),
});

describe('wrangler.toml', () => {
  it.each([
    ['production', production],
    ['staging', staging],
  ])('of %s runs the cleanup job every ten minutes', (_, { triggers }) => {
    expect(triggers).toMatchObject({ crons: expect.arrayContaining(['*/10 * * * *']) });
  });

  it.each([
    ['production', production, ['43114', '43113']],
    ['staging', staging, ['43113']],
  ] as const)('of %s names its environment and requires the necessary secrets', (name, config, chainIds) => {
    expect(config.vars).toMatchObject({ ENVIRONMENT: name, ALLOWED_CHAIN_IDS: chainIds.join(',') });
    expect(new Set(config.secrets?.required)).toEqual(
      new Set([
        'GLOBAL_SECRET_KEY',
        'ADMIN_SECRET_KEY',
        'ENCRYPTION_KEYS',
        'CREDENTIAL_SECRETS',
        'DATABASE_URL',
        'AWS_REGION',
        'AWS_ACCESS_KEY_ID',
        'AWS_SECRET_ACCESS_KEY',
        ...chainIds.map((chainId) => `RPC_URL_${chainId}`),
      ]),
    );
  });

  it('gives staging the same resources as production, none of them shared', () => {
    expect(bindingsOf(staging)).toEqual(bindingsOf(production));
    for (const config of [staging, production]) expect(queuesOf(config).consumed).toEqual(queuesOf(config).produced);
    expect(queuesOf(production).produced.filter((queue) => queuesOf(staging).produced.includes(queue))).toEqual([]);
    expect(staging.name).not.toBe(production.name);
    expect(staging.triggers).toEqual(production.triggers);
    expect(staging.migrations).toEqual(production.migrations);
  });
});

describe('the configuration of a local Worker', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'nft-config-'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  it('equals wrangler.toml, except that settings come from the stack only', () => {
    const local = read(writeWorkerConfig(directory));
    expect(local.secrets).toBeUndefined();
    expect(local.main).toBe(production.main);
    expect(bindingsOf(local)).toEqual(bindingsOf(production));
    expect(local.compatibility_flags).toEqual(production.compatibility_flags);
  });
});
