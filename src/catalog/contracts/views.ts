import { decodeFunctionResult, encodeFunctionData, parseAbi, type Address, type Hex } from 'viem';
import { certificate1155 } from '../../../contracts/artifacts/Certificate1155.ts';
import { certificate721 } from '../../../contracts/artifacts/Certificate721.ts';
import { minimalForwarder } from '../../../contracts/artifacts/MinimalForwarder.ts';
import { standard1155 } from '../../../contracts/artifacts/Standard1155.ts';
import { standard721 } from '../../../contracts/artifacts/Standard721.ts';
import { BURN_AUTHS, type BurnAuth } from '../../platform/database/schema.ts';
import type { View } from '../../chains/view.ts';

/** A forwarder's EIP-712 domain. */
export interface Domain {
  readonly name: string;
  readonly version: string;
  readonly chainId: bigint;
  readonly verifyingContract: Address;
}

/** The nonce that a signer's next request must have. */
export function nonceView(forwarder: Address, signer: Address): View<bigint> {
  const call = { abi: minimalForwarder.abi, functionName: 'getNonce', args: [signer] } as const;
  return { to: forwarder, data: encodeFunctionData(call), read: (data) => decodeFunctionResult({ ...call, data }) };
}

/** The EIP-712 domain whose typed data a contract verifies (ERC-5267). */
export function domainView(contract: Address): View<Domain> {
  const call = { abi: minimalForwarder.abi, functionName: 'eip712Domain' } as const;
  return {
    to: contract,
    data: encodeFunctionData(call),
    read(data) {
      const [, name, version, chainId, verifyingContract] = decodeFunctionResult({ ...call, data });
      return { name, version, chainId, verifyingContract };
    },
  };
}

/** Whether a contract trusts a forwarder to name the caller (ERC-2771). */
export function trustView(contract: Address, forwarder: Address): View<boolean> {
  const call = { abi: standard721.abi, functionName: 'isTrustedForwarder', args: [forwarder] } as const;
  return { to: contract, data: encodeFunctionData(call), read: (data) => decodeFunctionResult({ ...call, data }) };
}

/** The forwarder that a contract trusts, as those of OpenZeppelin say; the zero address: none. */
export function trustedForwarderView(contract: Address): View<Address> {
  const call = { abi: standard721.abi, functionName: 'trustedForwarder' } as const;
  return { to: contract, data: encodeFunctionData(call), read: (data) => decodeFunctionResult({ ...call, data }) };
}

/** The holder of an ERC-721 token. */
export function holderView(contract: Address, tokenId: bigint): View<Address> {
  const call = { abi: standard721.abi, functionName: 'ownerOf', args: [tokenId] } as const;
  return { to: contract, data: encodeFunctionData(call), read: (data) => decodeFunctionResult({ ...call, data }) };
}

/** The owner of a contract, who may mint. */
export function ownerView(contract: Address): View<Address> {
  const call = { abi: standard721.abi, functionName: 'owner' } as const;
  return { to: contract, data: encodeFunctionData(call), read: (data) => decodeFunctionResult({ ...call, data }) };
}

/** Who becomes the owner of a contract once he accepts it; contracts without this step have no such function. */
export function pendingOwnerView(contract: Address): View<Address> {
  const abi = parseAbi(['function pendingOwner() view returns (address)']);
  const call = { abi, functionName: 'pendingOwner' } as const;
  return { to: contract, data: encodeFunctionData(call), read: (data) => decodeFunctionResult({ ...call, data }) };
}

/** Whether a contract says that it implements an interface (ERC-165). */
export function interfaceView(contract: Address, interfaceId: Hex): View<boolean> {
  const call = { abi: standard721.abi, functionName: 'supportsInterface', args: [interfaceId] } as const;
  return { to: contract, data: encodeFunctionData(call), read: (data) => decodeFunctionResult({ ...call, data }) };
}

/** A holder's balance of an ERC-1155 token id. */
export function balanceView(contract: Address, holder: Address, tokenId: bigint): View<bigint> {
  const call = { abi: standard1155.abi, functionName: 'balanceOf', args: [holder, tokenId] } as const;
  return { to: contract, data: encodeFunctionData(call), read: (data) => decodeFunctionResult({ ...call, data }) };
}

/** Who may burn a certificate (ERC-5484). */
export function burnAuthView(contract: Address, tokenId: bigint): View<BurnAuth> {
  const call = { abi: certificate721.abi, functionName: 'burnAuth', args: [tokenId] } as const;
  return {
    to: contract,
    data: encodeFunctionData(call),
    read(data) {
      const name = BURN_AUTHS[decodeFunctionResult({ ...call, data })];
      if (name === undefined) throw new Error('No such value of BurnAuth');
      return name;
    },
  };
}

/** The SHA-256 that a certificate's contract has of its document. It has none once no unit is left. */
export function metadataHashView(contract: Address, tokenId: bigint): View<Hex> {
  const call = { abi: certificate721.abi, functionName: 'getMetadataHash', args: [tokenId] } as const;
  return { to: contract, data: encodeFunctionData(call), read: (data) => decodeFunctionResult({ ...call, data }) };
}

/** How many units of an ERC-1155 token id exist, of contracts that count them. */
export function supplyView(contract: Address, tokenId: bigint): View<bigint> {
  const call = { abi: certificate1155.abi, functionName: 'totalSupply', args: [tokenId] } as const;
  return { to: contract, data: encodeFunctionData(call), read: (data) => decodeFunctionResult({ ...call, data }) };
}

/**
 * The result of submitting a request to its forwarder as `relayer`: whether the inner call succeeds, and its return or
 * revert data.
 * @param data Calldata of `execute`.
 */
export function executionView(
  relayer: Address,
  forwarder: Address,
  data: Hex,
): View<{ readonly success: boolean; readonly returndata: Hex }> {
  return {
    from: relayer,
    to: forwarder,
    data,
    read(returned) {
      const call = { ...minimalForwarder, functionName: 'execute', data: returned } as const;
      const [success, returndata] = decodeFunctionResult(call);
      return { success, returndata };
    },
  };
}
