import type { ChainDefinition } from '../../chains/definition.ts';
import { DEFAULT_CHAINS } from '../../chains/list.ts';
import { DomainError, invalidInput } from '../../core/domain-error.ts';

/** The query parameters that name chains. They are equivalent. */
export interface NamedChains {
  readonly blockchains?: readonly string[] | undefined;
  readonly 'blockchains[]'?: readonly string[] | undefined;
}

/**
 * The chains that a listing covers: those in the query, otherwise the default chains that are allowed, otherwise all
 * allowed chains.
 * @param allowed The chains in ALLOWED_CHAIN_IDS.
 * @param kind The kind of chains that the key is for; undefined: both.
 * @throws {DomainError} `invalid`, with an issue for every chain in the query that is not allowed; `forbidden` for one
 *   of the other kind.
 */
export function chainsToList(
  allowed: readonly ChainDefinition[],
  query: NamedChains,
  kind: ChainDefinition['kind'] | undefined,
): readonly ChainDefinition[] {
  const message = `must be one of ${allowed.map(({ name }) => name).join(', ')}`;
  const isAllowed = (name: string) => allowed.some((chain) => chain.name === name);
  const fields = ['blockchains', 'blockchains[]'] as const;
  const issues = fields.flatMap((field) =>
    (query[field] ?? []).flatMap((name, index) => (isAllowed(name) ? [] : [{ path: `${field}.${index}`, message }])),
  );
  if (issues.length > 0) throw invalidInput(issues);

  const requested = fields.flatMap((field) => query[field] ?? []);
  const usable = allowed.filter((chain) => kind === undefined || chain.kind === kind);
  if (requested.some((name) => !usable.some((chain) => chain.name === name))) {
    throw new DomainError('wrong_chain_kind', `The key is for ${kind} chains only`);
  }
  if (requested.length > 0) return usable.filter(({ name }) => requested.includes(name));
  const defaults = usable.filter(({ id }) => DEFAULT_CHAINS.some((chain) => chain.id === id));
  return defaults.length > 0 ? defaults : usable;
}
