import { createPublicClient, fallback } from 'viem';
import type { PublicClient } from 'viem';
import { jsonRpc } from './json-rpc.ts';

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
 * One client a chain, for one invocation of the Worker: the runtime cancels a request that waits for nothing but another
 * one's, so calls of two invocations must never share a batch. A call goes to the first node that answers.
 *
 * Nothing is retried here: the engine knows what may be sent again, and when.
 * @param rpcUrls Chain id -> endpoints, in the order in which they are tried.
 */
export function connectChains(rpcUrls: ReadonlyMap<string, readonly string[]>): Chains {
  return new Map(
    Array.from(rpcUrls, ([id, urls]) => {
      const transport = fallback(
        urls.map((url) => jsonRpc(url, RPC_TIMEOUT_MS)),
        { retryCount: 0 },
      );
      // A contract that anyone names must not make the service fetch a URL that it tells it (EIP-3668).
      return [id, { id, client: createPublicClient({ transport, ccipRead: false }) }];
    }),
  );
}

/** The chain of an operation under way: the engine runs one only on a chain that is configured. */
export function configuredChain(chains: Chains, id: string): Chain {
  const chain = chains.get(id);
  if (chain === undefined) throw new Error(`Chain ${id} is not configured`);
  return chain;
}
