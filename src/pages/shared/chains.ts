/** A chain that the service issues on. */
export interface Chain {
  /** Decimal. */
  readonly id: string;
  readonly title: string;
  readonly isTest: boolean;
  /** What gas is paid in. */
  readonly coin: string;
  /** Without a trailing slash. */
  readonly explorerUrl: string;
}

interface Settings {
  readonly chains: readonly Chain[];
  /** Without a trailing slash. */
  readonly ipfsGateway: string;
}

/** The chains, and the gateway to IPFS, that the page was served with. */
export const { chains, ipfsGateway } = readSettings();

/** A chain's name for people; its id if this deployment does not have it. */
export function chainTitle(chainId: string): string {
  return chainOf(chainId)?.title ?? `Chain ${chainId}`;
}

/** A chain by its id; undefined if this deployment does not have it. */
export function chainOf(chainId: string): Chain | undefined {
  return chains.find(({ id }) => id === chainId);
}

function readSettings(): Settings {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the Worker has written it
  return JSON.parse(document.getElementById('settings')?.textContent ?? '') as Settings;
}
