import { isAddress, isAddressEqual, isHex, parseEther, zeroAddress } from 'viem';
import type { Address, Hex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { z } from 'zod';
import type { ChainDefinition } from '../chains/definition.ts';
import { chainDefinition, CHAINS, DEFAULT_CHAINS } from '../chains/list.ts';
import { settingText } from '../core/setting-text.ts';
import { urlFault } from '../core/url-fault.ts';
import { ENVIRONMENTS } from './environment.ts';
import type { QueueMessage } from './queues/messages.ts';
import type { NonceKeeperRpc } from './nonce-keeper-rpc.ts';

/** The Worker's bindings, as wrangler.toml declares them, beside the settings, which are all text. */
export interface Env {
  readonly NONCES: DurableObjectNamespace<NonceKeeperRpc>;
  readonly DEPLOY_QUEUE: Queue<QueueMessage>;
  readonly MINT_QUEUE: Queue<QueueMessage>;
  readonly TRANSFER_QUEUE: Queue<QueueMessage>;
  readonly WEBHOOK_QUEUE: Queue<QueueMessage>;
  readonly RATE_LIMITER: RateLimit;
  readonly DEPLOY_LIMITER: RateLimit;
  readonly RELAY_LIMITER: RateLimit;
  readonly READ_LIMITER: RateLimit;
  readonly INDEX_LIMITER: RateLimit;
  readonly UPLOAD_LIMITER: RateLimit;
  readonly SIGNATURE_LIMITER: RateLimit;
  readonly ADDRESS_LIMITER: RateLimit;
  readonly UNKNOWN_CONTRACT_LIMITER: RateLimit;
}

const list = (text: string) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });
/** One that is published: other addresses begin with it, on chain and in replies. */
const publicBase = httpUrl.superRefine((url, context) => {
  const fault = urlFault(url, 'base');
  if (fault !== undefined) context.addIssue(fault);
});
const address = z
  .string()
  .refine((value): value is Address => isAddress(value, { strict: false }) && value !== zeroAddress);
const flag = z.enum(['true', 'false'], { error: 'must be true or false' }).transform((value) => value === 'true');
const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(min, `must be ${min} or more`).max(max, `must be ${max} or less`));

const definedIds = CHAINS.map(({ id }) => id);
const chainIds = z
  .string()
  .transform(list)
  .pipe(
    z
      .array(z.enum(definedIds, `must be a comma-separated list of ids of these chains: ${definedIds.join(', ')}`))
      .min(1, 'must name a chain'),
  )
  .prefault(DEFAULT_CHAINS.map(({ id }) => id).join(','));
const depth = wholeNumber(1, 1_000);

/** A rule about several settings is checked beside the faults of single ones, so that all are named at once. */
const beside = () => true;

/** As many as 24 random bytes have in base64: a key cannot be guessed. */
const KEY_CHARACTERS = 32;
/** What a header has as it was sent, and a comma-separated list as it was meant. */
const KEY_FORM = 'printable ASCII without white space and commas';
const key = (error: string) =>
  z
    .string()
    .min(KEY_CHARACTERS, error)
    .regex(/^[!-+\--~]*$/, `${error}, ${KEY_FORM}`);
/** What goes into a header, or into what is signed, as it is. */
const credential = z.string().regex(/^[!-~]+$/, 'must consist of printable ASCII without white space');

function isPrivateKey(value: string): boolean {
  if (!isHex(value) || value.length !== 66) return false;
  try {
    privateKeyToAddress(value);
    return true;
  } catch {
    return false;
  }
}

const settingsSchema = z
  .object({
    ENVIRONMENT: z.enum(ENVIRONMENTS, `must be one of ${ENVIRONMENTS.join(', ')}`),
    GLOBAL_SECRET_KEY: z
      .string()
      .transform(list)
      .pipe(
        z
          .array(key(`must consist of API keys of ${KEY_CHARACTERS} characters or more`))
          .min(1, 'must name at least one API key'),
      ),
    ADMIN_SECRET_KEY: key(`must have ${KEY_CHARACTERS} characters or more`),
    ALLOWED_CHAIN_IDS: chainIds,
    DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres URL' }),
    NEON_FETCH_ENDPOINT: httpUrl.optional(),
    METADATA_BASE_URI: publicBase.optional(),
    METADATA_CACHE_SECONDS: wholeNumber(1, 86_400).prefault('60'),
    CLOUDFLARE_API_URL: httpUrl.prefault('https://api.cloudflare.com/client/v4'),
    CLOUDFLARE_ZONE_ID: z
      .string()
      .regex(/^[\w-]{1,64}$/, 'must be the id of a zone')
      .optional(),
    CLOUDFLARE_API_TOKEN: credential.optional(),
    TRANSFER_TEST_SIGNATURE: flag.prefault('false'),
    LOCAL_DEV_PRIVATE_KEY: z
      .string()
      .refine((value): value is Hex => isPrivateKey(value), 'must be a 32-byte hex private key')
      .optional(),
    AWS_REGION: credential,
    AWS_ACCESS_KEY_ID: credential,
    AWS_SECRET_ACCESS_KEY: credential,
    SECRETS_ENDPOINT: httpUrl.optional(),
    PK_CACHE_TTL_SECONDS: wholeNumber(0, 86_400).prefault('300'),
    EXCHANGE_RATE_URL: httpUrl.prefault('https://api.coingecko.com/api/v3/simple/price'),
    EXCHANGE_RATE_API_KEY: credential.optional(),
    EXCHANGE_RATE_TTL_SECONDS: wholeNumber(60, 180).prefault('120'),
    CONFIRMATIONS: depth.optional(),
    IN_FLIGHT_WINDOW: wholeNumber(1, 1_000).optional(),
    REPLACE_AFTER_SECONDS: wholeNumber(5, 86_400).prefault('60'),
    WEBHOOK_URL: httpUrl.optional(),
    WEBHOOK_RETRY_BASE_SECONDS: wholeNumber(1, 3_600).prefault('10'),
    WEBHOOK_ALLOW_PRIVATE_TARGETS: flag.prefault('false'),
    WEBHOOK_TIMEOUT_SECONDS: wholeNumber(3, 60).prefault('15'),
    WEBHOOK_DNS_URL: httpUrl.prefault('https://cloudflare-dns.com/dns-query'),
    NFT_INDEX_URL: httpUrl.optional(),
    S3_ENDPOINT: publicBase.optional(),
    S3_BUCKET: z
      .string()
      .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be the name of a bucket')
      .optional(),
    ASSET_BASE_URL: publicBase.optional(),
    LOW_BALANCE: z
      .string()
      .regex(/^\d{1,9}(\.\d{1,18})?$/, 'must be a number of coins, in decimal')
      .prefault('0.1')
      .transform((coins) => parseEther(coins)),
  })
  // A zone is purged by a token, and by the public URL of what has changed.
  .refine((s) => s.CLOUDFLARE_API_TOKEN === undefined || s.CLOUDFLARE_ZONE_ID !== undefined, {
    path: ['CLOUDFLARE_ZONE_ID'],
    when: beside,
  })
  .refine((s) => s.CLOUDFLARE_ZONE_ID === undefined || s.CLOUDFLARE_API_TOKEN !== undefined, {
    path: ['CLOUDFLARE_API_TOKEN'],
    when: beside,
  })
  .refine((s) => s.CLOUDFLARE_ZONE_ID === undefined || s.METADATA_BASE_URI !== undefined, {
    path: ['METADATA_BASE_URI'],
    when: beside,
  });

/** A chain of ALLOWED_CHAIN_IDS, with the numbers that settings override. `finality` is never below `confirmations`. */
export interface AllowedChain extends ChainDefinition {
  /** The RPC endpoints to try, in order. */
  readonly rpcUrls: readonly [string, ...string[]];
}

/** What the service is told from outside, parsed: numbers are numbers, lists are lists, defaults are filled in. */
export type Settings = z.output<typeof settingsSchema> & {
  /** By id, in the order of ALLOWED_CHAIN_IDS. */
  readonly chains: ReadonlyMap<string, AllowedChain>;
  /** Chain id -> the forwarder of requests and deployments that name none. */
  readonly trustedForwarders: ReadonlyMap<string, Address>;
};

/** The settings are not usable; each fault names its setting and never a value. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`Settings: ${faults.join('; ')}`);
    this.faults = faults;
  }
}

/** Settings by name: text, or what is none and is a fault. */
type Source = Readonly<Record<string, unknown>>;

function sourceOf(env: object): Source {
  return Object.fromEntries(
    Object.entries(env)
      .map(([name, value]): [string, unknown] => [name, settingText(value) ?? value])
      .filter(([, value]) => value !== undefined && value !== null && value !== ''),
  );
}

function messageOf(issue: z.core.$ZodIssue): string {
  return issue.code === 'invalid_type' ? 'must be text' : issue.message;
}

/** @returns the faults of settings that only development may have, anywhere but in the local environment. */
function developmentFaults(source: Source): string[] {
  if (source['ENVIRONMENT'] === 'local') return [];
  return [
    ...['TRANSFER_TEST_SIGNATURE', 'WEBHOOK_ALLOW_PRIVATE_TARGETS'].filter((name) => source[name] === 'true'),
    ...['LOCAL_DEV_PRIVATE_KEY'].filter((name) => name in source),
  ].map((name) => `${name} is for development and allowed only where ENVIRONMENT is local`);
}

/** @returns a fault when whoever has an API key would have the admin key too. */
function sharedKeyFaults(source: Source): string[] {
  const { ADMIN_SECRET_KEY: adminKey, GLOBAL_SECRET_KEY: apiKeys } = source;
  return typeof adminKey === 'string' && typeof apiKeys === 'string' && list(apiKeys).includes(adminKey)
    ? ['ADMIN_SECRET_KEY must differ from every key in GLOBAL_SECRET_KEY']
    : [];
}

const rpcUrlList = z
  .string()
  .transform(list)
  .pipe(z.tuple([httpUrl], httpUrl));

/**
 * TRUSTED_FORWARDER_ADDRESS_<chainId> of each chain. Without a chain in its name, TRUSTED_FORWARDER_ADDRESS or
 * TRUSTED_FORWARDER, the setting is for the only chain: forwarders of different chains have different addresses.
 */
function trustedForwardersOf(source: Source, chains: readonly string[], faults: string[]) {
  const forwarders = new Map<string, Address>();
  for (const chainId of chains) {
    const general = chains.length === 1 ? ['TRUSTED_FORWARDER_ADDRESS', 'TRUSTED_FORWARDER'] : [];
    for (const name of [`TRUSTED_FORWARDER_ADDRESS_${chainId}`, ...general]) {
      if (source[name] === undefined) continue;
      const { data } = address.safeParse(source[name]);
      const other = forwarders.get(chainId) ?? data;
      if (data === undefined || other === undefined)
        faults.push(`${name} must be a 20-byte hex address, not the zero address`);
      else if (!isAddressEqual(data, other)) faults.push(`${name} names another forwarder of chain ${chainId}`);
      else forwarders.set(chainId, data);
    }
  }
  for (const name of ['TRUSTED_FORWARDER_ADDRESS', 'TRUSTED_FORWARDER']) {
    if (chains.length > 1 && source[name] !== undefined) {
      faults.push(`${name} must name its chain, as more than one is allowed: TRUSTED_FORWARDER_ADDRESS_<chainId>`);
    }
  }
  return forwarders;
}

/**
 * Reads the settings out of the Worker's environment.
 * @throws {SettingsError} naming each setting that is missing or malformed, all at once.
 */
export function parseSettings(env: object): Settings {
  const source = sourceOf(env);
  const faults = [...developmentFaults(source), ...sharedKeyFaults(source)];
  const parsed = settingsSchema.safeParse(source);
  if (!parsed.success) {
    for (const issue of parsed.error.issues) {
      const name = String(issue.path[0]);
      faults.push(name in source ? `${name} ${messageOf(issue)}` : `${name} is missing`);
    }
  }
  const chains = new Map<string, AllowedChain>();
  const ids = chainIds.safeParse(source['ALLOWED_CHAIN_IDS']).data ?? [];
  for (const id of ids) {
    const chain = parseChain(source, chainDefinition(id), faults);
    if (chain !== undefined) chains.set(id, chain);
  }
  const trustedForwarders = trustedForwardersOf(source, ids, faults);
  if (faults.length > 0 || !parsed.success) throw new SettingsError([...new Set(faults)]);
  return { ...parsed.data, chains, trustedForwarders };
}

/**
 * The chain with its RPC_URL_<id>, CONFIRMATIONS_<id> and FINALITY_<id>, and with CONFIRMATIONS and IN_FLIGHT_WINDOW, which
 * are of all chains.
 * @param faults Is given what is wrong with these settings.
 * @returns undefined when one of the chain's own settings is missing or malformed.
 */
function parseChain(source: Source, definition: ChainDefinition, faults: string[]): AllowedChain | undefined {
  const faultsBefore = faults.length;
  const { id } = definition;
  const urlsName = `RPC_URL_${id}`;
  const rpcUrls = rpcUrlList.safeParse(source[urlsName] ?? '');
  if (!rpcUrls.success) {
    faults.push(
      urlsName in source ? `${urlsName} must be a comma-separated list of http URLs` : `${urlsName} is missing`,
    );
  }
  const raised = (name: string, least: number) => {
    const parsed = wholeNumber(least, 1_000).safeParse(source[name] ?? String(least));
    if (!parsed.success) faults.push(...parsed.error.issues.map((issue) => `${name} ${messageOf(issue)}`));
    return parsed.data ?? least;
  };
  const onAllChains = depth.safeParse(source['CONFIRMATIONS']).data ?? 1;
  const confirmations = Math.max(raised(`CONFIRMATIONS_${id}`, definition.confirmations), onAllChains);
  const finality = Math.max(raised(`FINALITY_${id}`, definition.finality), confirmations);
  const max = wholeNumber(1, 1_000).safeParse(source['IN_FLIGHT_WINDOW']).data ?? definition.window.max;
  if (!rpcUrls.success || faults.length > faultsBefore) return undefined;
  return {
    ...definition,
    rpcUrls: rpcUrls.data,
    confirmations,
    finality,
    window: { start: Math.min(definition.window.start, max), max },
  };
}
