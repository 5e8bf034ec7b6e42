import { isHex, numberToHex, type Address, type Hex } from 'viem';
import type { Random } from '../random.ts';
import { Revert } from './call.ts';
import type { Block, Chain, Head } from './chain.ts';
import { codeOf } from './machine.ts';
import { Pool, type PoolLimits } from './pool.ts';
import { RpcError } from './rpc-error.ts';
import { blockJson, logJson, receiptJson, transactionJson } from './rpc-json.ts';
import type { State } from './state.ts';
import { execute, intrinsicGas, readTransaction, type Mined, type Transaction } from './transaction.ts';

/** How many blocks back a node keeps the state. */
const STATE_DEPTH = 120;
/** The node's gas cap for calls and estimates. */
const CALL_GAS = 50_000_000n;

interface CallJson {
  readonly from?: Address;
  readonly to?: Address | null;
  readonly data?: Hex;
  readonly input?: Hex;
  readonly value?: Hex;
  readonly gas?: Hex;
  readonly maxFeePerGas?: Hex;
  readonly gasPrice?: Hex;
}

interface FilterJson {
  readonly address?: Address | readonly Address[];
  readonly topics?: readonly (Hex | readonly Hex[] | null)[];
  readonly fromBlock?: string;
  readonly toBlock?: string;
  readonly blockHash?: Hex;
}

/** A block parameter by EIP-1898. */
interface Pinned {
  readonly blockHash: Hex;
  readonly requireCanonical?: boolean;
}

function isPinned(tag: unknown): tag is Pinned {
  return typeof tag === 'object' && tag !== null && 'blockHash' in tag;
}

/** A node with its own pool and a view of the chain that may lag. */
export class Node {
  readonly name: string;
  readonly pool: Pool;
  /** How late it learns of blocks, in milliseconds. */
  lagMs: number;
  /** When it stopped learning of blocks; undefined while it follows the chain. */
  stalledAt: number | undefined;
  /** The branch that it follows in place of the chain's. */
  ownBranch: readonly Block[] | undefined;
  /** Blocks of abandoned branches at which calls, estimates and code were read by number. */
  readonly strayReads: Hex[] = [];
  readonly #chain: Chain;
  readonly #gossip: (from: Node, transaction: Transaction) => void;

  constructor(
    name: string,
    chain: Chain,
    limits: PoolLimits,
    random: Random,
    gossip: (from: Node, transaction: Transaction) => void,
  ) {
    this.name = name;
    this.pool = new Pool(limits);
    this.lagMs = random.chance(0.5) ? 0 : random.span(10, 6_000);
    this.#chain = chain;
    this.#gossip = gossip;
  }

  /** The chain as this node sees it at a time. */
  view(now: number): Head {
    const last = this.ownBranch?.at(-1);
    if (this.ownBranch !== undefined && last !== undefined) {
      return { at: last.at, branch: this.ownBranch, number: last.number };
    }
    const until = Math.min(now - this.lagMs, this.stalledAt ?? Infinity);
    const { heads } = this.#chain;
    for (let index = heads.length - 1; index > 0; index -= 1) {
      const head = heads[index];
      if (head !== undefined && head.at <= until) return head;
    }
    return heads[0]!;
  }

  /**
   * Answers one call.
   * @param rawParams Nodes read hex digits in any case.
   * @param head What the node shows of the chain: its {@link view}, or an earlier one.
   * @throws {RpcError}
   */
  answer(method: string, rawParams: readonly unknown[], head: Head): unknown {
    const params = rawParams.map(inLowerCase);
    switch (method) {
      case 'eth_chainId':
        return numberToHex(Number(this.#chain.rules.id));
      case 'eth_blockNumber':
        return numberToHex(head.number);
      case 'eth_getBlockByNumber':
        return this.#blockByNumber(head, params[0], params[1] === true);
      case 'eth_getBlockByHash':
        return this.#blockByHash(head, params[0], params[1] === true);
      case 'eth_gasPrice':
        return numberToHex(this.#chain.baseFee + this.#chain.tip);
      case 'eth_maxPriorityFeePerGas':
        return numberToHex(this.#chain.tip);
      case 'eth_getTransactionCount':
        return numberToHex(this.#count(head, lower(params[0]), params[1]));
      case 'eth_getBalance':
        return numberToHex(this.#stateAt(head, params[1]).state.account(lower(params[0])).balance);
      case 'eth_getCode':
        return codeOf(this.#codeStateAt(head, params[1]).state.contract(lower(params[0])));
      case 'eth_call':
        return this.#call(head, params[0] as CallJson, params[1]);
      case 'eth_estimateGas':
        return numberToHex(this.#estimate(head, params[0] as CallJson, params[1]));
      case 'eth_sendRawTransaction':
        return this.#send(head, params[0]);
      case 'eth_getTransactionReceipt': {
        const found = this.#findMined(head, params[0]);
        return found === undefined ? null : receiptJson(found.block, found.mined);
      }
      case 'eth_getTransactionByHash': {
        const found = this.#findMined(head, params[0]);
        if (found !== undefined) return transactionJson(found.mined.transaction, found.block);
        const waiting = this.pool.find(params[0] as Hex);
        return waiting === undefined ? null : transactionJson(waiting, undefined);
      }
      case 'eth_getLogs':
        return this.#logs(head, params[0] as FilterJson);
      default:
        throw new RpcError(-32_601, `the method ${method} does not exist/is not available`);
    }
  }

  #send(head: Head, raw: unknown): Hex {
    if (!isHex(raw)) throw new RpcError(-32_602, 'invalid argument 0: not hex');
    let transaction: Transaction;
    try {
      transaction = readTransaction(raw, this.#chain.rules.id);
    } catch (error) {
      throw new RpcError(-32_000, error instanceof Error ? error.message : String(error));
    }
    const { state } = this.#blockAt(head, head.number);
    this.pool.prune(state);
    this.pool.add(transaction, state);
    this.#gossip(this, transaction);
    return transaction.hash;
  }

  #count(head: Head, address: Address, tag: unknown): number {
    if (tag === 'pending') return this.pool.nextNonce(address, this.#blockAt(head, head.number).state);
    return this.#stateAt(head, tag).state.account(address).nonce;
  }

  #blockAt(head: Head, number: number): Block {
    const block = head.branch[number - this.#chain.firstNumber];
    if (block === undefined || number > head.number) throw new RpcError(-32_000, 'header not found');
    return block;
  }

  #numberOf(head: Head, tag: unknown): number {
    if (isHex(tag)) return Number(tag);
    if (tag === 'finalized' || tag === 'safe') {
      return Math.max(this.#chain.firstNumber, head.number - this.#chain.rules.finality + 1);
    }
    return tag === 'earliest' ? this.#chain.firstNumber : head.number;
  }

  #stateAt(head: Head, tag: unknown): Block {
    const block = isPinned(tag) ? this.#pinned(head, tag) : this.#blockAt(head, this.#numberOf(head, tag));
    if (block.number < head.number - STATE_DEPTH) {
      throw new RpcError(-32_000, `missing trie node ${block.hash.slice(2)} (path ) state is not available`);
    }
    return block;
  }

  /** For what runs or reads code. */
  #codeStateAt(head: Head, tag: unknown): Block {
    const block = this.#stateAt(head, tag);
    if (isHex(tag) && this.#chain.block(block.number) !== block) this.strayReads.push(block.hash);
    return block;
  }

  /** By hash (EIP-1898), with the errors of geth. */
  #pinned(head: Head, { blockHash, requireCanonical = false }: Pinned): Block {
    const blockOf = ({ branch, number }: Head) => branch[number - this.#chain.firstNumber];
    const heads = [...this.#chain.heads, head];
    const known = heads.findLast((one) => one.at <= head.at && blockOf(one)?.hash === blockHash);
    const block = known && blockOf(known);
    if (block === undefined) throw new RpcError(-32_000, 'header for hash not found');
    if (requireCanonical && !this.#isIn(head, block)) throw new RpcError(-32_000, 'hash is not currently canonical');
    return block;
  }

  #blockByNumber(head: Head, tag: unknown, isFull: boolean): unknown {
    const number = this.#numberOf(head, tag);
    const block = number > head.number ? undefined : head.branch[number - this.#chain.firstNumber];
    return block === undefined ? null : blockJson(block, this.#chain.rules, isFull);
  }

  #blockByHash(head: Head, hash: unknown, isFull: boolean): unknown {
    const block = head.branch.find((one) => one.hash === hash && one.number <= head.number);
    return block === undefined ? null : blockJson(block, this.#chain.rules, isFull);
  }

  #findMined(head: Head, hash: unknown): { block: Block; mined: Mined } | undefined {
    for (const block of this.#chain.busyBlocks) {
      const mined = block.mined.find(({ transaction }) => transaction.hash === hash);
      if (mined !== undefined && this.#isIn(head, block)) return { block, mined };
    }
    return undefined;
  }

  #isIn(head: Head, block: Block): boolean {
    return block.number <= head.number && head.branch[block.number - this.#chain.firstNumber] === block;
  }

  #logs(head: Head, { address, topics = [], fromBlock, toBlock, blockHash }: FilterJson): unknown[] {
    const from = fromBlock === undefined ? 0 : this.#numberOf(head, fromBlock);
    const to = this.#numberOf(head, toBlock);
    const { mostLogBlocks = Infinity } = this.#chain.rules;
    if (to - from >= mostLogBlocks) throw new RpcError(-32_000, `block range is limited to ${mostLogBlocks}`);
    const addresses = address === undefined ? undefined : [address].flat().map(lower);
    const matches = (wanted: Hex | readonly Hex[] | null | undefined, topic: Hex | undefined) =>
      wanted === null || wanted === undefined || [wanted].flat().some((one) => lower(one) === topic);
    return this.#chain.busyBlocks
      .filter((block) => this.#isIn(head, block) && (blockHash === undefined || block.hash === blockHash))
      .filter(({ number }) => blockHash !== undefined || (number >= from && number <= to))
      .toSorted((a, b) => a.number - b.number)
      .flatMap((block) => block.mined.flatMap((mined) => mined.logs.map((_, index) => ({ block, mined, index }))))
      .filter(({ mined, index }) => {
        const log = mined.logs[index];
        if (log === undefined || addresses?.includes(lower(log.address)) === false) return false;
        return topics.every((wanted, place) => matches(wanted, log.topics[place]));
      })
      .map(({ block, mined, index }) => logJson(block, mined, index));
  }

  #call(head: Head, call: CallJson, tag: unknown): Hex {
    const block = this.#codeStateAt(head, tag);
    try {
      return run(block.state, block.number, call, gasOf(call) ?? CALL_GAS, this.#chain.rules.id).data;
    } catch (error) {
      throw error instanceof Revert ? revertError(error, gasOf(call) ?? CALL_GAS) : error;
    }
  }

  /** The least limit with which the call does not revert, as nodes find it: by trying. */
  #estimate(head: Head, call: CallJson, tag: unknown): bigint {
    const { state, number } = this.#codeStateAt(head, tag);
    const start = intrinsicGas({ data: dataOf(call), to: toOf(call) });
    const most = gasOf(call) ?? this.#chain.rules.blockGasLimit;
    const attempt = (gas: bigint) =>
      run(state, number, call, gas - start.start, this.#chain.rules.id).gasUsed + start.start;
    let low: bigint;
    try {
      if (most < start.start) throw new Revert('0x', most, true);
      low = attempt(most) - 1n;
    } catch (error) {
      throw error instanceof Revert ? revertError(error, most) : error;
    }
    let high = most;
    for (let middle = ((low + 2_300n) * 64n) / 63n; high - low > 1n; middle = (low + high) / 2n) {
      const trial = middle < high ? middle : (low + high) / 2n;
      if (fits(() => attempt(trial))) high = trial;
      else low = trial;
      if (low > 0n && (high - low) * 1_000n < high * 15n) break;
    }
    return high > start.floor ? high : start.floor;
  }
}

function fits(act: () => unknown): boolean {
  try {
    act();
    return true;
  } catch (error) {
    if (error instanceof Revert) return false;
    throw error;
  }
}

function run(state: State, blockNumber: number, call: CallJson, gas: bigint, chainId: string) {
  const from = lower(call.from ?? '0x0000000000000000000000000000000000000000');
  const price = BigInt(call.maxFeePerGas ?? call.gasPrice ?? '0x0');
  const transaction = { from, to: toOf(call), data: dataOf(call), value: BigInt(call.value ?? '0x0') };
  return execute(state.copy(), transaction, gas, price, { chainId, number: blockNumber });
}

function dataOf({ data, input }: CallJson): Hex {
  return lower(data ?? input ?? '0x');
}

function toOf({ to }: CallJson): Address | null {
  return to === undefined || to === null ? null : lower(to);
}

function gasOf({ gas }: CallJson): bigint | undefined {
  return gas === undefined ? undefined : BigInt(gas);
}

function revertError({ data, isOutOfGas }: Revert, most: bigint): RpcError {
  if (isOutOfGas) return new RpcError(-32_000, `gas required exceeds allowance (${most})`);
  return new RpcError(3, 'execution reverted', data);
}

/** The same parameter with all hex in lower case. */
function inLowerCase(value: unknown): unknown {
  if (typeof value === 'string') return isHex(value) ? value.toLowerCase() : value;
  if (Array.isArray(value)) return value.map(inLowerCase);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, inLowerCase(item)] as const));
}

function lower(value: unknown): Address {
  return String(value).toLowerCase() as Address;
}
