// npm run nft -- deploy: checks what a deployment needs, lists what is missing, and deploys if nothing is.
import { redactionOf } from '../../src/core/redaction.ts';
import { checkBindings } from './check-bindings.ts';
import { checkBundle } from './check-bundle.ts';
import { checkChains, checkWallets } from './check-chains.ts';
import { checkCloudflare } from './check-cloudflare.ts';
import { checkDatabase } from './check-database.ts';
import { checkPlacement } from './check-placement.ts';
import { checkSettings } from './check-settings.ts';
import { checkBucket, checkKms, checkSecretsStore } from './check-stores.ts';
import { USAGE, parseDeployOptions } from './deploy-options.ts';
import { readConfiguration, readDeployment, type Deployment, type DeployedEnvironment } from './deployment.ts';
import { type Edge, writeEdge } from './edge-configuration.ts';
import type { Finding } from './finding.ts';
import { runWranglerHere } from './run-wrangler.ts';
import type { Command } from '../command.ts';

/** What needs no values and no network. */
async function checkBuild(
  environment: DeployedEnvironment,
  { configuration, wranglerOptions }: Deployment,
  edge: Edge,
): Promise<Finding[]> {
  const other = readConfiguration(environment === 'staging' ? 'production' : 'staging');
  const workers = { core: wranglerOptions, edge: edge.wranglerOptions };
  const bundles = await Promise.all(
    Object.entries(workers).map(async ([name, options]) => ({ name, ...(await checkBundle(name, options)) })),
  );
  for (const { name, bytes } of bundles) {
    if (bytes !== undefined) console.error(`The ${name} has ${bytes} bytes compressed.`);
  }
  return [...checkBindings(configuration, other), ...bundles.flatMap(({ findings }) => findings)];
}

/** What the settings lead to. */
async function checkServices(deployment: Deployment): Promise<Finding[]> {
  const { findings: ofSettings, settings } = checkSettings(deployment);
  const findings = [...ofSettings, ...checkPlacement(deployment)];
  if (settings === undefined) return findings;
  const [database, chains, bucket] = await Promise.all([
    checkDatabase(settings.DATABASE_URL),
    checkChains(deployment, settings),
    checkBucket(settings),
  ]);
  const wallets = database.state?.wallets ?? [];
  const [secrets, low] = await Promise.all([
    checkSecretsStore(settings, deployment.settings, wallets),
    checkKms(deployment.settings, wallets),
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

async function run(args: readonly string[]): Promise<void> {
  const options = parseDeployOptions(args);
  if (options === undefined) {
    console.log(USAGE);
    return;
  }
  const { env, 'secrets-file': secretsFile, domain, check, bundle } = options;
  const deployment = readDeployment(env, secretsFile, domain);
  redact = redactionOf({ ...process.env, ...deployment.settings });
  const edge = writeEdge(deployment.configuration);
  const build = checkBuild(env, deployment, edge);
  const checks = bundle ? [build] : [build, checkServices(deployment), checkCloudflare(deployment, edge)];
  if (!report((await Promise.all(checks)).flat())) {
    process.exitCode = 1;
    return;
  }
  if (check || bundle) return;
  // The edge hands over whatever it does not know, so that an earlier edge fits a newer core.
  process.exitCode =
    (await runWranglerHere([
      'deploy',
      ...deployment.wranglerOptions,
      ...(secretsFile === undefined ? [] : ['--secrets-file', secretsFile]),
    ])) ||
    (await runWranglerHere(['deploy', ...edge.wranglerOptions, ...(domain === undefined ? [] : ['--domain', domain])]));
}

export const command: Command = { usage: USAGE, run, redact: (text) => redact(text) };
