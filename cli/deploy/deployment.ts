import { readFileSync } from 'node:fs';
import { unstable_readConfig as readConfig } from 'wrangler';
import { z } from 'zod';
import { UsageError } from '../usage-error.ts';

export const DEPLOYED_ENVIRONMENTS = ['staging', 'production'] as const;
export type DeployedEnvironment = (typeof DEPLOYED_ENVIRONMENTS)[number];

const binding = z.object({ binding: z.string(), queue: z.string() });
const migration = z.object({
  tag: z.string(),
  new_classes: z.array(z.string()).default([]),
  new_sqlite_classes: z.array(z.string()).default([]),
  renamed_classes: z.array(z.object({ from: z.string(), to: z.string() })).default([]),
  deleted_classes: z.array(z.string()).default([]),
});
const configurationSchema = z.object({
  name: z.string(),
  compatibility_date: z.string(),
  compatibility_flags: z.array(z.string()),
  /** Public URLs of Cloudflare's own domain. */
  workers_dev: z.boolean().optional(),
  preview_urls: z.boolean().optional(),
  /** The built pages. */
  assets: z.looseObject({ binding: z.string() }),
  observability: z.unknown(),
  placement: z
    .object({ region: z.string().optional(), host: z.string().optional(), hostname: z.string().optional() })
    .prefault({}),
  vars: z.record(z.string(), z.unknown()),
  secrets: z.object({ required: z.array(z.string()).default([]) }).prefault({}),
  /** Routes and custom domains, which only the edge may have. */
  route: z.unknown(),
  routes: z.array(z.unknown()).default([]),
  triggers: z.object({ crons: z.array(z.string()).default([]) }),
  queues: z.object({
    producers: z.array(binding).default([]),
    consumers: z.array(z.object({ queue: z.string() })).default([]),
  }),
  durable_objects: z.object({ bindings: z.array(z.object({ name: z.string(), class_name: z.string() })) }),
  migrations: z.array(migration),
  ratelimits: z.array(z.object({ name: z.string(), namespace_id: z.string() })).default([]),
});

/** What the checks read of wrangler.toml, for one environment. */
export type Configuration = z.output<typeof configurationSchema>;

/** What is about to be deployed. */
export interface Deployment {
  readonly environment: DeployedEnvironment;
  readonly configuration: Configuration;
  /** Settings by name: the vars of wrangler.toml, and the values of the secrets that the operator has given. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The names in the file that is uploaded with the Worker; empty without one. */
  readonly uploaded: ReadonlySet<string>;
  /** The custom domain on the command line. */
  readonly domain: string | undefined;
  /** The options of wrangler that choose the environment. */
  readonly wranglerOptions: readonly string[];
}

/** @returns a command of wrangler as it is typed in a shell. */
export function typedCommand(...args: readonly string[]): string {
  return ['npx wrangler', ...args.map((arg) => (arg === '' ? '""' : arg))].join(' ');
}

const secretsSchema = z.record(z.string(), z.string());

/**
 * The name of an environment for wrangler: production is the top level of wrangler.toml. Left out, wrangler takes it
 * from CLOUDFLARE_ENV.
 */
const wranglerName = (environment: DeployedEnvironment) => (environment === 'production' ? '' : environment);

/** @returns wrangler.toml for an environment. */
export function readConfiguration(environment: DeployedEnvironment): Configuration {
  return configurationSchema.parse(readConfig({ config: 'wrangler.toml', env: wranglerName(environment) }));
}

/**
 * @param secretsFile JSON with the values of the secrets; those that it lacks are in the environment variables of the
 *   same names.
 * @throws {UsageError} if the file cannot be read; the message quotes nothing of it.
 */
export function readDeployment(
  environment: DeployedEnvironment,
  secretsFile: string | undefined,
  domain: string | undefined,
): Deployment {
  const configuration = readConfiguration(environment);
  const secrets = secretsFile === undefined ? undefined : readSecrets(secretsFile);
  return {
    environment,
    configuration,
    // What is deployed wins over a shell's variable of the same name.
    settings: { ...shellSecrets(configuration), ...secrets, ...configuration.vars },
    uploaded: new Set(Object.keys(secrets ?? {})),
    domain,
    wranglerOptions: ['--env', wranglerName(environment)],
  };
}

/**
 * The secrets that the Worker must have: the required ones, and the token of a Worker that purges a zone.
 * CLOUDFLARE_API_TOKEN is also how wrangler signs in.
 */
export function neededSecrets({ secrets, vars }: Pick<Configuration, 'secrets' | 'vars'>): string[] {
  return [...new Set([...secrets.required, ...('CLOUDFLARE_ZONE_ID' in vars ? ['CLOUDFLARE_API_TOKEN'] : [])])];
}

/** Only secrets: any other variable of the shell would pass the checks, and the Worker would not have it. */
function shellSecrets(configuration: Configuration): Record<string, unknown> {
  return Object.fromEntries(neededSecrets(configuration).map((name) => [name, process.env[name]]));
}

function readSecrets(file: string): Record<string, string> {
  try {
    return secretsSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    throw new UsageError('--secrets-file must be a file with one JSON object of texts, {"NAME": "value", ...}');
  }
}
