import { isRecord } from './is-record.ts';

/** A domain of at least two labels. */
export const DOMAIN = /^(?=.{4,253}$)(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*$/;

/** Where a domain says which wallets are its own. */
export function proofUrl(domain: string): string {
  return `https://${domain}/.well-known/nft-issuer.json`;
}

/** Whether the file of a domain names a wallet on a chain; undefined if it has another form. */
export function namesWallet(file: unknown, chainId: string, wallet: string): boolean | undefined {
  const wallets = isRecord(file) ? file['wallets'] : undefined;
  if (!Array.isArray(wallets)) return undefined;
  return wallets
    .filter(isRecord)
    .some(
      ({ chainId: id, address }) =>
        id === chainId && typeof address === 'string' && address.toLowerCase() === wallet.toLowerCase(),
    );
}
