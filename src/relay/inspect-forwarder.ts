import { isAddressEqual } from 'viem';
import type { Address } from 'viem';
import type { Chain } from '../chains/client.ts';
import { forwarderDomain } from './forward-request.ts';
import { askDomain } from '../chains/questions.ts';
import { readOrUpstreamError } from '../chains/read.ts';

/** What stands at an address that a contract is to trust as its forwarder. */
export type ForwarderFinding =
  | { readonly kind: 'forwarder' }
  /** No code, as far as this node knows. */
  | { readonly kind: 'nothing'; readonly fault: string }
  /** A contract that verifies no forward requests, or those of another chain or address. */
  | { readonly kind: 'other'; readonly fault: string };

/**
 * Looks whether an address is a forwarder: a contract whose EIP-712 domain is the one that requests are signed for, on
 * this chain and for this address. A contract trusts its forwarder for as long as it exists, and whoever controls the
 * address can act as every holder and as the owner. This finds mistakes: a contract that answers like a forwarder passes.
 * @throws {DomainError} `upstream` when no node answers.
 */
export async function inspectForwarder(chain: Chain, address: Address): Promise<ForwarderFinding> {
  const [code, domain] = await Promise.all([
    readOrUpstreamError(() => chain.client.getCode({ address })),
    askDomain(chain.client, address),
  ]);
  if (code === undefined) return { kind: 'nothing', fault: `has no contract on chain ${chain.id}: ${address}` };
  const expected = forwarderDomain({ chainId: chain.id, address });
  const about = `is no forwarder of chain ${chain.id}: ${address}`;
  if ('refusal' in domain) return { kind: 'other', fault: `${about} does not tell its EIP-712 domain` };
  const { name, version, chainId, verifyingContract } = domain.value;
  return name === expected.name &&
    version === expected.version &&
    chainId === BigInt(expected.chainId) &&
    isAddressEqual(verifyingContract, address)
    ? { kind: 'forwarder' }
    : {
        kind: 'other',
        fault: `${about} has another EIP-712 domain than ${expected.name} ${expected.version} of this chain and address`,
      };
}
