import type { Boundary } from '../boundary.ts';
import type { Host, WireReply, WireRequest } from '../network.ts';
import type { Random } from '../random.ts';
import { Chain } from './chain.ts';
import type { Block, ChainRules } from './chain.ts';
import { Node } from './node.ts';
import { RpcError } from './rpc-error.ts';
import { receiptJson } from './rpc-json.ts';
import type { Transaction } from './transaction.ts';

interface Call {
  readonly id: number | string;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** Kinds of invalid replies: missing or foreign receipts, heads far ahead, swapped replies, and everything else. */
const LIES = ['receipts', 'heads', 'order', 'others'] as const;
type Lie = (typeof LIES)[number];

/** Called with every transaction sent through the provider, before a node sees it. */
type Watch = (raw: unknown) => void;

/** A chain's RPC provider: one URL for several nodes that do not always agree. */
export class Provider implements Host {
  readonly service = 'chain';
  readonly chain: Chain;
  readonly nodes: readonly [Node, ...Node[]];
  readonly #boundary: Boundary;
  readonly #random: Random;
  readonly #batchLimit: number;
  readonly #watch: Watch;
  #liesUntil = 0;
  #lies: readonly Lie[] = [];
  #noReceiptsUntil = 0;
  /** The highest block that a node had when it answered. */
  #highestShown = 0;
  /** All transactions that a node ever accepted, by sender and nonce. */
  readonly #accepted = new Map<string, Set<Transaction>>();

  constructor(boundary: Boundary, random: Random, rules: ChainRules, watch: Watch) {
    this.#boundary = boundary;
    this.#random = random.fork(`provider ${rules.id}`);
    this.#watch = watch;
    const now = boundary.scheduler.now();
    this.#batchLimit = this.#random.pick([1_000, 1_000, 100, 20, 3]);
    this.chain = new Chain(rules, this.#random, now, (state) => this.#candidates(state));
    const limits = {
      size: 4_096,
      queuedOfAccount: 64,
      priceBumpPercent: 10n,
      leastTip: 1n,
      blockGasLimit: rules.blockGasLimit,
    };
    const node = (index: number) =>
      new Node(`node-${index}`, this.chain, limits, this.#random.fork(`node ${index}`), (from, transaction) =>
        this.#gossip(from, transaction),
      );
    const others = Array.from({ length: this.#random.whole(0, 3) }, (_, index) => node(index + 1));
    this.nodes = [node(0), ...others];
    if (boundary.faults.isImpatient) for (const one of this.nodes) one.lagMs = 0;
  }

  /** Corrupts replies until the given time, of all kinds or only of one. */
  lieUntil(time: number): void {
    this.#liesUntil = time;
    this.#lies = this.#random.pick<readonly Lie[]>([LIES, ...LIES.map((lie) => [lie])]);
  }

  /** No node returns receipts until the given time, as if its index lagged behind its blocks. */
  hideReceiptsUntil(time: number): void {
    this.#noReceiptsUntil = time;
  }

  /** Ends all node faults. */
  heal(): void {
    this.#liesUntil = 0;
    this.#noReceiptsUntil = 0;
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
    for (const node of this.nodes) {
      for (const transaction of orphans) if (this.#random.chance(0.8)) this.#addTo(node, transaction);
      this.#reloadJournal(node);
      if (growth > 0 && faults.happens('node-left-behind')) this.#leaveBehind(node, abandoned, growth);
    }
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

  /**
   * The number of the highest block that a node has, or had when it answered: a node that was on a longer branch may have left it since, and its
   * callers cannot know.
   */
  highest(now: number): number {
    return Math.max(this.#highestShown, this.chain.head.number, ...this.nodes.map((node) => node.view(now).number));
  }

  label({ body }: WireRequest): string {
    const calls = callsOf(body);
    const counts = Map.groupBy(calls, ({ method }) => method);
    return Array.from(counts, ([method, own]) => (own.length === 1 ? method : `${own.length} ${method}`)).join(', ');
  }

  answer({ body }: WireRequest): WireReply {
    const now = this.#boundary.scheduler.now();
    this.chain.advance(now);
    const calls = callsOf(body);
    const isBatch = body.startsWith('[');
    if (isBatch && calls.length > this.#batchLimit) {
      return {
        status: 200,
        body: JSON.stringify({ jsonrpc: '2.0', error: { code: -32_600, message: 'batch too large' } }),
      };
    }
    const node = this.#random.pick(this.nodes);
    this.#highestShown = Math.max(this.#highestShown, node.view(now).number);
    const replies = calls.map((call) => this.#reply(node, call, now));
    const mangled = isBatch && this.#isLying('order', now) ? this.#mangled(replies) : replies;
    return { status: 200, body: JSON.stringify(isBatch ? mangled : mangled[0]) };
  }

  /** Puts earlier transactions that can be mined again back into a pool, as nodes do from their journals. */
  #reloadJournal(node: Node): void {
    const { state } = this.chain.head;
    for (const alternatives of this.#accepted.values()) {
      for (const transaction of alternatives) {
        const isOpen = transaction.nonce >= state.account(transaction.from).nonce;
        if (isOpen && this.#random.chance(0.3)) this.#addTo(node, transaction);
      }
    }
  }

  #reply(node: Node, { id, method, params }: Call, now: number): object {
    if (method === 'eth_sendRawTransaction') this.#watch(params[0]);
    try {
      const isHidden = method === 'eth_getTransactionReceipt' && now < this.#noReceiptsUntil;
      const result = isHidden ? null : node.answer(method, params, now);
      return { jsonrpc: '2.0', id, result: this.#lie(method, result, now) };
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      const { code, message, data } = error;
      return { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } };
    }
  }

  #isLying(lie: Lie, now: number): boolean {
    return now < this.#liesUntil && this.#lies.includes(lie);
  }

  /** Corrupts a reply in a way that callers must tolerate; never into a false revert, which is indistinguishable from a real one. */
  #lie(method: string, result: unknown, now: number): unknown {
    if (now >= this.#liesUntil || method === 'eth_sendRawTransaction' || this.#random.chance(0.5)) return result;
    if (method === 'eth_getTransactionReceipt') {
      if (!this.#isLying('receipts', now)) return result;
      // No receipt, or that of another transaction.
      const other = this.#random.pickAny(this.chain.mined());
      return other === undefined || this.#random.chance(0.5) ? null : receiptJson(other.block, other.mined);
    }
    if (method === 'eth_getBlockByNumber' && typeof result === 'object' && result !== null) {
      if (!this.#isLying('heads', now)) return result;
      return { ...result, number: '0x7fffffff', timestamp: '0x7fffffff' };
    }
    return this.#isLying('others', now) ? this.#random.pick([null, '0x', {}, 'yes', []]) : result;
  }

  #mangled(replies: readonly object[]): readonly object[] {
    const some = this.#random.chance(0.3) ? replies.slice(1) : replies;
    return this.#random.shuffled(some);
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

function callsOf(body: string): Call[] {
  return [JSON.parse(body) as Call | Call[]].flat();
}
