import { createPublicClient, fallback } from 'viem';
import type { PublicClient } from 'viem';
import type { ChainDefinition } from './definition.ts';
import { jsonRpc } from './json-rpc.ts';

/** Milliseconds after which a node is taken to be down; the next one of the list is tried. */
const RPC_TIMEOUT_MS = 5_000;

export interface Chain {
  /** Decimal chain id. */
  readonly id: string;
  /** With the numbers that settings override. */
  readonly definition: ChainDefinition;
  readonly client: PublicClient;
}

/** Chain id -> chain; `undefined` for one that the settings do not allow. */
export type Chains = ReadonlyMap<string, Chain>;

/**
 * One client a chain, for one invocation of the Worker: the runtime cancels a request that waits for nothing but another
 * one's, so calls of two invocations must never share a batch. A call goes to the first node that answers.
 *
 * Nothing is retried here: the engine knows what may be sent again, and when.
 * @param chains Chain id -> its definition, and its endpoints in the order in which they are tried.
 */
export function connectChains(
  chains: ReadonlyMap<string, ChainDefinition & { readonly rpcUrls: readonly string[] }>,
): Chains {
  return new Map(
    Array.from(chains, ([id, definition]) => {
      const transport = fallback(
        definition.rpcUrls.map((url) => jsonRpc(url, RPC_TIMEOUT_MS)),
        { retryCount: 0 },
      );
      // A contract that anyone names must not make the service fetch a URL that it tells it (EIP-3668).
      return [id, { id, definition, client: createPublicClient({ transport, ccipRead: false }) }];
    }),
  );
}
