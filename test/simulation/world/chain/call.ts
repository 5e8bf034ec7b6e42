import { encodeErrorResult } from 'viem';
import type { Abi, Address, Hex } from 'viem';
import type { State } from './state.ts';

/** A call of one account by another, at a block. Addresses in lower case. */
export interface Message {
  readonly from: Address;
  readonly to: Address;
  readonly data: Hex;
  /** Wei. */
  readonly value: bigint;
  /** What it may spend at most. */
  readonly gas: bigint;
  /** Wei; 0 in an estimate or a call without fees. */
  readonly gasPrice: bigint;
  readonly blockNumber: number;
}

export interface EventLog {
  readonly address: Address;
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

/** What a call did to the state it was given, in place. After a revert the caller goes back to the state before. */
export interface CallResult {
  readonly data: Hex;
  readonly gasUsed: bigint;
  readonly logs: readonly EventLog[];
}

/** A call that failed: it changed nothing, and cost gas all the same. */
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

/** A revert with one of a contract's own errors. */
export function revertWith(abi: Abi, errorName: string, args: readonly unknown[], gasUsed: bigint): Revert {
  return new Revert(encodeErrorResult({ abi, errorName, args }), gasUsed);
}

/** The most gas that a call can hand on of what is left (EIP-150). */
export function handedOn(gasLeft: bigint): bigint {
  return gasLeft - gasLeft / 64n;
}

/** Runs calls on a state. */
export type Run = (state: State, message: Message) => CallResult;
