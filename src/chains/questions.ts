import { decodeFunctionResult, encodeFunctionData } from 'viem';
import type { Address, Hex, PublicClient } from 'viem';
import { minimalForwarder } from '../../contracts/artifacts/MinimalForwarder.ts';
import { standard1155 } from '../../contracts/artifacts/Standard1155.ts';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import { ask } from './ask.ts';
import type { Answer } from './ask.ts';

/** The number that a signer's next request must carry. */
export function askNonce(client: PublicClient, forwarder: Address, signer: Address): Promise<Answer<bigint>> {
  const call = { abi: minimalForwarder.abi, functionName: 'getNonce', args: [signer] } as const;
  const question = { to: forwarder, data: encodeFunctionData(call) };
  return ask(client, question, (data) => decodeFunctionResult({ ...call, data }));
}

/** What typed data a contract verifies (ERC-5267): the EIP-712 domain. */
export function askDomain(client: PublicClient, contract: Address): Promise<Answer<Domain>> {
  const call = { abi: minimalForwarder.abi, functionName: 'eip712Domain' } as const;
  const question = { to: contract, data: encodeFunctionData(call) };
  return ask(client, question, (data) => {
    const [, name, version, chainId, verifyingContract] = decodeFunctionResult({ ...call, data });
    return { name, version, chainId, verifyingContract };
  });
}

/** An EIP-712 domain, as far as a forwarder has one. */
export interface Domain {
  readonly name: string;
  readonly version: string;
  readonly chainId: bigint;
  readonly verifyingContract: Address;
}

/** Whether a contract takes a forwarder's word about who is calling (ERC-2771). */
export function askTrust(client: PublicClient, contract: Address, forwarder: Address): Promise<Answer<boolean>> {
  const call = { abi: standard721.abi, functionName: 'isTrustedForwarder', args: [forwarder] } as const;
  const question = { to: contract, data: encodeFunctionData(call) };
  return ask(client, question, (data) => decodeFunctionResult({ ...call, data }));
}

/** Who holds a token of an ERC-721 contract. */
export function askHolder(client: PublicClient, contract: Address, tokenId: bigint): Promise<Answer<Address>> {
  const call = { abi: standard721.abi, functionName: 'ownerOf', args: [tokenId] } as const;
  const question = { to: contract, data: encodeFunctionData(call) };
  return ask(client, question, (data) => decodeFunctionResult({ ...call, data }));
}

/** Who owns a contract, and so may mint. */
export function askOwner(client: PublicClient, contract: Address): Promise<Answer<Address>> {
  const call = { abi: standard721.abi, functionName: 'owner' } as const;
  const question = { to: contract, data: encodeFunctionData(call) };
  return ask(client, question, (data) => decodeFunctionResult({ ...call, data }));
}

/** How many units of an id of an ERC-1155 contract a holder has. */
export function askBalance(
  client: PublicClient,
  contract: Address,
  holder: Address,
  tokenId: bigint,
): Promise<Answer<bigint>> {
  const call = { abi: standard1155.abi, functionName: 'balanceOf', args: [holder, tokenId] } as const;
  const question = { to: contract, data: encodeFunctionData(call) };
  return ask(client, question, (data) => decodeFunctionResult({ ...call, data }));
}

/**
 * What would come of a request, brought to its forwarder by `relayer` now: whether the inner call succeeds, and what it
 * returns or reverts with.
 * @param data Calldata of `execute`.
 */
export function askExecution(
  client: PublicClient,
  relayer: Address,
  forwarder: Address,
  data: Hex,
): Promise<Answer<{ readonly success: boolean; readonly returndata: Hex }>> {
  return ask(client, { from: relayer, to: forwarder, data }, (reply) => {
    const [success, returndata] = decodeFunctionResult({ ...minimalForwarder, functionName: 'execute', data: reply });
    return { success, returndata };
  });
}
