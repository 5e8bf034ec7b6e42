import { isAddressEqual, type Address } from 'viem';
import { readContract, withChainErrors } from '../chains/contract-reads.ts';
import type { Chain } from '../chains/client.ts';
import { domainView, type Domain } from '../catalog/contracts/views.ts';
import type { ChainReads } from '../engine/order-kind.ts';
import { readView } from '../engine/chain-reads.ts';
import { forwarderDomain } from './forward-request.ts';

/** The result of checking whether an address is a forwarder. */
export type ForwarderFinding =
  | { readonly kind: 'forwarder' }
  /** The node knows no code at the address. */
  | { readonly kind: 'nothing'; readonly issue: string }
  /** A contract that does not verify forward requests, or only those of another chain or address. */
  | { readonly kind: 'other'; readonly issue: string };

/**
 * Checks whether an address is a forwarder: a contract with the EIP-712 domain that requests are signed for, on this
 * chain and at this address. A contract trusts its forwarder forever, and anyone who controls it can act as every
 * holder and as the owner. The check only catches mistakes: a contract that imitates a forwarder passes.
 * @throws {DomainError} `upstream` if no node answers.
 */
export async function inspectForwarder({ id, client }: Chain, address: Address): Promise<ForwarderFinding> {
  const [code, domain] = await Promise.all([
    withChainErrors(() => client.getCode({ address })),
    readContract(client, domainView(address)),
  ]);
  return findingFor(id, address, code !== undefined, 'value' in domain ? domain.value : undefined);
}

/** {@link inspectForwarder} at the block of `reads`. @throws {NotNow} */
export async function inspectForwarderAt(
  reads: ChainReads,
  chainId: string,
  address: Address,
): Promise<ForwarderFinding> {
  const [code, domain] = await Promise.all([reads.code(address), readView(reads, domainView(address))]);
  return findingFor(chainId, address, code !== '0x', domain);
}

function findingFor(id: string, address: Address, hasCode: boolean, domain: Domain | undefined): ForwarderFinding {
  if (!hasCode) return { kind: 'nothing', issue: `has no contract on chain ${id}: ${address}` };
  const expected = forwarderDomain({ chainId: id, address });
  const about = `is not a forwarder of chain ${id}: ${address}`;
  if (domain === undefined) return { kind: 'other', issue: `${about} has no EIP-712 domain` };
  const { name, version, chainId, verifyingContract } = domain;
  return name === expected.name &&
    version === expected.version &&
    chainId === BigInt(expected.chainId) &&
    isAddressEqual(verifyingContract, address)
    ? { kind: 'forwarder' }
    : {
        kind: 'other',
        issue: `${about} has a different EIP-712 domain from ${expected.name} ${expected.version} of this chain and address`,
      };
}
