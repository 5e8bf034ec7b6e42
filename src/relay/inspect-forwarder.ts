import { isAddressEqual } from 'viem';
import type { Address } from 'viem';
import { readContract } from '../chains/contract-reads.ts';
import type { Chain } from '../chains/client.ts';
import { withChainErrors } from '../chains/chain-errors.ts';
import { domainView } from '../chains/views.ts';
import type { Domain } from '../chains/views.ts';
import type { ChainReads } from '../engine/order-kind.ts';
import { readView } from '../engine/read-view.ts';
import { forwarderDomain } from './forward-request.ts';

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
export async function inspectForwarder({ id, client }: Chain, address: Address): Promise<ForwarderFinding> {
  const [code, domain] = await Promise.all([
    withChainErrors(() => client.getCode({ address })),
    readContract(client, domainView(address)),
  ]);
  return findingOf(id, address, code !== undefined, 'value' in domain ? domain.value : undefined);
}

/** The same at the block that is read. @throws {NotNow} */
export async function inspectForwarderAt(
  reads: ChainReads,
  chainId: string,
  address: Address,
): Promise<ForwarderFinding> {
  const [code, domain] = await Promise.all([reads.code(address), readView(reads, domainView(address))]);
  return findingOf(chainId, address, code !== '0x', domain);
}

function findingOf(id: string, address: Address, hasCode: boolean, domain: Domain | undefined): ForwarderFinding {
  if (!hasCode) return { kind: 'nothing', fault: `has no contract on chain ${id}: ${address}` };
  const expected = forwarderDomain({ chainId: id, address });
  const about = `is no forwarder of chain ${id}: ${address}`;
  if (domain === undefined) return { kind: 'other', fault: `${about} does not tell its EIP-712 domain` };
  const { name, version, chainId, verifyingContract } = domain;
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
