import type { Boundary } from '../boundary.ts';
import type { Random } from '../random.ts';
import { Chain, type Block, type ChainRules, type Head } from './chain.ts';
import { Node } from './node.ts';
import { RpcError } from './rpc-error.ts';
import type { Transaction } from './transaction.ts';

/** The nodes of a chain: they pass on orders, produce the blocks, and do not always agree. */
export class Peers {
  readonly chain: Chain;
  readonly nodes: readonly [Node, ...Node[]];
  readonly #boundary: Boundary;
  readonly #random: Random;
  /** The branches that were reorganized out, newest last. */
  readonly #abandoned: Head[] = [];
  /** The highest block that a node had when it answered. */
  #highestShown = 0;
  /** All transactions that a node ever accepted, by sender and nonce. */
  readonly #accepted = new Map<string, Set<Transaction>>();

  constructor(boundary: Boundary, random: Random, rules: ChainRules) {
    this.#boundary = boundary;
    this.#random = random;
    this.chain = new Chain(rules, random, boundary.scheduler.now(), (state) => this.#candidates(state));
    const limits = {
      size: 4_096,
      queuedOfAccount: 64,
      priceBumpPercent: 10n,
      leastTip: 1n,
      blockGasLimit: rules.blockGasLimit,
    };
    const node = (index: number) =>
      new Node(`node-${index}`, this.chain, limits, random.fork(`node ${index}`), (from, transaction) =>
        this.#gossip(from, transaction),
      );
    const others = Array.from({ length: random.whole(0, 3) }, (_, index) => node(index + 1));
    this.nodes = [node(0), ...others];
    if (boundary.faults.isImpatient) for (const one of this.nodes) one.lagMs = 0;
  }

  /** The nodes that a provider has to itself, as far as there are enough. */
  nodesOf(provider: number): readonly [Node, ...Node[]] {
    const [first, ...others] = this.nodes.filter((_, index) => index % 2 === provider % 2);
    return first === undefined ? this.nodes : [first, ...others];
  }

  /** Ends all node faults. */
  heal(): void {
    for (const node of this.nodes) {
      node.stalledAt = undefined;
      node.ownBranch = undefined;
      node.lagMs = Math.min(node.lagMs, 2_000);
    }
  }

  /** Reorganizes blocks out; their transactions return to the pools that remember them. */
  reorganize(): void {
    const { scheduler, trace, faults } = this.#boundary;
    const { orphans, abandoned, growth } = this.chain.reorganize(scheduler.now());
    trace.add(`chain ${this.chain.rules.id}: reorganization, ${orphans.length} transactions orphaned`);
    const last = abandoned.at(-1);
    if (growth > 0 && last !== undefined) {
      this.#abandoned.push({ at: scheduler.now(), branch: abandoned, number: last.number });
    }
    for (const node of this.nodes) {
      for (const transaction of orphans) if (this.#random.chance(0.8)) this.#addTo(node, transaction);
      this.#reloadJournal(node);
      if (growth > 0 && faults.happens('node-left-behind')) this.#leaveBehind(node, abandoned, growth);
    }
  }

  /** The branch that was reorganized out last. */
  get lastAbandoned(): Head | undefined {
    return this.#abandoned.at(-1);
  }

  /** Every transaction that a node has accepted, mined or not. */
  get accepted(): readonly Transaction[] {
    return [...this.#accepted.values()].flatMap((alternatives) => [...alternatives]);
  }

  /** A node stays for a while on a branch that the others have abandoned, and which gets a few more blocks. */
  #leaveBehind(node: Node, abandoned: readonly Block[], growth: number): void {
    const { scheduler, trace } = this.#boundary;
    let branch = abandoned;
    trace.add(`${node.name} stays on block ${branch.at(-1)?.number} of the abandoned branch`);
    node.ownBranch = branch;
    const isThere = () => node.ownBranch === branch;
    const grow = (left: number) => {
      if (!isThere() || left === 0) return;
      const isEmpty = this.#random.chance(0.5);
      branch = this.chain.grow(branch, scheduler.now(), (state) => (isEmpty ? [] : node.pool.executable(state)));
      node.ownBranch = branch;
      scheduler.after(this.chain.rules.blockTimeMs, () => grow(left - 1));
    };
    grow(growth);
    scheduler.after(this.#random.span(1_000, 120_000), () => {
      if (isThere()) node.ownBranch = undefined;
    });
  }

  /** Notes the head of a node that answers a request. */
  noteShown({ number }: Head): void {
    this.#highestShown = Math.max(this.#highestShown, number);
  }

  /**
   * The number of the highest block that a node has, or had when it answered: a node that was on a longer branch may
   * have left it since, and its callers cannot know.
   */
  highest(now: number): number {
    return Math.max(this.#highestShown, this.chain.head.number, ...this.nodes.map((node) => node.view(now).number));
  }

  /** Puts earlier transactions that can be mined again back into a pool, as nodes do from their journals. */
  #reloadJournal(node: Node): void {
    const { state } = this.chain.head;
    for (const transaction of this.accepted) {
      const isOpen = transaction.nonce >= state.account(transaction.from).nonce;
      if (isOpen && this.#random.chance(0.3)) this.#addTo(node, transaction);
    }
  }

  #gossip(from: Node, transaction: Transaction): void {
    const { scheduler, faults } = this.#boundary;
    const key = nonceKeyOf(transaction);
    this.#accepted.set(key, (this.#accepted.get(key) ?? new Set()).add(transaction));
    for (const node of this.nodes) {
      if (node === from || faults.happens('gossip-lost')) continue;
      scheduler.after(this.#random.span(1, 2_000), () => {
        this.chain.advance(scheduler.now());
        this.#addTo(node, transaction);
      });
    }
  }

  #addTo(node: Node, transaction: Transaction): void {
    try {
      node.pool.add(transaction, this.chain.head.state);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
    }
  }

  #candidates(state: Parameters<Node['pool']['executable']>[0]): Transaction[][] {
    const { pool } = this.#random.pick(this.nodes);
    pool.prune(state);
    const rows = this.#random.shuffled(pool.executable(state));
    return rows.map((row) => row.map((transaction) => this.#alternativeOf(transaction)));
  }

  /** A block producer may know only some of the transactions with a nonce. */
  #alternativeOf(transaction: Transaction): Transaction {
    if (!this.#boundary.faults.happens('replaced-attempt-mined')) return transaction;
    const alternatives = [...(this.#accepted.get(nonceKeyOf(transaction)) ?? [])];
    return this.#random.pickAny(alternatives.filter((one) => one.maxFeePerGas >= this.chain.baseFee)) ?? transaction;
  }
}

function nonceKeyOf({ from, nonce }: Transaction): string {
  return `${from} ${nonce}`;
}
