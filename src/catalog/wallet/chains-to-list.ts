import type { ChainDefinition } from '../../chains/definition.ts';
import { DEFAULT_CHAINS } from '../../chains/list.ts';
import { invalidInput } from '../../core/domain-error.ts';

/** The query parameters that name chains; one means the same as the other. */
export interface NamedChains {
  readonly blockchains?: readonly string[] | undefined;
  readonly 'blockchains[]'?: readonly string[] | undefined;
}

/**
 * The chains that a listing covers: those that the query names; where it names none, the default ones that are allowed, or
 * all allowed ones if none of those is.
 * @param allowed The chains that the settings allow.
 * @throws {DomainError} `invalid`, naming every chain of the query that is not allowed.
 */
export function chainsToList(allowed: readonly ChainDefinition[], query: NamedChains): readonly ChainDefinition[] {
  const message = `must be one of ${allowed.map(({ name }) => name).join(', ')}`;
  const isAllowed = (name: string) => allowed.some((chain) => chain.name === name);
  const fields = ['blockchains', 'blockchains[]'] as const;
  const faults = fields.flatMap((field) =>
    (query[field] ?? []).flatMap((name, index) => (isAllowed(name) ? [] : [{ path: `${field}.${index}`, message }])),
  );
  if (faults.length > 0) throw invalidInput(faults);

  const asked = fields.flatMap((field) => query[field] ?? []);
  if (asked.length > 0) return allowed.filter(({ name }) => asked.includes(name));
  const defaults = allowed.filter(({ id }) => DEFAULT_CHAINS.some((chain) => chain.id === id));
  return defaults.length > 0 ? defaults : allowed;
}
