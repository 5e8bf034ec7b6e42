import { createPublicClient, fallback, http } from 'viem';
import type { PublicClient } from 'viem';

/** Milliseconds after which a node is taken to be down; the next one of the list is tried. */
const RPC_TIMEOUT_MS = 5_000;

export interface Chain {
  /** Decimal chain id. */
  readonly id: string;
  readonly client: PublicClient;
}

/** Chain id -> chain; `undefined` for one that the settings do not allow. */
export type Chains = ReadonlyMap<string, Chain>;

/**
 * One client a chain. Calls made in the same tick leave as one JSON-RPC batch, to the first node that answers.
 * Nothing is retried here: the engine knows what may be sent again, and when.
 * @param rpcUrls Chain id -> endpoints, in the order in which they are tried.
 */
export function connectChains(rpcUrls: ReadonlyMap<string, readonly string[]>): Chains {
  return new Map(
    Array.from(rpcUrls, ([id, urls]) => {
      const transports = urls.map((url) =>
        http(url, { batch: { batchSize: 1_000 }, retryCount: 0, timeout: RPC_TIMEOUT_MS }),
      );
      const transport = fallback(transports, { retryCount: 0 });
      return [id, { id, client: createPublicClient({ transport }) }];
    }),
  );
}
