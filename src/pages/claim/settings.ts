/** A chain that the token can be on. */
export interface Chain {
  /** Decimal. */
  readonly id: string;
  readonly title: string;
  readonly isTest: boolean;
  /** Without a trailing slash. */
  readonly explorerUrl: string;
}

interface Settings {
  readonly chains: readonly Chain[];
  /** Without a trailing slash. */
  readonly ipfsGateway: string;
}

/** What the page was served with. */
export const settings: Settings = readSettings();

function readSettings(): Settings {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the Worker has written it
  return JSON.parse(document.getElementById('settings')?.textContent ?? '') as Settings;
}
