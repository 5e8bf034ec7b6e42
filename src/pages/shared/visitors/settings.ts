import type { Hex } from 'viem';

/** A chain that certificates can be on. */
export interface Chain {
  /** Decimal. */
  readonly id: string;
  readonly title: string;
  readonly isTest: boolean;
  /** Nodes to ask. Those that answer must agree. */
  readonly rpcUrls: readonly string[];
  readonly explorerUrl: string;
}

/** Which certificate. */
export interface Certificate {
  readonly contractAddress: string;
  /** Decimal. */
  readonly tokenId: string;
  /** Undefined: the chain where the contract is. */
  readonly chainId: string | undefined;
}

/**
 * How a contract and the forwarder it trusts were created: calldata for the deployment proxy. Null: not known, or there
 * is no forwarder.
 */
export interface Deployment {
  readonly creation: Hex | null;
  readonly forwarderCreation: Hex | null;
}

/** What the page was served or saved with. */
export interface Settings {
  /** Where this page is served; in an archive, the archive's folder. Without a trailing slash. */
  readonly origin: string;
  readonly chains: readonly Chain[];
  /** Without a trailing slash. */
  readonly ipfsGateway: string;
  /** In a saved page: the certificate, its document in canonical form, and how its contract was created. */
  readonly saved?: Certificate & { readonly document: string; readonly deployment: Deployment };
  /** In an archive, which has the documents and files of a service that may be gone. */
  readonly archive?: {
    /** Where the service had the files that the archive has in `assets/`. */
    readonly assetBases: readonly string[];
  };
}

/** Reads the settings in this page. */
export function readSettings(): Settings {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the Worker or this page has written it
  const settings = JSON.parse(document.getElementById('settings')?.textContent ?? '') as Settings;
  if (settings.archive === undefined || settings.saved !== undefined) return settings;
  return { ...settings, origin: new URL('..', location.href).href.replace(/\/$/, '') };
}

/** The certificate that this page is about; undefined if it is about none. */
export function certificateOf({ saved }: Settings, location: Location): Certificate | undefined {
  return saved ?? certificateIn(location);
}

/** The certificate that the link of a check names, be it of a service or in an archive; undefined if it names none. */
export function certificateIn({ pathname, search }: Pick<URL, 'pathname' | 'search'>): Certificate | undefined {
  const query = new URLSearchParams(search);
  const [, inPath, numberInPath] = /\/verify\/([^/]+)\/([^/]+)$/.exec(pathname) ?? [];
  const contractAddress = inPath ?? query.get('contract') ?? '';
  const tokenId = numberInPath ?? query.get('token') ?? '';
  if (!/^0x[0-9a-f]{40}$/i.test(contractAddress) || !isTokenId(tokenId)) return undefined;
  return { contractAddress: contractAddress.toLowerCase(), tokenId, chainId: query.get('chainId') ?? undefined };
}

/** Whether a text is the number of a token, in decimal. */
export function isTokenId(text: string): boolean {
  return /^\d{1,78}$/.test(text) && BigInt(text) < 2n ** 256n;
}

/** Where the certificate's check is online. */
export function checkUrl({ origin, archive }: Settings, { contractAddress, tokenId, chainId }: Certificate): string {
  const url = new URL(`${origin}/verify/${archive === undefined ? `${contractAddress}/${tokenId}` : ''}`);
  if (archive !== undefined) url.search = new URLSearchParams({ contract: contractAddress, token: tokenId }).toString();
  if (chainId !== undefined) url.searchParams.set('chainId', chainId);
  return url.href;
}
