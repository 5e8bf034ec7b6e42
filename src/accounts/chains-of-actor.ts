import type { Chain, Chains } from '../chains/client.ts';
import type { ChainDefinition } from '../chains/definition.ts';
import { CHAINS } from '../chains/list.ts';
import { DomainError } from '../core/domain-error.ts';
import type { KeyKind } from './account-key.ts';
import type { Actor } from './actor.ts';

const CHAIN_KIND = { live: 'main', test: 'test' } as const satisfies Record<KeyKind, ChainDefinition['kind']>;

/** The kind of chains that an actor is limited to; undefined: both. */
export function chainKindOf(actor: Actor): ChainDefinition['kind'] | undefined {
  return actor.type === 'key' ? CHAIN_KIND[actor.key.kind] : undefined;
}

/** The ids of the chains that a kind of keys is for. */
export function chainIdsOfKind(kind: KeyKind): string[] {
  return CHAINS.filter((chain) => chain.kind === CHAIN_KIND[kind]).map(({ id }) => id);
}

/**
 * The ids of the chains whose records an actor may see; undefined: all, including chains that are no longer defined.
 */
export function chainIdsOf(actor: Actor): readonly string[] | undefined {
  const kind = chainKindOf(actor);
  return kind === undefined ? undefined : CHAINS.filter((chain) => chain.kind === kind).map(({ id }) => id);
}

/** @throws {DomainError} `forbidden` when the actor's key is not for the chain. */
export function requireChainOf(actor: Actor, chainId: string): void {
  if (actor.type !== 'key' || chainIdsOf(actor)?.includes(chainId) === true) return;
  throw new DomainError(
    'wrong_chain_kind',
    `A ${actor.key.kind} key works on ${CHAIN_KIND[actor.key.kind]} chains only`,
  );
}

/**
 * The chains for a request: to look up one that the key is not for throws `forbidden`, so that no use case can forget
 * the check.
 */
export function chainsOf(actor: Actor, chains: Chains): Chains {
  return actor.type === 'key' ? new ChainsOfKey(actor, chains) : chains;
}

class ChainsOfKey extends Map<string, Chain> {
  readonly #actor: Actor;

  constructor(actor: Actor, chains: Chains) {
    super(chains);
    this.#actor = actor;
  }

  override get(id: string): Chain | undefined {
    this.#require(id);
    return super.get(id);
  }

  override has(id: string): boolean {
    this.#require(id);
    return super.has(id);
  }

  /** A chain that is not in ALLOWED_CHAIN_IDS is left to the use case. */
  #require(id: string): void {
    if (super.has(id)) requireChainOf(this.#actor, id);
  }
}
