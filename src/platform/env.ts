import { isAddress, isAddressEqual, isHex, parseEther, zeroAddress, type Address, type Hex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { z } from 'zod';
import type { ChainDefinition } from '../chains/definition.ts';
import { chainDefinition } from '../chains/list.ts';
import { encryptionKeysSetting } from './encryption.ts';
import { ENVIRONMENTS } from './environment.ts';
import { type LaneRpc, LANE_LOCATIONS } from './lanes.ts';
import { chainIds, httpUrl, list, parsePublicChain, publicBase, publicSettings, urlList } from './public-settings.ts';
import type { QueueMessage } from './queues.ts';
import { type Parsed, requireValid, settingIssues, settingMessage, type Source, sourceOf } from './setting-source.ts';

/** The Worker's bindings in wrangler.toml. Settings are parsed by {@link parseSettings}. */
export interface Env {
  /** The built pages. */
  readonly ASSETS: Fetcher;
  readonly LANES: DurableObjectNamespace<LaneRpc>;
  /** As {@link Settings} has it. */
  readonly LANE_LOCATION?: string | undefined;
  readonly DEPLOY_QUEUE: Queue<QueueMessage>;
  readonly MINT_QUEUE: Queue<QueueMessage>;
  readonly TRANSFER_QUEUE: Queue<QueueMessage>;
  readonly WEBHOOK_QUEUE: Queue<QueueMessage>;
  readonly IMPORT_QUEUE: Queue<QueueMessage>;
  readonly RATE_LIMITER: RateLimit;
  readonly DEPLOY_LIMITER: RateLimit;
  readonly RELAY_LIMITER: RateLimit;
  readonly READ_LIMITER: RateLimit;
  readonly INDEX_LIMITER: RateLimit;
  readonly UPLOAD_LIMITER: RateLimit;
  readonly SIGNATURE_LIMITER: RateLimit;
  readonly WEBHOOK_LIMITER: RateLimit;
  readonly REFUSAL_LIMITER: RateLimit;
  readonly ADDRESS_LIMITER: RateLimit;
  readonly SITE_LIMITER: RateLimit;
  readonly UNKNOWN_CONTRACT_LIMITER: RateLimit;
}

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

const depth = wholeNumber(1, 1_000);
const coins = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,18})?$/, 'must be a number of coins, in decimal')
  .transform((text) => parseEther(text));

/** Checks a rule about several settings even if one of them is invalid, so that every issue is reported. */
const always = () => true;

/** The length of 24 random bytes in base64, which cannot be guessed. */
const MIN_KEY_LENGTH = 32;
/** What survives unchanged in a header and in a comma-separated list. */
const KEY_FORM = 'printable ASCII without white space and commas';
const key = (error: string) =>
  z
    .string()
    .min(MIN_KEY_LENGTH, error)
    .regex(/^[!-+\--~]*$/, `${error}, ${KEY_FORM}`);
/** Sent in a header, or signed, as given. */
const credential = z.string().regex(/^[!-~]+$/, 'must consist of printable ASCII without white space');

export const credentialSecretsSetting = z
  .string()
  .transform(list)
  .pipe(
    z.tuple(
      [key(`must consist of secrets of ${MIN_KEY_LENGTH} characters or more`)],
      key(`must consist of secrets of ${MIN_KEY_LENGTH} characters or more`),
    ),
  );

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
          .array(key(`must consist of API keys of ${MIN_KEY_LENGTH} characters or more`))
          .min(1, 'must name at least one API key'),
      ),
    ADMIN_SECRET_KEY: key(`must have ${MIN_KEY_LENGTH} characters or more`),
    ENCRYPTION_KEYS: encryptionKeysSetting,
    CREDENTIAL_SECRETS: credentialSecretsSetting.optional(),
    ...publicSettings,
    DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres URL' }),
    NEON_FETCH_ENDPOINT: httpUrl.optional(),
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
    KMS_ENDPOINT: httpUrl.optional(),
    PK_CACHE_TTL_SECONDS: wholeNumber(0, 86_400).prefault('300'),
    EXCHANGE_RATE_URL: httpUrl.prefault('https://api.coingecko.com/api/v3/simple/price'),
    EXCHANGE_RATE_API_KEY: credential.optional(),
    EXCHANGE_RATE_TTL_SECONDS: wholeNumber(60, 180).prefault('120'),
    CONFIRMATIONS: depth.optional(),
    IN_FLIGHT_WINDOW: wholeNumber(1, 1_000).optional(),
    LANE_LOCATION: z.enum(LANE_LOCATIONS, `must be one of ${LANE_LOCATIONS.join(', ')}`).optional(),
    FUNDS_PATIENCE_HOURS: wholeNumber(1, 8_760).prefault('24'),
    INACTIVE_PATIENCE_HOURS: wholeNumber(1, 8_760).prefault('24'),
    NOT_NOW_PATIENCE_HOURS: wholeNumber(1, 8_760).prefault('24'),
    APPROVAL_HOURS: wholeNumber(1, 720).prefault('24'),
    IDEMPOTENCY_HOURS: wholeNumber(24, 720).prefault('24'),
    WEBHOOK_BODY_RETENTION_DAYS: wholeNumber(1, 3_650).prefault('30'),
    WEBHOOK_LOG_RETENTION_DAYS: wholeNumber(1, 3_650).prefault('90'),
    EVENT_RETENTION_DAYS: wholeNumber(1, 3_650).prefault('90'),
    MINT_GAS_CEILING: wholeNumber(100_000, 16_000_000).prefault('1000000'),
    CERTIFICATE_GAS_CEILING: wholeNumber(100_000, 16_000_000).prefault('300000'),
    OWNERSHIP_TRANSFER_GAS_CEILING: wholeNumber(50_000, 16_000_000).prefault('200000'),
    DEPLOYMENT_GAS_CEILING: wholeNumber(500_000, 16_000_000).prefault('6000000'),
    RELAY_GAS_CEILING: wholeNumber(100_000, 1_000_000).prefault('1000000'),
    ALLOW_FOREIGN_CONTRACTS: flag.prefault('false'),
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
  })
  // Purging a zone needs a token, and the public URL of the changed document.
  .refine((s) => s.CLOUDFLARE_API_TOKEN === undefined || s.CLOUDFLARE_ZONE_ID !== undefined, {
    path: ['CLOUDFLARE_ZONE_ID'],
    when: always,
  })
  .refine((s) => s.CLOUDFLARE_ZONE_ID === undefined || s.CLOUDFLARE_API_TOKEN !== undefined, {
    path: ['CLOUDFLARE_API_TOKEN'],
    when: always,
  })
  .refine((s) => s.CLOUDFLARE_ZONE_ID === undefined || s.METADATA_BASE_URI !== undefined, {
    path: ['METADATA_BASE_URI'],
    when: always,
  });

/** A chain in ALLOWED_CHAIN_IDS, settings applied. `finality` is never below `confirmations`. */
export interface AllowedChain extends ChainDefinition {
  /** RPC endpoints in the order they are tried. */
  readonly rpcUrls: readonly [string, ...string[]];
}

/** The parsed settings, with defaults filled in. */
export type Settings = z.output<typeof settingsSchema> & {
  /** Chain id -> chain, in the order of ALLOWED_CHAIN_IDS. */
  readonly chains: ReadonlyMap<string, AllowedChain>;
  /** Chain id -> the default forwarder of deployments. */
  readonly trustedForwarders: ReadonlyMap<string, Address>;
};

/** @returns an issue for each development setting that is set where it is not allowed. */
function developmentIssues(source: Source): string[] {
  const { ENVIRONMENT: environment } = source;
  if (environment === 'local') return [];
  const issues = [
    ...['WEBHOOK_ALLOW_PRIVATE_TARGETS'].filter((name) => source[name] === 'true'),
    ...['LOCAL_DEV_PRIVATE_KEY'].filter((name) => name in source),
  ].map((name) => `${name} is for development and allowed only when ENVIRONMENT is local`);
  if (environment === 'production' && source['TRANSFER_TEST_SIGNATURE'] === 'true') {
    issues.push('TRANSFER_TEST_SIGNATURE is for tests and must be false when ENVIRONMENT is production');
  }
  return issues;
}

/** @returns an issue if the admin key is also an API key. */
function sharedKeyIssues(source: Source): string[] {
  const { ADMIN_SECRET_KEY: adminKey, GLOBAL_SECRET_KEY: apiKeys } = source;
  return typeof adminKey === 'string' && typeof apiKeys === 'string' && list(apiKeys).includes(adminKey)
    ? ['ADMIN_SECRET_KEY must differ from every key in GLOBAL_SECRET_KEY']
    : [];
}

/** Names of the trusted forwarder without a chain id, allowed when there is only one chain. */
const FORWARDER_OF_ONLY_CHAIN = ['TRUSTED_FORWARDER_ADDRESS', 'TRUSTED_FORWARDER'];

/**
 * TRUSTED_FORWARDER_ADDRESS_<chainId> of each chain. The name without a chain id is allowed only when there is one
 * chain, because a forwarder has a different address on each.
 */
function parseTrustedForwarders(source: Source, ids: readonly string[]): Parsed<ReadonlyMap<string, Address>> {
  const general = ids.length === 1 ? FORWARDER_OF_ONLY_CHAIN : [];
  const ambiguous = ids.length > 1 ? FORWARDER_OF_ONLY_CHAIN.filter((name) => name in source) : [];
  const forwarders = new Map<string, Address>();
  const issues = ambiguous.map(
    (name) => `${name} must name its chain, as more than one is allowed: TRUSTED_FORWARDER_ADDRESS_<chainId>`,
  );
  for (const chainId of ids) {
    const names = [`TRUSTED_FORWARDER_ADDRESS_${chainId}`, ...general].filter((name) => name in source);
    for (const name of names) {
      const { data } = address.safeParse(source[name]);
      const other = forwarders.get(chainId) ?? data;
      if (data === undefined || other === undefined)
        issues.push(`${name} must be a 20-byte hex address, not the zero address`);
      else if (!isAddressEqual(data, other)) issues.push(`${name} names another forwarder of chain ${chainId}`);
      else forwarders.set(chainId, data);
    }
  }
  return { value: forwarders, issues };
}

/**
 * Reads the settings from the Worker's environment.
 * @throws {SettingsError} listing every setting that is missing or malformed.
 */
export function parseSettings(env: object): Settings {
  const source = sourceOf(env);
  const parsed = settingsSchema.safeParse(source);
  const ids = chainIds.safeParse(source['ALLOWED_CHAIN_IDS']).data ?? [];
  const chains = ids.map((id) => parseChain(source, chainDefinition(id)));
  const trustedForwarders = parseTrustedForwarders(source, ids);
  const issues = [
    ...developmentIssues(source),
    ...sharedKeyIssues(source),
    ...settingIssues(source, parsed.error),
    ...chains.flatMap((chain) => chain.issues),
    ...trustedForwarders.issues,
  ];
  return {
    ...requireValid(parsed, issues),
    chains: new Map(chains.flatMap(({ value }) => (value === undefined ? [] : [[value.id, value]]))),
    trustedForwarders: trustedForwarders.value,
  };
}

/**
 * A chain with its own settings RPC_URL_<id>, PUBLIC_RPC_URL_<id>, CONFIRMATIONS_<id>, FINALITY_<id> and
 * LOW_BALANCE_<id>, and with CONFIRMATIONS and IN_FLIGHT_WINDOW, which apply to all chains.
 * @returns `value` undefined when one of the chain's own settings is missing or malformed.
 */
function parseChain(source: Source, definition: ChainDefinition): Parsed<AllowedChain | undefined> {
  const { id } = definition;
  const urlsName = `RPC_URL_${id}`;
  const rpcUrls = urlList.safeParse(source[urlsName] ?? '');
  const ofAnyone = parsePublicChain(source, definition);
  const ownConfirmations = parseDepth(source, `CONFIRMATIONS_${id}`, definition.confirmations);
  const ownFinality = parseDepth(source, `FINALITY_${id}`, definition.finality);
  const lowBalanceName = `LOW_BALANCE_${id}`;
  const ownLowBalance = coins.optional().safeParse(source[lowBalanceName]);
  const issues = [
    ...ofAnyone.issues,
    ...ownConfirmations.issues,
    ...ownFinality.issues,
    ...(ownLowBalance.error?.issues ?? []).map((issue) => `${lowBalanceName} ${settingMessage(issue)}`),
  ];
  if (!rpcUrls.success) {
    const issue = urlsName in source ? 'must be a comma-separated list of different http URLs' : 'is missing';
    return { value: undefined, issues: [`${urlsName} ${issue}`, ...issues] };
  }
  if (issues.length > 0) return { value: undefined, issues };
  const confirmations = Math.max(ownConfirmations.value, depth.safeParse(source['CONFIRMATIONS']).data ?? 1);
  const chain = {
    ...ofAnyone.value,
    rpcUrls: rpcUrls.data,
    confirmations,
    finality: Math.max(ownFinality.value, confirmations),
    lowBalance: ownLowBalance.data ?? definition.lowBalance,
    window: wholeNumber(1, 1_000).safeParse(source['IN_FLIGHT_WINDOW']).data ?? definition.window,
  };
  return { value: chain, issues };
}

/** A depth in blocks that a setting may raise above the chain's own, never lower. */
function parseDepth(source: Source, name: string, least: number): Parsed<number> {
  const { data = least, error } = wholeNumber(least, 1_000).safeParse(source[name] ?? String(least));
  return { value: data, issues: (error?.issues ?? []).map((issue) => `${name} ${settingMessage(issue)}`) };
}
