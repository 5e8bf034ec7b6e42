import { z } from 'zod';
import { invalidInput, type InputIssue } from '../core/domain-error.ts';
import type { Chain, Chains } from './client.ts';

const withChain = z.object({ chainId: z.string() });

/**
 * The chain of a request.
 * @param others What else is wrong with the request, as far as that can be told without the chain.
 * @throws {DomainError} `invalid`, with the others too, when the chain is not in ALLOWED_CHAIN_IDS.
 */
export function requireAllowedChain(
  chains: Chains,
  chainId: string,
  others: () => readonly InputIssue[] = () => [],
): Chain {
  const chain = chains.get(chainId);
  if (chain === undefined) throw invalidInput([chainIssue(chains), ...others()]);
  return chain;
}

/**
 * The issue of the chain that an input names, if it is not in ALLOWED_CHAIN_IDS: for an input of a wrong form, whose
 * chain is otherwise looked up only once its form is right.
 * @param found The issues of its form.
 */
export function namedChainIssues(chains: Chains, input: unknown, found: readonly InputIssue[]): InputIssue[] {
  const named = withChain.safeParse(input);
  const isFound = found.some(({ path }) => path === 'chainId');
  return isFound || !named.success || [...chains.keys()].includes(named.data.chainId) ? [] : [chainIssue(chains)];
}

/** The issue of a chain that is not in ALLOWED_CHAIN_IDS. */
export function chainIssue(chains: Chains): InputIssue {
  return { path: 'chainId', message: `must be one of ${[...chains.keys()].join(', ')}`, code: 'not_allowed' };
}
