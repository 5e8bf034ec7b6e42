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
  /** Undefined: the only chain where the contract is. */
  readonly chainId: string | undefined;
}

/** What the page was served or saved with. */
export interface Settings {
  /** Where this page is served. */
  readonly origin: string;
  readonly chains: readonly Chain[];
  /** Without a trailing slash. */
  readonly ipfsGateway: string;
  /** In a saved page: the certificate, and its document in canonical form. */
  readonly saved?: Certificate & { readonly document: string };
}

/** Reads the settings in this page. */
export function readSettings(): Settings {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the Worker or this page has written it
  return JSON.parse(document.getElementById('settings')?.textContent ?? '') as Settings;
}

/** The certificate that this page is about; undefined if it is about none. */
export function certificateOf({ saved }: Settings, location: Location): Certificate | undefined {
  if (saved !== undefined) return saved;
  const [, contractAddress, tokenId] = /^\/verify\/(0x[0-9a-f]{40})\/(\d{1,78})$/i.exec(location.pathname) ?? [];
  if (contractAddress === undefined || tokenId === undefined || BigInt(tokenId) >= 2n ** 256n) return undefined;
  const chainId = new URLSearchParams(location.search).get('chainId') ?? undefined;
  return { contractAddress: contractAddress.toLowerCase(), tokenId, chainId };
}

/** Where the certificate's check is online. */
export function checkUrl({ origin }: Settings, { contractAddress, tokenId, chainId }: Certificate): string {
  const url = new URL(`/verify/${contractAddress}/${tokenId}`, origin);
  if (chainId !== undefined) url.searchParams.set('chainId', chainId);
  return url.href;
}
