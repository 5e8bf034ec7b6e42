import {
  type Abi,
  type AbiEvent,
  type Address,
  BaseError,
  type ContractFunctionArgs,
  type ContractFunctionName,
  ContractFunctionRevertedError,
  type EncodeFunctionDataParameters,
  type Hex,
  type Log,
  type SimulateContractParameters,
  type TransactionReceipt,
  decodeErrorResult,
  encodeDeployData,
  encodeFunctionData,
  getAbiItem,
  isHex,
  parseEventLogs,
} from 'viem';
import { z } from 'zod';
import type { EphemeralChain } from '../../../scripts/contracts/ephemeral-chain.ts';

/** A contract on a chain, with its ABI. */
export interface Contract<abi extends Abi = Abi> {
  readonly address: Address;
  readonly abi: abi;
}

type Write = 'nonpayable' | 'payable';

/** The data of a call, typed by the contract's ABI. */
export function callData<const abi extends Abi, name extends ContractFunctionName<abi, Write>>(
  contract: Contract<abi>,
  functionName: name,
  args: ContractFunctionArgs<abi, Write, name>,
): Hex {
  return encodeFunctionData({ abi: contract.abi, functionName, args } as unknown as EncodeFunctionDataParameters);
}

/** Sends a call and returns its receipt, whether it succeeded or not. */
export function write<const abi extends Abi, name extends ContractFunctionName<abi, Write>>(
  chain: EphemeralChain,
  from: Address,
  contract: Contract<abi>,
  functionName: name,
  args: ContractFunctionArgs<abi, Write, name>,
  options: { value?: bigint; gas?: bigint } = {},
): Promise<TransactionReceipt> {
  return chain.send({ from, to: contract.address, data: callData(contract, functionName, args), ...options });
}

/** Sends a call that must succeed. */
export async function mustWrite<const abi extends Abi, name extends ContractFunctionName<abi, Write>>(
  chain: EphemeralChain,
  from: Address,
  contract: Contract<abi>,
  functionName: name,
  args: ContractFunctionArgs<abi, Write, name>,
): Promise<TransactionReceipt> {
  const receipt = await write(chain, from, contract, functionName, args);
  if (receipt.status === 'success') return receipt;
  throw new Error(`${functionName} reverted: ${await revertOf(chain, from, contract, functionName, args)}`);
}

/** The revert in an error of viem: `Name(argument,...)`, or the raw data if the ABI does not have it. */
function revertIn(error: unknown): string {
  const reverted =
    error instanceof BaseError ? error.walk((cause) => cause instanceof ContractFunctionRevertedError) : null;
  if (!(reverted instanceof ContractFunctionRevertedError)) throw error;
  if (reverted.data === undefined) return reverted.raw ?? '0x';
  return `${reverted.data.errorName}(${(reverted.data.args ?? []).map(String).join(',')})`;
}

/**
 * Simulates a call.
 *
 * @returns its revert in the form of {@link revertIn}, or `none` if it would succeed.
 */
export async function revertOf<const abi extends Abi, name extends ContractFunctionName<abi>>(
  chain: EphemeralChain,
  from: Address,
  contract: Contract<abi>,
  functionName: name,
  args: ContractFunctionArgs<abi, Write | 'pure' | 'view', name>,
  options: { value?: bigint; gas?: bigint } = {},
): Promise<string> {
  const call = { ...contract, functionName, args, account: from, ...options };
  try {
    await chain.client.simulateContract(call as unknown as SimulateContractParameters);
    return 'none';
  } catch (error) {
    return revertIn(error);
  }
}

/**
 * Simulates a deployment, but not through the CREATE2 proxy, which gives no reason when a constructor reverts.
 *
 * @returns the constructor's revert as `Name(argument,...)`, or `none` if it would succeed.
 */
export async function constructorRevertOf(
  chain: EphemeralChain,
  contract: { readonly abi: Abi; readonly bytecode: Hex },
  args: readonly unknown[],
): Promise<string> {
  try {
    await chain.client.call({ data: encodeDeployData({ abi: contract.abi, bytecode: contract.bytecode, args }) });
    return 'none';
  } catch (error) {
    const reverted = error instanceof BaseError ? error.walk((cause) => 'data' in Object(cause)) : null;
    const { data } = z.object({ data: z.custom<Hex>((value) => isHex(value)) }).parse(reverted);
    const decoded = decodeErrorResult({ abi: contract.abi, data });
    return `${decoded.errorName}(${(decoded.args ?? []).map(String).join(',')})`;
  }
}

/** The events of one contract in a receipt, in order, each as `Name(argument,...)`. */
export function eventsOf(contract: Contract, receipt: { logs: Log[] }): string[] {
  const logs = receipt.logs.filter((log) => log.address.toLowerCase() === contract.address.toLowerCase());
  return parseEventLogs({ abi: contract.abi, logs }).map((event) => {
    const { eventName, args } = event as unknown as { eventName: string; args: Record<string, unknown> };
    const { inputs } = getAbiItem({ abi: contract.abi, name: eventName }) as AbiEvent;
    return `${eventName}(${inputs.map(({ name }) => String(args[name ?? ''])).join(',')})`;
  });
}
