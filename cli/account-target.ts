import { z } from 'zod';
import { ENVIRONMENTS } from '../src/platform/environment.ts';
import { connectChains, type Chains } from '../src/chains/client.ts';
import type { ChainDefinition } from '../src/chains/definition.ts';
import { CHAINS } from '../src/chains/list.ts';
import { databaseName } from './database-name.ts';
import { dataDirectory } from './local-stack/data-directory.ts';
import { runningStackSettings } from './local-stack/stack-files.ts';
import { UsageError } from './usage-error.ts';
import type { AccountStores } from './corporate/upsert-account.ts';
import { secretsSettingsSchema } from './corporate/wallet-secret.ts';

/** The local stack, or the database and secrets store of the environment. */
export type TargetName = 'local' | 'database';

/** Where accounts are stored. */
export interface AccountTarget {
  readonly name: TargetName;
  readonly stores: AccountStores;
  /** The settings of that deployment, as far as this command has them. */
  readonly settings: Readonly<Record<string, string | undefined>>;
  /** The local chains, on which wallets are funded; empty for the target `database`. */
  readonly localRpcUrls: readonly string[];
  /** Every chain that has nodes in the settings. */
  readonly chains: Chains;
  /** The settings `WEBHOOK_URL` and `WEBHOOK_ALLOW_PRIVATE_TARGETS` of that deployment. */
  readonly webhooks: { readonly defaultTarget: string | undefined; readonly allowPrivate: boolean };
}

const settingsSchema = secretsSettingsSchema.extend({
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }),
  ENVIRONMENT: z.enum(ENVIRONMENTS).default('production'),
});

/**
 * Chooses the target. Without a name, it is the only one that is available.
 * @param env The environment of the command.
 * @throws {UsageError} when there is no target of this name, it is not available, or both are and none is named (exit
 *   code 2).
 */
export function chooseTarget(
  named: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): AccountTarget {
  if (named !== undefined && named !== 'local' && named !== 'database') {
    throw new UsageError('--target must be local or database');
  }
  const stack = runningStackSettings(dataDirectory(env));
  const databaseUrl = env['DATABASE_URL'];
  if (named === undefined && stack !== undefined && databaseUrl !== undefined && databaseUrl !== '') {
    throw new UsageError(
      `A local stack is running and DATABASE_URL is set. Choose one with --target local or --target database${
        URL.canParse(databaseUrl) ? ` (${databaseName(databaseUrl)})` : ''
      }.`,
      2,
    );
  }
  if (named === 'local' && stack === undefined) {
    throw new UsageError('No local stack is running here; npm run dev starts one.');
  }
  const local = named === 'database' ? undefined : stack;
  const settings = local?.worker ?? env;
  return {
    name: local === undefined ? 'database' : 'local',
    stores: storesOf(settings, named),
    settings,
    localRpcUrls: local === undefined ? [] : Object.values(local.rpcUrls),
    chains: connectChains(new Map(CHAINS.flatMap((chain) => nodesOf(chain, settings)))),
    webhooks: {
      defaultTarget: settings['WEBHOOK_URL'],
      allowPrivate: settings['WEBHOOK_ALLOW_PRIVATE_TARGETS'] === 'true',
    },
  };
}

function nodesOf(chain: ChainDefinition, settings: Readonly<Record<string, string | undefined>>) {
  const rpcUrls = (settings[`RPC_URL_${chain.id}`] ?? '').split(',').flatMap((url) => url.trim() || []);
  return rpcUrls.length === 0 ? [] : [[chain.id, { ...chain, rpcUrls }] as const];
}

function storesOf(
  settings: Readonly<Record<string, string | undefined>>,
  named: TargetName | undefined,
): AccountStores {
  const nonEmpty = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== ''));
  const parsed = settingsSchema.safeParse(nonEmpty);
  if (!parsed.success) {
    const names = [...new Set(parsed.error.issues.map((issue) => String(issue.path[0])))].join(', ');
    const why =
      named === undefined ? 'There is no target: no local stack is used (npm run dev starts one), and these' : 'These';
    throw new UsageError(`${why} environment variables are missing or malformed: ${names}.`);
  }
  const { DATABASE_URL: databaseUrl, ENVIRONMENT: environment, ...secrets } = parsed.data;
  return { databaseUrl, environment, secrets };
}
