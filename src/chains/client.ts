import { createPublicClient, type PublicClient } from 'viem';
import type { ChainDefinition } from './definition.ts';
import { createRpcClient, type RpcClient } from './rpc-client.ts';
import { rpcTransport } from './rpc-transport.ts';

/** Milliseconds after which a node counts as down and the next one is tried. */
const RPC_TIMEOUT_MS = 5_000;
const BATCH_CALLS = 1_000;

export interface Chain {
  /** Decimal chain id. */
  readonly id: string;
  /** Settings applied. */
  readonly definition: ChainDefinition;
  readonly client: PublicClient;
  /** What `client` asks. */
  readonly rpc: RpcClient;
}

/** A chain, and where it is asked. */
type ReachedChain = ChainDefinition & { readonly rpcUrls: readonly string[] };

/** Chain id -> chain. Only chains in ALLOWED_CHAIN_IDS are present. */
export type Chains = ReadonlyMap<string, Chain>;

/**
 * Creates one client per chain, for one invocation of the Worker: the runtime cancels a request whose only pending I/O
 * belongs to another request, so calls of two invocations must never share a batch. Nodes are tried in order until one
 * answers. Nothing is retried here: the engine decides what may be sent again, and when.
 * @param chains Chain id -> its definition, and its endpoints in the order they are tried.
 */
export function connectChains(chains: ReadonlyMap<string, ReachedChain>): Chains {
  return new Map(
    Array.from(chains, ([id, definition]) => {
      let made: Pick<Chain, 'client' | 'rpc'> | undefined;
      // Made when they are first needed: most invocations ask no chain, and a client takes longer to make than they
      // take.
      const clients = () => (made ??= connect(definition));
      return [
        id,
        {
          id,
          definition,
          get client() {
            return clients().client;
          },
          get rpc() {
            return clients().rpc;
          },
        },
      ];
    }),
  );
}

function connect({ id: chainId, rpcUrls }: ReachedChain): Pick<Chain, 'client' | 'rpc'> {
  const rpc = createRpcClient(rpcUrls, {
    chainId,
    batchSize: BATCH_CALLS,
    timeoutMs: RPC_TIMEOUT_MS,
    providerMs: RPC_TIMEOUT_MS,
  });
  // A hostile contract must not make the service fetch a URL of its choice (EIP-3668).
  return { rpc, client: createPublicClient({ transport: rpcTransport(rpc), ccipRead: false }) };
}
