import { type Address, type Hex, type LocalAccount, hashTypedData } from 'viem';
import type { minimalForwarder } from '../../../contracts/artifacts/MinimalForwarder.ts';
import type { EphemeralChain } from '../../../scripts/contracts/ephemeral-chain.ts';
import type { Contract } from './contract-calls.ts';

/** The forwarder, deployed. */
export type Forwarder = Contract<typeof minimalForwarder.abi>;

/** A request that a signer signs for the forwarder. */
export interface ForwardRequest {
  from: Address;
  to: Address;
  value: bigint;
  gas: bigint;
  nonce: bigint;
  data: Hex;
}

/** Written from the interface and not imported from the product, so that a difference is noticed. */
const types = {
  ForwardRequest: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'gas', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
    { name: 'data', type: 'bytes' },
  ],
} as const;

/** Parts of the domain that a test replaces with wrong ones. */
type DomainParts = { name?: string; version?: string; chainId?: number; verifyingContract?: Address };

function typedData(chain: EphemeralChain, forwarder: Forwarder, request: ForwardRequest, domain: DomainParts) {
  return {
    domain: {
      name: 'MinimalForwarder',
      version: '1.0',
      chainId: chain.chainId,
      verifyingContract: forwarder.address,
      ...domain,
    },
    types,
    primaryType: 'ForwardRequest',
    message: request,
  } as const;
}

/** Signs a request for a forwarder; `domain` overrides parts of the correct domain. */
export function signRequest(
  chain: EphemeralChain,
  forwarder: Forwarder,
  signer: LocalAccount,
  request: ForwardRequest,
  domain: DomainParts = {},
): Promise<Hex> {
  return signer.signTypedData(typedData(chain, forwarder, request, domain));
}

/** The signed hash: that of the request in its domain. */
export function requestDigest(chain: EphemeralChain, forwarder: Forwarder, request: ForwardRequest): Hex {
  return hashTypedData(typedData(chain, forwarder, request, {}));
}

/** A request, by default with the signer's next nonce and 500,000 gas. */
export async function requestOf(
  chain: EphemeralChain,
  forwarder: Forwarder,
  from: Address,
  call: { to: Address; data: Hex; value?: bigint; gas?: bigint; nonce?: bigint },
): Promise<ForwardRequest> {
  const nonce =
    call.nonce ?? (await chain.client.readContract({ ...forwarder, functionName: 'getNonce', args: [from] }));
  return { from, to: call.to, value: call.value ?? 0n, gas: call.gas ?? 500_000n, nonce, data: call.data };
}

/** A signed request, as the arguments of `execute` and `verify`. */
export async function signedRequest(
  chain: EphemeralChain,
  forwarder: Forwarder,
  signer: LocalAccount,
  call: { to: Address; data: Hex; value?: bigint; gas?: bigint; nonce?: bigint },
): Promise<readonly [ForwardRequest, Hex]> {
  const request = await requestOf(chain, forwarder, signer.address, call);
  return [request, await signRequest(chain, forwarder, signer, request)];
}
