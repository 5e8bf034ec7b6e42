import type { Address, Hex } from 'viem';
import { RpcError } from './rpc-error.ts';
import type { State } from './state.ts';
import { intrinsicGas, type Transaction } from './transaction.ts';

export interface PoolLimits {
  /** The most transactions in total. */
  readonly size: number;
  /**
   * The most queued transactions of one account behind a nonce gap; more are dropped although the node returned their
   * hash.
   */
  readonly queuedOfAccount: number;
  /** The minimum increase of both fees for a replacement, in percent. */
  readonly priceBumpPercent: bigint;
  /** The minimum fee, in wei. */
  readonly leastTip: bigint;
  readonly blockGasLimit: bigint;
}

/** A node's pending and queued transactions. */
export class Pool {
  readonly #limits: PoolLimits;
  readonly #byAccount = new Map<Address, Map<number, Transaction>>();

  constructor(limits: PoolLimits) {
    this.#limits = limits;
  }

  /**
   * Adds a transaction, or rejects it as a node does. A transaction too far behind a gap is dropped silently.
   * @param state The state as the node sees it.
   * @throws {RpcError}
   */
  add(transaction: Transaction, state: State): void {
    this.#check(transaction, state);
    const own = this.#byAccount.get(transaction.from) ?? new Map<number, Transaction>();
    const rival = own.get(transaction.nonce);
    if (rival?.hash === transaction.hash) throw new RpcError(-32_000, 'already known');
    if (rival !== undefined && !this.#outbids(transaction, rival)) {
      throw new RpcError(-32_000, 'replacement transaction underpriced');
    }
    if (rival === undefined && this.#count() >= this.#limits.size) throw new RpcError(-32_000, 'txpool is full');
    if (rival === undefined && this.#isBehindGap(own, transaction, state)) {
      const nonce = this.nextNonce(transaction.from, state);
      const queued = [...own.keys()].filter((other) => other > nonce).length;
      if (queued >= this.#limits.queuedOfAccount) return;
    }
    own.set(transaction.nonce, transaction);
    this.#byAccount.set(transaction.from, own);
  }

  /** The nonce after those of an account that stand in a row, pool included. */
  nextNonce(address: Address, state: State): number {
    const own = this.#byAccount.get(address);
    let { nonce } = state.account(address);
    while (own?.has(nonce) === true) nonce += 1;
    return nonce;
  }

  find(hash: Hex): Transaction | undefined {
    return this.all().find((transaction) => transaction.hash === hash);
  }

  all(): Transaction[] {
    return [...this.#byAccount.values()].flatMap((own) => [...own.values()]);
  }

  /** Of each account with any, what stands in a row from its nonce, lowest first. */
  executable(state: State): Transaction[][] {
    return Array.from(this.#byAccount, ([address, own]) => {
      const row: Transaction[] = [];
      let { nonce } = state.account(address);
      for (let next = own.get(nonce); next !== undefined; next = own.get(nonce)) {
        row.push(next);
        nonce += 1;
      }
      return row;
    }).filter((row) => row.length > 0);
  }

  /** Drops what a block has made useless. */
  prune(state: State): void {
    for (const [address, own] of this.#byAccount) {
      const { nonce } = state.account(address);
      for (const used of [...own.keys()].filter((other) => other < nonce)) own.delete(used);
      if (own.size === 0) this.#byAccount.delete(address);
    }
  }

  clear(): void {
    this.#byAccount.clear();
  }

  #check(transaction: Transaction, state: State): void {
    const { nonce, balance } = state.account(transaction.from);
    const { start, floor } = intrinsicGas(transaction);
    const cost = transaction.gas * transaction.maxFeePerGas + transaction.value;
    if (transaction.gas > this.#limits.blockGasLimit) throw new RpcError(-32_000, 'exceeds block gas limit');
    if (transaction.maxPriorityFeePerGas > transaction.maxFeePerGas) {
      throw new RpcError(-32_000, 'max priority fee per gas higher than max fee per gas');
    }
    if (transaction.gas < start) {
      throw new RpcError(-32_000, `intrinsic gas too low: gas ${transaction.gas}, minimum needed ${start}`);
    }
    if (transaction.gas < floor) {
      throw new RpcError(
        -32_000,
        `insufficient gas for floor data gas cost: gas ${transaction.gas}, minimum needed ${floor}`,
      );
    }
    if (transaction.nonce < nonce) {
      throw new RpcError(-32_000, `nonce too low: next nonce ${nonce}, tx nonce ${transaction.nonce}`);
    }
    if (transaction.maxPriorityFeePerGas < this.#limits.leastTip) {
      throw new RpcError(-32_000, `transaction underpriced: gas tip cap ${transaction.maxPriorityFeePerGas}`);
    }
    if (balance < cost) {
      throw new RpcError(-32_000, `insufficient funds for gas * price + value: balance ${balance}, tx cost ${cost}`);
    }
  }

  #outbids(transaction: Transaction, rival: Transaction): boolean {
    const least = (fee: bigint) => (fee * (100n + this.#limits.priceBumpPercent)) / 100n;
    return (
      transaction.maxFeePerGas >= least(rival.maxFeePerGas) &&
      transaction.maxPriorityFeePerGas >= least(rival.maxPriorityFeePerGas)
    );
  }

  #isBehindGap(own: ReadonlyMap<number, Transaction>, { from, nonce }: Transaction, state: State): boolean {
    for (let other = state.account(from).nonce; other < nonce; other += 1) if (!own.has(other)) return true;
    return false;
  }

  #count(): number {
    return [...this.#byAccount.values()].reduce((count, own) => count + own.size, 0);
  }
}
