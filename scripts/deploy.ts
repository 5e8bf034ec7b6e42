// npm run deploy: checks what a deployment needs, lists what is missing, and deploys if nothing is.
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { redactionOf } from '../src/core/redaction.ts';
import { checkBindings } from './deploy/check-bindings.ts';
import { checkBundle } from './deploy/check-bundle.ts';
import { checkChains, checkWallets } from './deploy/check-chains.ts';
import { checkCloudflare } from './deploy/check-cloudflare.ts';
import { checkDatabase } from './deploy/check-database.ts';
import { checkSettings } from './deploy/check-settings.ts';
import { checkBucket, checkSecretsStore } from './deploy/check-stores.ts';
import {
  DEPLOYED_ENVIRONMENTS,
  readConfiguration,
  readDeployment,
  type Deployment,
  type DeployedEnvironment,
} from './deploy/deployment.ts';
import type { Finding } from './deploy/finding.ts';
import { runWranglerHere } from './deploy/run-wrangler.ts';
import { UsageError } from './usage-error.ts';

const USAGE = `npm run deploy -- --env staging|production [--secrets-file FILE] [--domain NAME] [--check | --bundle]

Checks everything that can be checked before an upload, lists what is missing with the command that fixes it, and deploys if nothing is.
  --env           the environment of wrangler.toml
  --secrets-file  JSON, {"NAME": "value", ...}: secrets that are uploaded with the Worker. Of the others, the checks read the values
                  of the environment variables of the same names, and the Worker uses what is stored at Cloudflare
  --domain        the custom domain of the Worker, if wrangler.toml has no routes
  --check         only check
  --bundle        only check wrangler.toml and build the Worker, which needs no values and no network
Exit codes: 0 success, 1 something is missing or failed.`;

const optionsSchema = z.object({
  env: z.enum(DEPLOYED_ENVIRONMENTS, '--env must be staging or production'),
  'secrets-file': z.string().optional(),
  domain: z
    .string()
    .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/, '--domain must be a host name')
    .optional(),
  check: z.boolean(),
  bundle: z.boolean(),
});

function parseOptions() {
  const { values } = parseArgs({
    options: {
      env: { type: 'string' },
      'secrets-file': { type: 'string' },
      domain: { type: 'string' },
      check: { type: 'boolean', default: false },
      bundle: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    process.exit(0);
  }
  const parsed = optionsSchema.safeParse(values);
  if (!parsed.success) throw new UsageError(parsed.error.issues.map(({ message }) => message).join('\n'));
  return parsed.data;
}

/** What needs no values and no network. */
async function checkBuild(
  environment: DeployedEnvironment,
  { configuration, wranglerOptions }: Deployment,
): Promise<Finding[]> {
  const other = readConfiguration(environment === 'staging' ? 'production' : 'staging');
  const { findings, bytes } = await checkBundle(wranglerOptions);
  if (bytes !== undefined) console.error(`The Worker has ${bytes} bytes compressed.`);
  return [...checkBindings(configuration, other), ...findings];
}

/** What the settings lead to. */
async function checkServices(deployment: Deployment): Promise<Finding[]> {
  const { findings, settings } = checkSettings(deployment);
  if (settings === undefined) return [...findings];
  const [database, chains, bucket] = await Promise.all([
    checkDatabase(settings.DATABASE_URL),
    checkChains(deployment, settings),
    checkBucket(settings),
  ]);
  const wallets = database.state?.wallets ?? [];
  const [secrets, low] = await Promise.all([
    checkSecretsStore(settings, deployment.settings, wallets),
    checkWallets(settings, wallets),
  ]);
  return [...findings, ...database.findings, ...chains, ...secrets, ...bucket, ...low];
}

/** Replaces the secrets of the shell, and those of the deployment once they are read. */
let redact = redactionOf(process.env);

/** @returns whether nothing prevents the deployment. */
function report(findings: readonly Finding[]): boolean {
  const blocking = findings.filter(({ blocks }) => blocks);
  for (const { what, command, blocks } of [...blocking, ...findings.filter((finding) => !blocking.includes(finding))]) {
    console.log(redact(`${blocks ? 'missing' : 'note   '}  ${what}\n         ${command}`));
  }
  if (blocking.length > 0) console.log(`\n${blocking.length} missing. Nothing was uploaded.`);
  else console.log('Nothing is missing.');
  return blocking.length === 0;
}

async function main(): Promise<void> {
  const { env, 'secrets-file': secretsFile, domain, check, bundle } = parseOptions();
  const deployment = readDeployment(env, secretsFile, domain);
  redact = redactionOf({ ...process.env, ...deployment.settings });
  const checks = bundle
    ? [checkBuild(env, deployment)]
    : [checkBuild(env, deployment), checkServices(deployment), checkCloudflare(deployment)];
  if (!report((await Promise.all(checks)).flat())) {
    process.exitCode = 1;
    return;
  }
  if (check || bundle) return;
  process.exitCode = await runWranglerHere([
    'deploy',
    ...deployment.wranglerOptions,
    ...(secretsFile === undefined ? [] : ['--secrets-file', secretsFile]),
    ...(domain === undefined ? [] : ['--domain', domain]),
  ]);
}

try {
  await main();
} catch (error) {
  const isUsage =
    error instanceof UsageError ||
    (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'));
  console.error(isUsage && error instanceof Error ? `${error.message}\n\n${USAGE}` : redact(String(error)));
  process.exitCode = 1;
}
