import { isAddress } from 'viem/utils';
import { isRecord } from '../shared/is-record.ts';

/** A wallet in the browser (EIP-1193). */
interface Provider {
  request(call: { readonly method: string }): Promise<unknown>;
}

/** A wallet that the visitor can choose; without a name, the only one that an older browser extension offers. */
export interface Wallet {
  readonly name: string | undefined;
  readonly provider: Provider;
}

const MAX_NAME = 50;

/**
 * Finds the wallets in the browser: those that announce themselves (EIP-6963), or else the one at `window.ethereum`.
 * @param onFound Called with all that are known, whenever one more is.
 * @returns a function that ends it.
 */
export function findWallets(onFound: (wallets: readonly Wallet[]) => void): () => void {
  const found = new Map<string, Wallet>();
  const hear = (event: Event) => {
    const detail: unknown = event instanceof CustomEvent ? event.detail : undefined;
    if (!isRecord(detail) || !isProvider(detail['provider']) || !isRecord(detail['info'])) return;
    const { uuid, name } = detail['info'];
    if (typeof uuid !== 'string' || typeof name !== 'string') return;
    found.set(uuid, { name: name.slice(0, MAX_NAME), provider: detail['provider'] });
    onFound([...found.values()]);
  };
  window.addEventListener('eip6963:announceProvider', hear);
  window.dispatchEvent(new Event('eip6963:requestProvider'));
  const only: unknown = Reflect.get(window, 'ethereum');
  if (found.size === 0 && isProvider(only)) onFound([{ name: undefined, provider: only }]);
  return () => window.removeEventListener('eip6963:announceProvider', hear);
}

function isProvider(value: unknown): value is Provider {
  return typeof value === 'object' && value !== null && 'request' in value && typeof value.request === 'function';
}

/** Asks a wallet for its address. @returns undefined if its user refuses, or it has none. */
export async function addressOf({ provider }: Wallet): Promise<string | undefined> {
  try {
    const accounts = await provider.request({ method: 'eth_requestAccounts' });
    const first: unknown = Array.isArray(accounts) ? accounts[0] : undefined;
    return typeof first === 'string' && isAddress(first) ? first : undefined;
  } catch {
    return undefined;
  }
}
