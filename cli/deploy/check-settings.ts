import { parseSettings, type Settings } from '../../src/platform/env.ts';
import { SettingsError } from '../../src/platform/setting-source.ts';
import { neededSecrets, typedCommand, type Deployment } from './deployment.ts';
import { type Finding, missing } from './finding.ts';

export interface CheckedSettings {
  readonly findings: readonly Finding[];
  /** Undefined if a setting is missing or malformed. */
  readonly settings: Settings | undefined;
}

/** @returns the command that sets a secret. */
export function secretCommand(name: string, { wranglerOptions }: Deployment): string {
  return typedCommand('secret', 'put', name, ...wranglerOptions);
}

/** Checks the values of all settings, as the Worker does, and that wrangler.toml fits them. */
export function checkSettings(deployment: Deployment): CheckedSettings {
  const findings = [...configurationFindings(deployment)];
  try {
    const settings = parseSettings(deployment.settings);
    return { findings: [...findings, ...chainFindings(deployment, settings)], settings };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return {
      findings: [...findings, ...error.issues.map((issue) => issueFinding(issue, deployment))],
      settings: undefined,
    };
  }
}

function issueFinding(issue: string, deployment: Deployment): Finding {
  const [name = ''] = issue.split(' ', 1);
  const { configuration, environment } = deployment;
  const isSecret = neededSecrets(configuration).includes(name) || deployment.uploaded.has(name);
  if (!isSecret)
    return missing(
      issue,
      `edit ${environment === 'production' ? '[vars]' : `[env.${environment}.vars]`} in wrangler.toml`,
    );
  return missing(
    issue.replace(/ is missing$/, ' has no value here, so it cannot be checked'),
    `add ${name} to the file of --secrets-file, or set it in the environment; ${secretCommand(name, deployment)}`,
  );
}

function configurationFindings({ configuration, environment, domain, uploaded }: Deployment): Finding[] {
  const { vars } = configuration;
  const findings: Finding[] = [];
  if (vars['ENVIRONMENT'] !== environment) {
    findings.push(missing(`ENVIRONMENT in wrangler.toml is not ${environment}`, 'edit wrangler.toml'));
  }
  if (domain === undefined) {
    findings.push(missing('The edge has no custom domain, so nobody can call it', 'pass --domain api.example.com'));
  }
  for (const name of uploaded) {
    if (name in vars)
      findings.push(missing(`${name} is both a secret and a var`, `delete it from wrangler.toml or from the file`));
  }
  return findings;
}

function chainFindings({ configuration, environment }: Deployment, settings: Settings): Finding[] {
  const required = configuration.secrets.required;
  return [...settings.chains.values()].flatMap(({ id, kind }) => [
    ...(environment === 'staging' && kind === 'main'
      ? [
          missing(
            `Chain ${id} is a main chain, but staging is for test chains`,
            'edit ALLOWED_CHAIN_IDS in wrangler.toml',
          ),
        ]
      : []),
    ...(required.includes(`RPC_URL_${id}`)
      ? []
      : [missing(`RPC_URL_${id} is not among the required secrets`, 'edit secrets.required in wrangler.toml')]),
  ]);
}
