import { decodeFunctionResult, encodeFunctionData } from 'viem';
import type { Address, Hex, PublicClient } from 'viem';
import { minimalForwarder } from '../../contracts/artifacts/MinimalForwarder.ts';
import { standard1155 } from '../../contracts/artifacts/Standard1155.ts';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import { DomainError } from '../core/domain-error.ts';
import { classifyCallError } from './rpc-error.ts';

/**
 * Gas limit of a simulated call: enough for any view function, and for a relayed request with the highest gas limit that
 * can be signed. Without it a node applies its own limit, which a hostile contract would use up.
 */
export const CALL_GAS = 10_000_000n;

/** The result of a read from a contract that may not be what it claims to be. */
export type ContractRead<Value> =
  | { readonly value: Value }
  /** Why there is no value: the contract reverted, returned nothing, or returned data that does not decode. */
  | { readonly reverted: string };

/** The value of a read; undefined when there is none. */
export function valueOf<Value>(read: ContractRead<Value>): Value | undefined {
  return 'value' in read ? read.value : undefined;
}

/** The nonce that a signer's next forward request must have. */
export function readForwarderNonce(
  client: PublicClient,
  forwarder: Address,
  signer: Address,
): Promise<ContractRead<bigint>> {
  const call = { abi: minimalForwarder.abi, functionName: 'getNonce', args: [signer] } as const;
  return readContract(client, { to: forwarder, data: encodeFunctionData(call) }, (data) =>
    decodeFunctionResult({ ...call, data }),
  );
}

/** The part of an EIP-712 domain that a forwarder has. */
export interface Eip712Domain {
  readonly name: string;
  readonly version: string;
  readonly chainId: bigint;
  readonly verifyingContract: Address;
}

/** The EIP-712 domain of a contract (ERC-5267). */
export function readEip712Domain(client: PublicClient, contract: Address): Promise<ContractRead<Eip712Domain>> {
  const call = { abi: minimalForwarder.abi, functionName: 'eip712Domain' } as const;
  return readContract(client, { to: contract, data: encodeFunctionData(call) }, (data) => {
    const [, name, version, chainId, verifyingContract] = decodeFunctionResult({ ...call, data });
    return { name, version, chainId, verifyingContract };
  });
}

/** Whether a contract trusts a forwarder (ERC-2771). */
export function readIsTrustedForwarder(
  client: PublicClient,
  contract: Address,
  forwarder: Address,
): Promise<ContractRead<boolean>> {
  const call = { abi: standard721.abi, functionName: 'isTrustedForwarder', args: [forwarder] } as const;
  return readContract(client, { to: contract, data: encodeFunctionData(call) }, (data) =>
    decodeFunctionResult({ ...call, data }),
  );
}

/** The holder of an ERC-721 token. */
export function readOwnerOf(client: PublicClient, contract: Address, tokenId: bigint): Promise<ContractRead<Address>> {
  const call = { abi: standard721.abi, functionName: 'ownerOf', args: [tokenId] } as const;
  return readContract(client, { to: contract, data: encodeFunctionData(call) }, (data) =>
    decodeFunctionResult({ ...call, data }),
  );
}

/** The owner of a contract, who alone may mint. */
export function readOwner(client: PublicClient, contract: Address): Promise<ContractRead<Address>> {
  const call = { abi: standard721.abi, functionName: 'owner' } as const;
  return readContract(client, { to: contract, data: encodeFunctionData(call) }, (data) =>
    decodeFunctionResult({ ...call, data }),
  );
}

/** How many units of an ERC-1155 token an address holds. */
export function readBalanceOf(
  client: PublicClient,
  contract: Address,
  holder: Address,
  tokenId: bigint,
): Promise<ContractRead<bigint>> {
  const call = { abi: standard1155.abi, functionName: 'balanceOf', args: [holder, tokenId] } as const;
  return readContract(client, { to: contract, data: encodeFunctionData(call) }, (data) =>
    decodeFunctionResult({ ...call, data }),
  );
}

/**
 * Simulates a forwarder's `execute` as sent by `relayer`: whether the inner call would succeed, and what it would return
 * or revert with.
 * @param data Calldata of `execute`.
 */
export function simulateExecute(
  client: PublicClient,
  relayer: Address,
  forwarder: Address,
  data: Hex,
): Promise<ContractRead<{ readonly success: boolean; readonly returndata: Hex }>> {
  return readContract(client, { from: relayer, to: forwarder, data }, (result) => {
    const [success, returndata] = decodeFunctionResult({ ...minimalForwarder, functionName: 'execute', data: result });
    return { success, returndata };
  });
}

/**
 * Simulates a call. That the contract reverts or returns nonsense is a result here, not an error.
 * @param decode Decodes the return data; may throw.
 * @throws {DomainError} `upstream` when no node answers. The node's own message is left out: it can contain the node's
 *   URL, and with it an API key.
 */
async function readContract<Value>(
  client: PublicClient,
  { from, to, data }: { readonly from?: Address; readonly to: Address; readonly data: Hex },
  decode: (result: Hex) => Value,
): Promise<ContractRead<Value>> {
  let result: Hex | undefined;
  try {
    const sender = from === undefined ? {} : { account: from };
    ({ data: result } = await client.call({ ...sender, to, data, gas: CALL_GAS }));
  } catch (error) {
    const failure = classifyCallError(error);
    if (failure.kind === 'reverted') return { reverted: failure.reason ?? 'the call reverts without a reason' };
    throw new DomainError('upstream', 'The chain does not answer', undefined, { cause: error });
  }
  if (result === undefined) return { reverted: 'the call returns no data' };
  try {
    return { value: decode(result) };
  } catch {
    return { reverted: 'the returned data cannot be decoded' };
  }
}
