import { createPublicClient, fallback } from 'viem';
import type { PublicClient } from 'viem';
import type { ChainDefinition } from './definition.ts';
import { jsonRpc } from './json-rpc.ts';

/** Milliseconds after which a node counts as down and the next one is tried. */
const RPC_TIMEOUT_MS = 5_000;

export interface Chain {
  /** Decimal chain id. */
  readonly id: string;
  /** Settings applied. */
  readonly definition: ChainDefinition;
  readonly client: PublicClient;
}

/** Chain id -> chain. Only chains in ALLOWED_CHAIN_IDS are present. */
export type Chains = ReadonlyMap<string, Chain>;

/**
 * Creates one client per chain, for one invocation of the Worker: the runtime cancels a request whose only pending I/O
 * belongs to another request, so calls of two invocations must never share a batch. Nodes are tried in order until one
 * answers. Nothing is retried here: the engine decides what may be sent again, and when.
 * @param chains Chain id -> its definition, and its endpoints in the order they are tried.
 */
export function connectChains(
  chains: ReadonlyMap<string, ChainDefinition & { readonly rpcUrls: readonly string[] }>,
): Chains {
  return new Map(
    Array.from(chains, ([id, definition]) => {
      let client: PublicClient | undefined;
      return [
        id,
        {
          id,
          definition,
          // Made when it is first needed: most invocations ask no chain, and a client takes longer to make than they take.
          get client() {
            client ??= connect(definition.rpcUrls);
            return client;
          },
        },
      ];
    }),
  );
}

function connect(urls: readonly string[]): PublicClient {
  const transport = fallback(
    urls.map((url) => jsonRpc(url, RPC_TIMEOUT_MS)),
    { retryCount: 0 },
  );
  // A hostile contract must not make the service fetch a URL of its choice (EIP-3668).
  return createPublicClient({ transport, ccipRead: false });
}
