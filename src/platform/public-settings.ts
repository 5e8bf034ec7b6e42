import { z } from 'zod';
import type { ChainDefinition } from '../chains/definition.ts';
import { chainDefinition, CHAINS, DEFAULT_CHAINS } from '../chains/list.ts';
import { urlIssue } from '../core/url-issue.ts';
import { type Parsed, requireValid, type Source, settingIssues, sourceOf } from './setting-source.ts';

export const list = (text: string) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

export const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });
/** The base of URLs that are published, on chain and in replies. */
export const publicBase = httpUrl.superRefine((url, context) => {
  const issue = urlIssue(url, 'base');
  if (issue !== undefined) context.addIssue(issue);
});
export const urlList = z
  .string()
  .transform(list)
  .pipe(z.tuple([httpUrl], httpUrl))
  // Most nodes must agree, so one may not count twice.
  .refine((urls) => new Set(urls.map((url) => URL.parse(url)?.href)).size === urls.length);

const definedIds = CHAINS.map(({ id }) => id);
export const chainIds = z
  .string()
  .transform(list)
  .pipe(
    z
      .array(z.enum(definedIds, `must be a comma-separated list of ids of these chains: ${definedIds.join(', ')}`))
      .min(1, 'must name a chain'),
  )
  .prefault(DEFAULT_CHAINS.map(({ id }) => id).join(','));

/** The settings that replies to anyone are made from. PUBLIC_RPC_URL_<chainId> belongs to them too. */
export const publicSettings = {
  ALLOWED_CHAIN_IDS: chainIds,
  METADATA_BASE_URI: publicBase.optional(),
  IPFS_GATEWAY_URL: publicBase.prefault('https://ipfs.io'),
  SECURITY_CONTACT: z
    .url({ protocol: /^(https|mailto)$/, hostname: /^/, error: 'must be an https: or mailto: URL' })
    .optional(),
};

/** What the edge knows of the settings: nothing secret. */
export interface PublicSettings {
  readonly METADATA_BASE_URI?: string | undefined;
  readonly IPFS_GATEWAY_URL: string;
  /** Where a weakness is reported (RFC 9116). */
  readonly SECURITY_CONTACT?: string | undefined;
  /** Chain id -> chain, in the order of ALLOWED_CHAIN_IDS. */
  readonly chains: ReadonlyMap<string, ChainDefinition>;
}

/** Whether a setting is one of {@link PublicSettings}. */
export function isPublicSetting(name: string): boolean {
  return name in publicSettings || /^PUBLIC_RPC_URL_\d+$/.test(name);
}

/**
 * Reads the public settings alone.
 * @throws {SettingsError} listing every one that is malformed.
 */
export function parsePublicSettings(env: object): PublicSettings {
  const source = sourceOf(env);
  const parsed = z.object(publicSettings).safeParse(source);
  const chains = (parsed.data?.ALLOWED_CHAIN_IDS ?? []).map((id) => parsePublicChain(source, chainDefinition(id)));
  const issues = [...settingIssues(source, parsed.error), ...chains.flatMap((chain) => chain.issues)];
  return {
    ...requireValid(parsed, issues),
    chains: new Map(chains.map(({ value }) => [value.id, value])),
  };
}

/** A chain with the nodes that browsers ask: PUBLIC_RPC_URL_<id>, or else its own. */
export function parsePublicChain(source: Source, definition: ChainDefinition): Parsed<ChainDefinition> {
  const name = `PUBLIC_RPC_URL_${definition.id}`;
  const { data, success } = urlList.optional().safeParse(source[name]);
  return {
    value: { ...definition, publicRpcUrls: data ?? definition.publicRpcUrls },
    issues: success ? [] : [`${name} must be a comma-separated list of different http URLs`],
  };
}
