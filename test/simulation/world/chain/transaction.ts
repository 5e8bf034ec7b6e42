import { keccak256, numberToHex, parseTransaction, serializeTransaction, type Address, type Hex } from 'viem';
import { Secp256k1 } from 'ox';
import { Revert, type EventLog, type Message } from './call.ts';
import { create, runCall } from './machine.ts';
import type { State } from './state.ts';

/** A transaction in a pool or in a block. */
export interface Transaction {
  readonly hash: Hex;
  readonly from: Address;
  /** Null creates a contract. */
  readonly to: Address | null;
  readonly data: Hex;
  /** Wei. */
  readonly value: bigint;
  readonly gas: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  readonly nonce: number;
  readonly chainId: number;
  readonly r: bigint;
  readonly s: bigint;
  readonly yParity: number;
}

export interface Mined {
  readonly transaction: Transaction;
  readonly status: 'success' | 'reverted';
  readonly gasUsed: bigint;
  /** Wei. */
  readonly effectiveGasPrice: bigint;
  readonly logs: readonly EventLog[];
}

/** The block context of a transaction. */
export interface BlockRules {
  readonly chainId: string;
  readonly number: number;
  /** Wei. */
  readonly baseFee: bigint;
  /** The minimum share of the gas limit that is charged, in percent. */
  readonly leastPaidPercent: bigint;
}

const parsed = new Map<Hex, Transaction>();

/**
 * Decodes signed bytes and recovers the sender.
 * @throws {Error} unless they are a transaction of the type that the product signs, for this chain.
 */
export function readTransaction(raw: Hex, chainId: string): Transaction {
  const known = parsed.get(raw);
  if (known !== undefined) return known;
  const fields = parseTransaction(raw);
  const { type, r, s, yParity, to, data = '0x', value = 0n, gas = 0n, nonce = 0 } = fields;
  if (type !== 'eip1559' || r === undefined || s === undefined || yParity === undefined) {
    throw new Error('transaction type not supported');
  }
  if (fields.chainId !== Number(chainId)) throw new Error('invalid chain id for signer');
  const from = Secp256k1.recoverAddress({
    payload: signedHashOf(raw),
    signature: { r: BigInt(r), s: BigInt(s), yParity },
  });
  const transaction: Transaction = {
    hash: keccak256(raw),
    from: lower(from),
    to: to ? lower(to) : null,
    data,
    value,
    gas,
    nonce,
    maxFeePerGas: fields.maxFeePerGas ?? 0n,
    maxPriorityFeePerGas: fields.maxPriorityFeePerGas ?? 0n,
    chainId: fields.chainId,
    r: BigInt(r),
    s: BigInt(s),
    yParity,
  };
  parsed.set(raw, transaction);
  return transaction;
}

/** Signs a transaction that the product has no part in. */
export function signTransaction(
  { data, ...fields }: Omit<Transaction, 'hash' | 'from' | 'chainId' | 'r' | 's' | 'yParity'>,
  privateKey: Hex,
  chainId: string,
): Transaction {
  const unsigned = { type: 'eip1559', chainId: Number(chainId), ...fields, data } as const;
  const { r, s, yParity } = Secp256k1.sign({ payload: keccak256(serializeTransaction(unsigned)), privateKey });
  const raw = serializeTransaction(unsigned, {
    r: numberToHex(r, { size: 32 }),
    s: numberToHex(s, { size: 32 }),
    yParity,
  });
  return readTransaction(raw, chainId);
}

/** The intrinsic gas of a transaction, and its minimum total by EIP-7623. */
export function intrinsicGas({ data, to }: Pick<Transaction, 'data' | 'to'>): { start: bigint; floor: bigint } {
  const bytes = Buffer.from(data.slice(2), 'hex');
  const zeros = bytes.reduce((count, byte) => (byte === 0 ? count + 1 : count), 0);
  const tokens = BigInt(zeros + 4 * (bytes.length - zeros));
  const creation = to === null ? 32_000n + 2n * BigInt(Math.ceil(bytes.length / 32)) : 0n;
  return { start: 21_000n + 4n * tokens + creation, floor: 21_000n + 10n * tokens };
}

/** Why a block cannot include a transaction now; undefined if it can. */
export function obstacle(state: State, transaction: Transaction, baseFee: bigint): string | undefined {
  const { nonce, balance } = state.account(transaction.from);
  const { start, floor } = intrinsicGas(transaction);
  if (transaction.nonce !== nonce) return 'nonce';
  if (transaction.maxFeePerGas < baseFee) return 'fee';
  if (transaction.gas < start || transaction.gas < floor) return 'intrinsic gas';
  if (balance < transaction.gas * transaction.maxFeePerGas + transaction.value) return 'funds';
  return undefined;
}

/** Mines a transaction without an {@link obstacle}: changes the state even if the call reverts. */
export function mine(state: State, transaction: Transaction, rules: BlockRules): Mined {
  const { from, gas, maxFeePerGas, maxPriorityFeePerGas } = transaction;
  const tip = min(maxPriorityFeePerGas, maxFeePerGas - rules.baseFee);
  const effectiveGasPrice = rules.baseFee + tip;
  const { nonce, balance } = state.account(from);
  state.setAccount(from, { nonce: nonce + 1, balance: balance - gas * effectiveGasPrice });
  const { start, floor } = intrinsicGas(transaction);
  const trial = state.copy();
  let gasUsed = start;
  let status: Mined['status'] = 'success';
  let logs: readonly EventLog[] = [];
  try {
    const result = execute(trial, transaction, gas - start, effectiveGasPrice, rules);
    state.become(trial);
    logs = result.logs;
    gasUsed += result.gasUsed;
  } catch (error) {
    if (!(error instanceof Revert)) throw error;
    status = 'reverted';
    gasUsed += error.gasUsed;
  }
  gasUsed = max(gasUsed, floor, (gas * rules.leastPaidPercent) / 100n);
  state.addBalance(from, (gas - gasUsed) * effectiveGasPrice);
  return { transaction, status, gasUsed, effectiveGasPrice, logs };
}

/**
 * Runs a transaction's call, without fees and nonce.
 * @throws {Revert}
 */
export function execute(
  state: State,
  { from, to, data, value }: Pick<Transaction, 'from' | 'to' | 'data' | 'value'>,
  gas: bigint,
  gasPrice: bigint,
  { chainId, number }: Pick<BlockRules, 'chainId' | 'number'>,
) {
  const message: Message = { from, to: to ?? from, data, value, gas, gasPrice, blockNumber: number };
  const result =
    to === null ? create(state, message, lower(keccak256(data).slice(0, 42)), data) : runCall(chainId, state, message);
  if (result.gasUsed > gas) throw new Revert('0x', gas, true);
  return result;
}

function signedHashOf(raw: Hex): Hex {
  const { r: _r, s: _s, v: _v, yParity: _y, ...unsigned } = parseTransaction(raw);
  return keccak256(serializeTransaction(unsigned as never));
}

function lower(address: string): Address {
  return address.toLowerCase() as Address;
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function max(...values: readonly bigint[]): bigint {
  return values.reduce((most, value) => (value > most ? value : most), 0n);
}
