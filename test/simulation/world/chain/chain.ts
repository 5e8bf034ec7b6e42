import { createHash } from 'node:crypto';
import type { Address, Hex } from 'viem';
import type { Random } from '../random.ts';
import { State } from './state.ts';
import { mine, obstacle, type BlockRules, type Mined, type Transaction } from './transaction.ts';

export interface ChainRules {
  /** Decimal. */
  readonly id: string;
  readonly blockTimeMs: number;
  readonly blockGasLimit: bigint;
  /** The depth from which a block is final. */
  readonly finality: number;
  readonly leastPaidPercent: bigint;
  /** The initial base fee, in wei per gas. */
  readonly baseFee: bigint;
  /** Of how many blocks nodes return the logs at most; absent: of any number. */
  readonly mostLogBlocks?: number;
  /** By how many milliseconds the timestamps of blocks are late. */
  readonly clockMs: number;
}

export interface Block {
  readonly number: number;
  readonly hash: Hex;
  readonly parentHash: Hex;
  /** Virtual milliseconds since the epoch. */
  readonly at: number;
  readonly baseFee: bigint;
  readonly mined: readonly Mined[];
  /** The state after the block. */
  readonly state: State;
}

/** A branch up to a block, which a node may consider canonical. */
export interface Head {
  /** When it became the chain's head. */
  readonly at: number;
  /** By number, from {@link Chain.firstNumber}; later blocks may follow. */
  readonly branch: readonly Block[];
  readonly number: number;
}

interface Reorganization {
  readonly orphans: Transaction[];
  readonly abandoned: readonly Block[];
  readonly growth: number;
}

/** The transactions that a block producer may choose from. */
type Candidates = (state: State) => Transaction[][];

const PROXY: Address = '0x4e59b44847b379578588920ca78fbf26c0b4956c';
/** The deepest reorganization, whatever the finality. */
const DEEPEST = 8;
/**
 * How many blocks an abandoned branch may get: no block is final in it that another reorganization may take out of the
 * chain.
 */
const MAX_ABANDONED = 3;

/**
 * A chain with scheduled blocks. Blocks are produced lazily when the chain is read, exactly as they would have been on
 * time, because nothing can change in between.
 */
export class Chain {
  readonly firstNumber = 0;
  readonly rules: ChainRules;
  /** Every change of the head, oldest first. */
  readonly heads: Head[];
  /** The blocks with transactions of every branch. */
  readonly busyBlocks: Block[] = [];
  /** Deposits and withdrawals from outside, and the state after each. */
  readonly #deposits: { readonly address: Address; readonly wei: bigint; state: State }[] = [];
  readonly #random: Random;
  readonly #candidates: Candidates;
  readonly #private: Transaction[] = [];
  /** Transactions that were never in a pool, so nobody sends them again. */
  readonly #neverPooled = new Set<Transaction>();
  #branch: Block[];
  #nextAt: number;
  #haltedUntil = 0;
  #baseFee: bigint;
  #tip = 1_000_000_000n;
  #leastTip = 0n;
  #hashes = 0;

  /** @param candidates The pool of the node that produces the block. */
  constructor(rules: ChainRules, random: Random, now: number, candidates: Candidates) {
    this.rules = rules;
    this.#random = random.fork(`chain ${rules.id}`);
    this.#candidates = candidates;
    this.#baseFee = rules.baseFee;
    const state = new State();
    state.setContract(PROXY, { kind: 'proxy' });
    const genesis = {
      number: this.firstNumber,
      parentHash: this.#newHash(),
      at: now,
      baseFee: rules.baseFee,
      mined: [],
    };
    this.#branch = [{ ...genesis, hash: this.#newHash(), state }];
    this.heads = [{ at: now, branch: this.#branch, number: this.firstNumber }];
    this.#nextAt = now + rules.blockTimeMs;
  }

  get head(): Block {
    const head = this.#branch.at(-1);
    if (head === undefined) throw new Error('A chain has its first block');
    return head;
  }

  block(number: number): Block | undefined {
    return this.#branch[number - this.firstNumber];
  }

  /** Every transaction of the canonical chain, oldest first. */
  mined(): { readonly block: Block; readonly mined: Mined }[] {
    return this.busyBlocks
      .filter((block) => this.block(block.number) === block)
      .toSorted((a, b) => a.number - b.number)
      .flatMap((block) => block.mined.map((mined) => ({ block, mined })));
  }

  /** Makes the blocks that are due. */
  advance(now: number): void {
    while (this.#nextAt <= now) {
      const at = this.#nextAt;
      this.#nextAt += this.rules.blockTimeMs;
      if (at >= this.#haltedUntil) this.#produce(at);
    }
  }

  /** Makes several blocks at once. */
  leap(now: number, blocks: number): void {
    for (let count = 0; count < blocks; count += 1) this.#produce(now);
  }

  /** Makes no blocks until a time. */
  halt(until: number): void {
    this.#haltedUntil = until;
  }

  /** The base fee of the blocks to come, in wei. */
  setBaseFee(baseFee: bigint): void {
    this.#baseFee = baseFee;
  }

  get baseFee(): bigint {
    return this.#baseFee;
  }

  /** What nodes suggest and producers ask for from now on, in wei per gas. Before, they take any tip. */
  setTip(tip: bigint): void {
    this.#tip = tip;
    this.#leastTip = tip;
  }

  /** The suggested tip. */
  get tip(): bigint {
    return this.#tip;
  }

  /** Puts a transaction that was never in a pool first in the next block, if it is valid there. */
  include(transaction: Transaction): void {
    this.#private.push(transaction);
    this.#neverPooled.add(transaction);
  }

  /** Adds coins to an account, or removes them, from the next block on. */
  deposit(address: Address, wei: bigint): void {
    const { state } = this.head;
    state.addBalance(address, wei);
    this.#deposits.push({ address, wei, state });
  }

  /** Wei that an account was given in all, less what was taken. */
  deposited(address: Address): bigint {
    return this.#deposits.reduce((sum, one) => (one.address === address ? sum + one.wei : sum), 0n);
  }

  /** Sets up accounts and contracts before the first block. */
  prepare(act: (state: State) => void): void {
    act(this.head.state);
  }

  /**
   * Takes blocks back and puts as many others in their place, and one more.
   * @returns the transactions that were taken back; the abandoned branch, and how many blocks it may get.
   */
  reorganize(now: number): Reorganization {
    const abandoned = this.#branch;
    const deepest = Math.min(this.rules.finality - 1, DEEPEST, this.#branch.length - 1);
    if (deepest < 1) return { orphans: [], abandoned, growth: 0 };
    const depth = this.#random.whole(1, deepest);
    const taken = this.#branch.slice(-depth);
    this.#branch = this.#branch.slice(0, -depth);
    this.#depositAgain();
    const areForgotten = this.#random.chance(0.6);
    const orphans = taken
      .flatMap(({ mined }) => mined.map(({ transaction }) => transaction))
      .filter((transaction) => !areForgotten || !this.#neverPooled.has(transaction));
    const kept = this.#random.shuffled(orphans).filter(() => this.#random.chance(0.6));
    for (let count = 0; count <= depth; count += 1) {
      const rows = kept.filter(() => this.#random.chance(0.7)).toSorted((a, b) => a.nonce - b.nonce);
      this.#append(now, (state) =>
        rows.filter(({ nonce, from }) => nonce >= state.account(from).nonce).map((one) => [one]),
      );
    }
    return { orphans, abandoned, growth: Math.min(MAX_ABANDONED, this.rules.finality - 1 - depth) };
  }

  /** Another block of a branch that is not the chain's. */
  grow(branch: readonly Block[], at: number, candidates: Candidates): readonly Block[] {
    const parent = branch.at(-1);
    return parent === undefined ? branch : [...branch, this.#makeBlock(parent, at, candidates)];
  }

  /** Deposits are not transactions, so those in reorganized blocks count too. */
  #depositAgain(): void {
    const { state } = this.head;
    const kept = new Set(this.#branch.map((block) => block.state));
    for (const deposit of this.#deposits.filter((one) => !kept.has(one.state))) {
      state.addBalance(deposit.address, deposit.wei);
      deposit.state = state;
    }
  }

  #produce(at: number): void {
    this.#append(at, (state) => {
      const waiting = this.#private.splice(0).map((transaction) => [transaction]);
      return [...waiting, ...this.#candidates(state)];
    });
  }

  #append(at: number, candidates: Candidates): void {
    const block = this.#makeBlock(this.head, at, candidates);
    this.#branch.push(block);
    this.heads.push({ at, branch: this.#branch, number: block.number });
  }

  #makeBlock(parent: Block, at: number, candidates: Candidates): Block {
    const rules: BlockRules = {
      chainId: this.rules.id,
      number: parent.number + 1,
      baseFee: this.#baseFee,
      leastPaidPercent: this.rules.leastPaidPercent,
    };
    const rows = candidates(parent.state);
    const state = rows.length === 0 ? parent.state : parent.state.copy();
    const mined = this.#fill(state, rows, rules);
    const block: Block = {
      number: rules.number,
      hash: this.#newHash(),
      parentHash: parent.hash,
      at,
      baseFee: rules.baseFee,
      mined,
      state,
    };
    if (mined.length > 0) this.busyBlocks.push(block);
    return block;
  }

  /** Takes from each row in turn, the first of the row first, until the block is full. */
  #fill(state: State, rows: readonly (readonly Transaction[])[], rules: BlockRules): Mined[] {
    const mined: Mined[] = [];
    let gasLeft = this.rules.blockGasLimit;
    for (const row of rows) {
      for (const transaction of row) {
        if (transaction.gas > gasLeft || obstacle(state, transaction, rules.baseFee) !== undefined) break;
        if (tipOf(transaction, rules.baseFee) < this.#leastTip) break;
        const one = mine(state, transaction, rules);
        gasLeft -= one.gasUsed;
        mined.push(one);
      }
    }
    return mined;
  }

  #newHash(): Hex {
    this.#hashes += 1;
    return `0x${createHash('sha256').update(`${this.rules.id} ${this.#hashes}`).digest('hex')}`;
  }
}

/** What the producer of a block gets per gas. */
function tipOf({ maxFeePerGas, maxPriorityFeePerGas }: Transaction, baseFee: bigint): bigint {
  const rest = maxFeePerGas - baseFee;
  return rest < maxPriorityFeePerGas ? rest : maxPriorityFeePerGas;
}
