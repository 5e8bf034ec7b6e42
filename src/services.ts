import type { Account } from './accounts/account.ts';
import { createAccountDirectory } from './accounts/account-directory.ts';
import type { AccountDirectory } from './accounts/account-directory.ts';
import { createSigningKeys } from './accounts/signing-keys.ts';
import type { SigningKeys } from './accounts/signing-keys.ts';
import { connectChains } from './chains/client.ts';
import type { Chains } from './chains/client.ts';
import { systemClock } from './core/clock.ts';
import type { Clock } from './core/clock.ts';
import { connectDatabase, tenantOf } from './platform/database/client.ts';
import type { SystemDb, TenantDb } from './platform/database/client.ts';
import { createEncryption } from './platform/encryption.ts';
import type { Encryption } from './platform/encryption.ts';
import { parseSettings, SettingsError } from './platform/env.ts';
import type { Env, Settings } from './platform/env.ts';
import type { LaneRpc } from './platform/lane-rpc.ts';
import { createLog } from './core/log.ts';
import type { Log } from './core/log.ts';
import { createQueues } from './platform/queues/queues.ts';
import type { Queues } from './platform/queues/queues.ts';
import { createRateSource } from './platform/rates/exchange-rates.ts';
import type { RateSource } from './platform/rates/exchange-rates.ts';
import { redactionOf } from './core/redaction.ts';
import type { Redact } from './core/redaction.ts';
import { createTargetCheck } from './platform/egress/target-check.ts';
import type { TargetCheck } from './platform/egress/target-check.ts';

/** What every use case is handed, whether HTTP, a queue or cron calls it. */
export interface Services {
  readonly settings: Settings;
  readonly db: SystemDb;
  readonly accounts: AccountDirectory;
  readonly keys: SigningKeys;
  /** Of secrets that the database stores. */
  readonly encryption: Encryption;
  readonly chains: Chains;
  /** The drivers of lanes, by `laneName`. */
  readonly lanes: DurableObjectNamespace<LaneRpc>;
  readonly queues: Queues;
  readonly rates: RateSource;
  /** Whether an event may be sent to a URL. */
  readonly checkTarget: TargetCheck;
  readonly clock: Clock;
  /** What is told of a failure, to whomever, goes through this. */
  readonly redact: Redact;
  readonly log: Log;
}

/** What a use case of a request is handed: the same, narrowed to the account that asks. */
export interface TenantServices extends Omit<Services, 'db'> {
  readonly db: TenantDb;
  readonly account: Account;
  /** Scheme and host that the request was sent to. */
  readonly origin: string;
  /** Makes the ids of what the request creates; the same ones again where a request is tried again. */
  readonly newId: () => string;
}

const built = new WeakMap<Env, Omit<Services, 'chains'>>();

/**
 * The services for one invocation of the Worker.
 * @param log The invocation's log.
 * @throws {SettingsError} when a setting is missing or malformed; every issue has then been logged.
 */
export function servicesOf(env: Env, log: Log = createLog(redactionOf(env))): Services {
  const instance = instanceOf(env, log);
  return { ...instance, chains: connectChains(instance.settings.chains) };
}

/** What all invocations of this Worker instance share, made once: its caches live as long as the instance. */
function instanceOf(env: Env, ofInvocation: Log): Omit<Services, 'chains'> {
  const known = built.get(env);
  if (known !== undefined) return known;
  const redact = redactionOf(env);
  const log = createLog(redact);
  const settings = settingsOf(env, ofInvocation);
  const clock = systemClock;
  const db = connectDatabase(settings);
  const services = {
    settings,
    db,
    accounts: createAccountDirectory(db, clock),
    keys: createSigningKeys(settings, clock),
    encryption: createEncryption(settings.ENCRYPTION_KEYS),
    lanes: env.LANES,
    queues: createQueues(env),
    rates: createRateSource(settings, coinsOf(settings.chains), clock, log),
    checkTarget: createTargetCheck(settings, clock),
    clock,
    redact,
    log,
  };
  built.set(env, services);
  return services;
}

function settingsOf(env: Env, log: Log): Settings {
  try {
    return parseSettings(env);
  } catch (error) {
    if (error instanceof SettingsError) log.error('settings.invalid', { issues: error.issues });
    throw error;
  }
}

/** @returns the coins of the allowed chains, each once, by their ids at the rates provider. */
function coinsOf(chains: Settings['chains']): string[] {
  return [...new Set(Array.from(chains.values(), ({ nativeCoin }) => nativeCoin.rateId))];
}

/** @returns the services for a request of an account. */
export function servicesFor(
  services: Services,
  request: Pick<TenantServices, 'account' | 'log' | 'origin' | 'newId'>,
): TenantServices {
  return { ...services, ...request, db: tenantOf(services.db, request.account.id) };
}
