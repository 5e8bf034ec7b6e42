import { formatEther, keccak256, numberToHex, type Hex } from 'viem';
import type { Boundary, Caller } from '../boundary.ts';
import type { Host, WireReply, WireRequest } from '../network.ts';
import type { Random } from '../random.ts';
import type { Head } from './chain.ts';
import { BODY_LIES, inCapitals, isBody, withFalseBody, type BodyLie } from './falsehoods.ts';
import type { Node } from './node.ts';
import type { Peers } from './peers.ts';
import { RpcError } from './rpc-error.ts';
import { receiptJson } from './rpc-json.ts';
import { readTransaction, type Transaction } from './transaction.ts';

interface Call {
  readonly id: number | string;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** Kinds of invalid replies: missing or foreign receipts, heads far ahead, swapped replies, and everything else. */
const LIES = ['receipts', 'heads', 'order', 'others'] as const;
type Lie = (typeof LIES)[number];

/** What a provider does for a while, besides its {@link Lie}s. */
export type Habit =
  /** Falsifies the transactions in the bodies of blocks. */
  | 'false-bodies'
  /** Writes hex digits in capitals. */
  | 'capitals'
  /** Has receipts for some callers only, or only now and then. */
  | 'receipts-partly'
  /** Returns the receipts that it had of blocks which were reorganized out since. */
  | 'old-receipts'
  /** Refuses transactions that may cost more than it allows. */
  | 'fee-cap'
  /** Refuses every transaction, in words that nobody knows. */
  | 'refusal'
  /** Names its newest block by a number that is too high, and returns it for the numbers up to there too. */
  | 'raised-heads'
  /** Counts some transactions of a wallet too many. */
  | 'raised-counts'
  /** Names another base fee. */
  | 'false-fees'
  /** Names another hash for each block, or for each below the newest. */
  | 'false-hashes'
  /** Reports what was executed as reverted. */
  | 'false-receipts'
  /** Is out of order. */
  | 'absent'
  /** Refuses batches. */
  | 'strict'
  /** Shows the chain as it was a while ago. */
  | 'lag';

/** Called with every transaction sent through a provider, before a node sees it. */
type Watch = (raw: unknown) => void;

const REFUSALS = ['transaction rejected by policy', 'backend: sender not served', 'temporarily disabled'] as const;
/** What a driver may ask before it has looked around. */
const MOST_FIRST_LOOKS = 8;

/** An RPC provider: one URL, behind which a node of the chain answers, not always the same one. */
export class Provider implements Host {
  readonly service = 'chain';
  readonly #boundary: Boundary;
  readonly #random: Random;
  readonly #peers: Peers;
  readonly #nodes: readonly [Node, ...Node[]];
  readonly #watch: Watch;
  readonly #batchLimit: number;
  /** Whether it misbehaves in this seed, if any provider does. */
  readonly #isWeak: boolean;
  #liesUntil = 0;
  #lies: readonly Lie[] = [];
  #noReceiptsUntil = 0;
  readonly #habits = new Map<Habit, number>();
  #bodyLies: readonly [BodyLie, ...BodyLie[]] = BODY_LIES;
  #areMixed = false;
  #turnMs = 0;
  #hasReceiptsFor = new Map<string, boolean>();
  #feeCap = 0n;
  #refusal: string = REFUSALS[0];
  #lagMs = 0;
  #aheadBy = 0;
  #countsTooMany = 0;
  #feeFactor = 1;
  #isNewestFalse = false;
  /** Transactions of our wallets that no node has: it may show them in blocks. */
  readonly #unsent: Transaction[] = [];
  /**
   * By how much the next heights are false, how many of them, and whether only those who serve customers are told so.
   */
  #rise: { readonly blocks: number; readonly isForFront: boolean; left: number } | undefined;
  /** Old heads by caller, and how many requests of it are still answered from them. */
  readonly #firstLooks = new Map<string, { readonly head: Head; left: number }>();
  readonly #known = new Set<string>();

  /** @param nodes Those of the peers that answer for it. */
  constructor(
    boundary: Boundary,
    random: Random,
    peers: Peers,
    nodes: readonly [Node, ...Node[]],
    watch: Watch,
    isWeak: boolean,
  ) {
    this.#boundary = boundary;
    this.#random = random;
    this.#peers = peers;
    this.#nodes = nodes;
    this.#watch = watch;
    this.#isWeak = isWeak;
    this.#batchLimit = random.pick([1_000, 1_000, 100, 20, 3]);
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

  /** Takes up a habit until the given time, in a variety of its own. */
  behaveUntil(habit: Habit, time: number): void {
    const random = this.#random;
    this.#habits.set(habit, time);
    this.#bodyLies = random.pick<readonly [BodyLie, ...BodyLie[]]>([
      BODY_LIES,
      ...BODY_LIES.map((lie) => [lie] as const),
    ]);
    this.#areMixed = random.chance(0.3);
    this.#turnMs = random.chance(0.5) ? random.span(500, 20_000) : 0;
    this.#hasReceiptsFor = new Map();
    this.#feeCap = BigInt(Math.floor(random.span(1e15, 1e18)));
    this.#refusal = random.pick(REFUSALS);
    this.#lagMs = random.span(2_000, 300_000);
    this.#aheadBy = random.whole(1, 14);
    this.#countsTooMany = random.whole(1, 3);
    this.#feeFactor = random.pick([0, 0.0001, 0.1, 100, 1_000_000]);
    this.#isNewestFalse = random.chance(0.3);
  }

  /** Lets it know a transaction that was signed and never sent. */
  learn(transaction: Transaction): void {
    this.#unsent.push(transaction);
  }

  /** Makes the heights in the next replies that have one too high. */
  raiseNextHeights(blocks: number, isForFront: boolean, count: number): void {
    this.#rise = { blocks, isForFront, left: count };
  }

  /** A program that knows nothing yet begins, whatever its process has asked before. */
  beginAnew(caller: string): void {
    this.#known.delete(caller);
  }

  /** Whether each of its nodes shows a transaction in a block now. */
  shows(hash: Hex): boolean {
    const now = this.#boundary.scheduler.now();
    return this.#nodes.every(
      (node) => node.answer('eth_getTransactionReceipt', [hash], this.#viewOf(node, now)) !== null,
    );
  }

  /** Ends all faults. */
  heal(): void {
    this.#liesUntil = 0;
    this.#noReceiptsUntil = 0;
    this.#habits.clear();
    this.#rise = undefined;
    this.#firstLooks.clear();
  }

  label({ body }: WireRequest): string {
    const calls = callsOf(body);
    const counts = Map.groupBy(calls, ({ method }) => method);
    return Array.from(counts, ([method, own]) => (own.length === 1 ? method : `${own.length} ${method}`)).join(', ');
  }

  answer({ body }: WireRequest, from: Caller): WireReply {
    const now = this.#boundary.scheduler.now();
    this.#peers.chain.advance(now);
    if (this.#does('absent', now)) return { status: 503, body: 'no healthy backend' };
    const calls = callsOf(body);
    const isBatch = body.startsWith('[');
    if (isBatch && (calls.length > this.#batchLimit || this.#does('strict', now))) {
      return {
        status: 200,
        body: JSON.stringify({ jsonrpc: '2.0', error: { code: -32_600, message: 'batch too large' } }),
      };
    }
    // Two answers to two requests may come from two nodes: a provider that takes no batches must have one node, or
    // nobody could tell a branch.
    const node = this.#does('strict', now) ? this.#nodes[0] : this.#random.pick(this.#nodes);
    const head = this.#headFor(node, from, now);
    this.#peers.noteShown(head);
    const replies = calls.map((call) => this.#reply(node, head, call, from, now));
    const mangled = isBatch && this.#isLying('order', now) ? this.#mangled(replies) : replies;
    const reply = isBatch ? mangled : mangled[0];
    const isInCapitals = this.#does('capitals', now);
    return {
      status: 200,
      body: JSON.stringify(isInCapitals ? inCapitals(reply, this.#random, this.#areMixed) : reply),
    };
  }

  #does(habit: Habit, now: number): boolean {
    return now < (this.#habits.get(habit) ?? 0);
  }

  /** What the node shows of the chain: its own view, except to callers that may be new. */
  #headFor(node: Node, { name }: Caller, now: number): Head {
    if (!this.#known.has(name)) this.#firstLook(name, node, now);
    const look = this.#firstLooks.get(name);
    if (look !== undefined && look.left > 0) {
      look.left -= 1;
      return look.head;
    }
    return this.#viewOf(node, now);
  }

  #viewOf(node: Node, now: number): Head {
    return node.view(this.#does('lag', now) ? now - this.#lagMs : now);
  }

  /** Decides what a new caller sees at first: sometimes an abandoned branch, or the chain as it was long ago. */
  #firstLook(name: string, node: Node, now: number): void {
    const { faults, trace } = this.#boundary;
    this.#known.add(name);
    this.#firstLooks.delete(name);
    if (!this.#isWeak || !faults.happens('stale-first-look')) return;
    const before = node.view(now - this.#random.span(5_000, 600_000));
    const head = this.#random.chance(0.5) ? (this.#peers.lastAbandoned ?? before) : before;
    this.#firstLooks.set(name, { head, left: this.#random.whole(1, MOST_FIRST_LOOKS) });
    trace.add(`${name} is first shown block ${head.number}`);
  }

  #reply(node: Node, head: Head, { id, method, params }: Call, from: Caller, now: number): object {
    if (method === 'eth_sendRawTransaction') this.#watch(params[0]);
    try {
      if (method === 'eth_sendRawTransaction') this.#checkPolicy(params[0], now);
      const isHidden = method === 'eth_getTransactionReceipt' && this.#areReceiptsHidden(from, now);
      const result = isHidden ? null : this.#answer(node, method, params, head, now);
      const raised = this.#raised(method, params, result, from);
      return { jsonrpc: '2.0', id, result: this.#lie(method, this.#falsified(raised, now), now) };
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      const { code, message, data } = error;
      return { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } };
    }
  }

  #oldReceipt(hash: unknown): object | undefined {
    const { chain } = this.#peers;
    const orphans = chain.busyBlocks.filter((block) => chain.block(block.number) !== block);
    return orphans
      .flatMap((block) => block.mined.map((mined) => ({ block, mined })))
      .filter(({ mined }) => mined.transaction.hash === hash)
      .map(({ block, mined }) => receiptJson(block, mined))
      .at(-1);
  }

  /** What the node says, or what the provider makes of its blocks and receipts. */
  #answer(node: Node, method: string, params: readonly unknown[], head: Head, now: number): unknown {
    const ahead = this.#does('raised-heads', now) ? this.#aheadBy : 0;
    const [height] = params;
    const isLatest = height === 'latest';
    const number = isLatest ? head.number : Number(height);
    if (method === 'eth_getTransactionReceipt' && this.#does('old-receipts', now)) {
      return this.#oldReceipt(params[0]) ?? node.answer(method, params, head);
    }
    if (method === 'eth_getTransactionReceipt' && this.#does('false-receipts', now)) {
      const receipt = node.answer(method, params, head);
      return typeof receipt === 'object' && receipt !== null ? { ...receipt, status: '0x0', logs: [] } : receipt;
    }
    if (method === 'eth_getTransactionCount' && this.#does('raised-counts', now)) {
      return numberToHex(BigInt(String(node.answer(method, params, head))) + BigInt(this.#countsTooMany));
    }
    if (method !== 'eth_getBlockByNumber') return node.answer(method, params, head);
    const isNewest = number >= head.number && number <= head.number + ahead;
    const block = node.answer(method, isNewest ? ['latest', params[1]] : params, head);
    if (typeof block !== 'object' || block === null || !('hash' in block) || !('baseFeePerGas' in block)) return block;
    const named = isNewest && ahead > 0 ? { number: numberToHex(isLatest ? number + ahead : number) } : {};
    const fee = Math.round(Number(block.baseFeePerGas) * this.#feeFactor);
    return {
      ...block,
      ...named,
      ...(this.#does('false-fees', now) ? { baseFeePerGas: numberToHex(BigInt(fee)) } : {}),
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as nodes write it
      ...(this.#does('false-hashes', now) && (!isNewest || this.#isNewestFalse)
        ? { hash: keccak256(block.hash as Hex) }
        : {}),
    };
  }

  /**
   * Refuses what the provider does not pass on to its nodes, with geth's message for its RPCTxFeeCap.
   * @throws {RpcError}
   */
  #checkPolicy(raw: unknown, now: number): void {
    if (this.#does('refusal', now)) throw new RpcError(-32_000, this.#refusal);
    if (!this.#does('fee-cap', now)) return;
    const { gas, maxFeePerGas } = readTransaction(raw as Hex, this.#peers.chain.rules.id);
    if (gas * maxFeePerGas <= this.#feeCap) return;
    const [fee, cap] = [gas * maxFeePerGas, this.#feeCap].map((wei) => Number(formatEther(wei)).toFixed(2));
    throw new RpcError(-32_000, `tx fee (${fee} ether) exceeds the configured cap (${cap} ether)`);
  }

  #areReceiptsHidden({ name }: Caller, now: number): boolean {
    if (now < this.#noReceiptsUntil) return true;
    if (!this.#does('receipts-partly', now)) return false;
    if (this.#turnMs > 0) return Math.floor(now / this.#turnMs) % 2 === 0;
    const known = this.#hasReceiptsFor.get(name) ?? this.#random.chance(0.5);
    this.#hasReceiptsFor.set(name, known);
    return !known;
  }

  /** A height, or the head, with a number that is too high. */
  #raised(method: string, params: readonly unknown[], result: unknown, { name }: Caller): unknown {
    if (this.#rise === undefined || (this.#rise.isForFront && !name.startsWith('front'))) return result;
    const { blocks } = this.#rise;
    const raise = (height: unknown) => `0x${(BigInt(String(height)) + BigInt(blocks)).toString(16)}`;
    const isHead = method === 'eth_getBlockByNumber' && params[0] === 'latest';
    if (method !== 'eth_blockNumber' && !isHead) return result;
    this.#rise.left -= 1;
    if (this.#rise.left === 0) this.#rise = undefined;
    this.#boundary.trace.add(`${name} is told a height ${blocks} too high`);
    if (method === 'eth_blockNumber') return raise(result);
    return typeof result === 'object' && result !== null && 'number' in result
      ? { ...result, number: raise(result.number) }
      : result;
  }

  #falsified(result: unknown, now: number): unknown {
    if (!this.#does('false-bodies', now) || !isBody(result) || this.#random.chance(0.3)) return result;
    return withFalseBody(
      result,
      this.#random.pick(this.#bodyLies),
      [...this.#peers.accepted, ...this.#unsent],
      this.#random,
    );
  }

  #isLying(lie: Lie, now: number): boolean {
    return now < this.#liesUntil && this.#lies.includes(lie);
  }

  /**
   * Corrupts a reply in a way that callers must tolerate; never into a false revert, which is indistinguishable from a
   * real one.
   */
  #lie(method: string, result: unknown, now: number): unknown {
    if (now >= this.#liesUntil || method === 'eth_sendRawTransaction' || this.#random.chance(0.5)) return result;
    if (method === 'eth_getTransactionReceipt') {
      if (!this.#isLying('receipts', now)) return result;
      // No receipt, or that of another transaction.
      const other = this.#random.pickAny(this.#peers.chain.mined());
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
}

function callsOf(body: string): Call[] {
  const calls = [JSON.parse(body) as Omit<Call, 'params'> | Omit<Call, 'params'>[]].flat();
  return calls.map((call) => ({ params: [], ...call }));
}
