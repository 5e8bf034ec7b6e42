import { invalidInput } from '../core/domain-error.ts';
import type { InputIssue } from '../core/domain-error.ts';
import type { Chain, Chains } from './client.ts';

/** @throws {DomainError} `invalid` when the chain is not in ALLOWED_CHAIN_IDS. */
export function requireAllowedChain(chains: Chains, chainId: string): Chain {
  const chain = chains.get(chainId);
  if (chain === undefined) throw invalidInput([chainIssue(chains)]);
  return chain;
}

/** The issue of a chain that is not in ALLOWED_CHAIN_IDS. */
export function chainIssue(chains: Chains): InputIssue {
  return { path: 'chainId', message: `must be one of ${[...chains.keys()].join(', ')}`, code: 'not_allowed' };
}
