import { encodeErrorResult, type Abi, type Address, type Hex } from 'viem';
import type { State } from './state.ts';

/** A call from one account to another, at a block. Addresses are lower case. */
export interface Message {
  readonly from: Address;
  readonly to: Address;
  readonly data: Hex;
  /** Wei. */
  readonly value: bigint;
  /** The gas limit. */
  readonly gas: bigint;
  /** In wei; 0 in an estimate or a call without fees. */
  readonly gasPrice: bigint;
  readonly blockNumber: number;
}

export interface EventLog {
  readonly address: Address;
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

/** The result of a call, which changes the state in place. After a revert the caller restores the previous state. */
export interface CallResult {
  readonly data: Hex;
  readonly gasUsed: bigint;
  readonly logs: readonly EventLog[];
}

/** A failed call. It changed nothing but used gas. */
export class Revert extends Error {
  readonly data: Hex;
  readonly gasUsed: bigint;
  readonly isOutOfGas: boolean;

  constructor(data: Hex, gasUsed: bigint, isOutOfGas = false) {
    super(isOutOfGas ? 'out of gas' : 'execution reverted');
    this.data = data;
    this.gasUsed = gasUsed;
    this.isOutOfGas = isOutOfGas;
  }
}

export function outOfGas({ gas }: Pick<Message, 'gas'>): Revert {
  return new Revert('0x', gas, true);
}

/** A revert with a custom error of the contract. */
export function revertWith(abi: Abi, errorName: string, args: readonly unknown[], gasUsed: bigint): Revert {
  return new Revert(encodeErrorResult({ abi, errorName, args }), gasUsed);
}

/** The most gas that a call can pass on of what is left (EIP-150). */
export function handedOn(gasLeft: bigint): bigint {
  return gasLeft - gasLeft / 64n;
}

/** Runs calls on a state. */
export type Run = (state: State, message: Message) => CallResult;
