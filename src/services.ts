import type { Account } from './accounts/account.ts';
import { createAccountDirectory, type AccountDirectory } from './accounts/account-directory.ts';
import type { Actor } from './accounts/actor.ts';
import { chainIdsOf, chainsOf } from './accounts/chains-of-actor.ts';
import { createSigningKeys, type SigningKeys } from './accounts/signing-keys.ts';
import { connectChains, type Chains } from './chains/client.ts';
import { systemClock, type Clock } from './core/clock.ts';
import { DomainError } from './core/domain-error.ts';
import {
  connectDatabase,
  tenantOf,
  type AskedChange,
  type SystemDb,
  type TenantDb,
} from './platform/database/client.ts';
import { createEncryption, type Encryption } from './platform/encryption.ts';
import { parseSettings, type Env, type Settings } from './platform/env.ts';
import { isWithinLimit, LIMIT_PERIOD_SECONDS } from './platform/is-within-limit.ts';
import { lanesIn, type Lanes } from './platform/lanes.ts';
import { createLog, type Log } from './core/log.ts';
import { createQueues, type Queues } from './platform/queues.ts';
import { createRateSource, type RateSource } from './platform/rates/exchange-rates.ts';
import { SettingsError } from './platform/setting-source.ts';
import { redactionOf } from './core/redaction.ts';
import { createTargetCheck, type TargetCheck } from './platform/egress/target-check.ts';

/** The dependencies of every use case, whether called by HTTP, a queue or cron. */
export interface Services {
  readonly settings: Settings;
  readonly db: SystemDb;
  readonly accounts: AccountDirectory;
  readonly keys: SigningKeys;
  /** Of secrets that the database stores. */
  readonly encryption: Encryption;
  readonly chains: Chains;
  /** The drivers of lanes, by `laneName`. */
  readonly lanes: Lanes;
  readonly queues: Queues;
  readonly rates: RateSource;
  /** Whether an event may be sent to a URL. */
  readonly checkTarget: TargetCheck;
  /** Counts a read of the chain. @param key Who makes it: an account, or others for it. @returns whether it may. */
  readonly isReadWithinLimit: (key: string) => Promise<boolean>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The dependencies of a use case of a request, scoped to the requesting account and to the chains of the caller's key.
 */
export interface TenantServices extends Omit<Services, 'db'> {
  readonly db: TenantDb;
  readonly account: Account;
  readonly actor: Actor;
  /**
   * @throws {DomainError} when the key or the account has become invalid since the request began. A change takes effect
   *   within two seconds.
   */
  readonly requireStillAllowed: () => Promise<void>;
  /** Scheme and host that the request was sent to. */
  readonly origin: string;
  /** Creates the ids of the request's records; a retried request gets the same ids. */
  readonly newId: () => string;
  /**
   * Whether an earlier attempt with the same Idempotency-Key has made a change: records with the request's ids may
   * exist.
   */
  readonly isRetry: boolean;
  /**
   * Counts a read of the chain by a request whose route has no limit of reads.
   * @returns why nothing more may be read, if the account's limit is reached.
   */
  readonly countRead: () => Promise<DomainError | undefined>;
}

const built = new WeakMap<Env, Omit<Services, 'chains'>>();

/**
 * The services for one invocation of the Worker.
 * @param log The invocation's log.
 * @throws {SettingsError} if a setting is missing or malformed; every issue has then been logged.
 */
export function servicesOf(env: Env, log: Log = createLog(redactionOf(env))): Services {
  const instance = instanceOf(env, log);
  return { ...instance, chains: connectChains(instance.settings.chains) };
}

/** The services that all invocations of this Worker instance share, with their caches. */
function instanceOf(env: Env, ofInvocation: Log): Omit<Services, 'chains'> {
  const known = built.get(env);
  if (known !== undefined) return known;
  const log = createLog(redactionOf(env));
  const settings = loadSettings(env, ofInvocation);
  const clock = systemClock;
  const db = connectDatabase(settings);
  const services = {
    settings,
    db,
    accounts: createAccountDirectory(db, clock),
    keys: createSigningKeys(settings, clock),
    encryption: createEncryption(settings.ENCRYPTION_KEYS),
    lanes: lanesIn(env.LANES, settings.LANE_LOCATION),
    queues: createQueues(env),
    rates: createRateSource(settings, coinsOf(settings.chains), clock, log),
    checkTarget: createTargetCheck(settings, clock),
    isReadWithinLimit: (key: string) => isWithinLimit(env, 'READ_LIMITER', key, log),
    clock,
    log,
  };
  built.set(env, services);
  return services;
}

function loadSettings(env: Env, log: Log): Settings {
  try {
    return parseSettings(env);
  } catch (error) {
    if (error instanceof SettingsError) log.error('settings.invalid', { issues: error.issues });
    throw error;
  }
}

/** @returns the distinct coins of the allowed chains, by their ids at the rates provider. */
function coinsOf(chains: Settings['chains']): string[] {
  return [...new Set(Array.from(chains.values(), ({ nativeCoin }) => nativeCoin.rateId))];
}

/**
 * @param asked Undefined in a request that only reads.
 * @returns the services for a request of an account.
 */
export function servicesFor(
  services: Services,
  request: Pick<TenantServices, 'account' | 'actor' | 'requireStillAllowed' | 'log' | 'origin' | 'newId' | 'isRetry'>,
  asked: AskedChange | undefined,
): TenantServices {
  const { account, actor } = request;
  return {
    ...services,
    ...request,
    db: tenantOf(services.db, account.id, { chainIds: chainIdsOf(actor), asked }),
    chains: chainsOf(actor, services.chains),
    countRead: async () => ((await services.isReadWithinLimit(account.id)) ? undefined : tooManyReads()),
  };
}

function tooManyReads(): DomainError {
  return new DomainError('rate_limited', 'Too many reads of the chain from the account', undefined, {
    retryAfterSeconds: LIMIT_PERIOD_SECONDS,
  });
}
