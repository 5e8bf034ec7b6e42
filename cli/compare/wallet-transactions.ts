import type { Address, Hex, Log } from 'viem';
import type { ChainDefinition } from '../../src/chains/definition.ts';
import { createRpcClient, type RpcClient } from '../../src/chains/rpc-client.ts';
import type { RpcReply } from '../../src/chains/rpc-exchange.ts';
import { bodyOf, headerOf, integerOf, receiptOf, resultOf, toHex, type Header } from '../../src/chains/rpc-values.ts';
import {
  authorizedNonces,
  proveTransaction,
  type AuthorizedNonce,
  type ProvenTransaction,
} from '../../src/chains/signed-transaction.ts';
import { saidByMost } from '../../src/chains/votes.ts';
import { areFinalForMost, mostFrequentReplies } from '../../src/engine/majority.ts';

/** A mined transaction of one of our wallets. */
export interface WalletTransaction extends Omit<ProvenTransaction, 'from' | 'chainId'> {
  /** Lower case. */
  readonly wallet: Address;
  readonly blockNumber: number;
  /** The time of its block. */
  readonly minedAt: Date;
}

/** What a chain has of our wallets. */
export interface ChainRecord {
  readonly fromBlock: number;
  /** The newest final block. */
  readonly toBlock: number;
  /** Final, in the order in which they were mined. */
  readonly mined: readonly WalletTransaction[];
  /** Nonces that were used by authorizations (EIP-7702), and so by no transaction of the wallet. */
  readonly authorized: readonly AuthorizedNonce[];
  /** What a node shows in these blocks, or in later ones, and is not final for more than half of them. */
  readonly notFinal: readonly Pick<WalletTransaction, 'wallet' | 'nonce'>[];
  readonly counts: ReadonlyMap<Address, WalletCounts>;
}

/** How many transactions a wallet had before the blocks were read. */
export interface WalletCounts {
  /** Mined, for more than half of the nodes: in the blocks that are read, or in older ones. */
  readonly agreed: number;
  /** Mined, for any node. */
  readonly mined: number;
  /** Known to any node. */
  readonly pending: number;
}

/** Blocks read at a time: the client keeps up to 32 MB of what a node replies to one request. */
const CHUNK = 8;
/** How long a node may take for one request: blocks with their transactions are long. */
const TIMEOUT_MS = 30_000;

/**
 * Reads the blocks since a time for transactions of these wallets, from every node: any of them may lie or lag. A
 * transaction that one of them shows counts if its hash and its signer follow from its fields, and is final if it is so
 * in this block for more than half of them. It needs no index and no archive, only blocks and their receipts. The counts
 * are read first: what they count as mined is in the blocks, or older. One that is too high hides no transaction.
 * @param rpcUrls All of the chain's nodes. One that does not answer agrees with none.
 * @param wallets Lower case.
 * @throws if a node is on another chain, or no more than half of them return a block alike, or answer.
 */
export async function walletTransactions(
  { id, finality }: ChainDefinition,
  rpcUrls: readonly string[],
  wallets: ReadonlySet<Address>,
  since: Date,
): Promise<ChainRecord> {
  const rpc = createRpcClient(rpcUrls, { chainId: id, batchSize: CHUNK, timeoutMs: TIMEOUT_MS });
  const nodes = { id, finality, rpc };
  const counts = await countsOf(nodes, wallets);
  const { toBlock, newest } = await newestBlocks(nodes);
  const fromBlock = await firstBlockSince(nodes, since, toBlock);
  const mined: WalletTransaction[] = [];
  const authorized: AuthorizedNonce[] = [];
  const notFinal: WalletTransaction[] = [];
  for (let from = fromBlock; from <= newest; from += CHUNK) {
    const numbers = Array.from({ length: Math.min(CHUNK, newest - from + 1) }, (_, index) => from + index);
    for (const block of await agreedBlocks(nodes, numbers, true)) {
      const shown = await shownIn(nodes, block, wallets);
      const final = await finalOf(nodes, shown);
      mined.push(...final);
      notFinal.push(...shown.filter((one) => !final.includes(one)));
      authorized.push(...(await authorizedBy(nodes, block, wallets)));
    }
  }
  return { fromBlock, toBlock, mined, authorized, notFinal, counts };
}

/**
 * The logs of mined transactions, by their hashes, as more than half of the nodes report them.
 * @throws if no more report a receipt alike.
 */
export async function logsOf(
  { id }: ChainDefinition,
  rpcUrls: readonly string[],
  mined: readonly WalletTransaction[],
): Promise<ReadonlyMap<Hex, readonly Log[]>> {
  const rpc = createRpcClient(rpcUrls, { chainId: id, batchSize: CHUNK, timeoutMs: TIMEOUT_MS });
  const logs = new Map<Hex, readonly Log[]>();
  for (let first = 0; first < mined.length; first += CHUNK) {
    const hashes = mined.slice(first, first + CHUNK).map(({ hash }) => hash);
    const calls = hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] }));
    const replies = mostFrequentReplies(calls, await rpc.requestOfEach(calls));
    for (const [index, hash] of hashes.entries()) {
      const receipt = receiptOf(replies[index], hash);
      if (receipt === undefined)
        throw new Error(`No more than half of the nodes of chain ${id} return the receipt of ${hash} alike`);
      logs.set(hash, receipt.logs);
    }
  }
  return logs;
}

/**
 * The hashes of blocks, by their numbers, as more than half of the nodes report them.
 * @throws if no more report a block alike.
 */
export async function blockHashes(
  { id, finality }: ChainDefinition,
  rpcUrls: readonly string[],
  numbers: readonly number[],
): Promise<ReadonlyMap<number, Hex>> {
  const rpc = createRpcClient(rpcUrls, { chainId: id, batchSize: CHUNK, timeoutMs: TIMEOUT_MS });
  const hashes = new Map<number, Hex>();
  const all = [...new Set(numbers)];
  for (let first = 0; first < all.length; first += CHUNK) {
    const blocks = await agreedBlocks({ id, finality, rpc }, all.slice(first, first + CHUNK), false);
    for (const { header } of blocks) hashes.set(header.number, header.hash);
  }
  return hashes;
}

/** The nodes of a chain. */
interface Nodes extends Pick<ChainDefinition, 'id' | 'finality'> {
  readonly rpc: RpcClient;
}

/**
 * @returns `newest`: a block that more than half of the nodes say to have; `toBlock`: the last one that it makes final.
 * @throws if a node is on another chain, or there is no such block with which more than half of the nodes agree.
 */
async function newestBlocks({
  id,
  finality,
  rpc,
}: Nodes): Promise<{ readonly newest: number; readonly toBlock: number }> {
  const replies = await rpc.requestOfEach(['eth_chainId', 'eth_blockNumber'].map((method) => ({ method, params: [] })));
  const elsewhere = replies.flatMap(([chainId]) => integerOf(chainId) ?? []).find((chainId) => String(chainId) !== id);
  if (elsewhere !== undefined) throw new Error(`A node of chain ${id} is on chain ${elsewhere}`);
  const heights = replies.flatMap(([, height]) => integerOf(height) ?? []).toSorted((a, b) => b - a);
  // More than half of the nodes claim to have reached each of these. What is claimed falsely is no block that they
  // agree on.
  for (const newest of heights.slice(Math.floor(rpc.providers / 2))) {
    const toBlock = Math.max(0, newest - finality + 1);
    const [block] = await readBlocks(rpc, [toBlock], false);
    if (block?.header !== undefined) return { newest, toBlock };
  }
  throw new Error(`No more than half of the ${replies.length} nodes of chain ${id} answer and agree on a block`);
}

/** A block. */
interface Block {
  /** As more than half of the nodes report it; undefined if no more do. */
  readonly header: Header | undefined;
  /** What each node says of it. */
  readonly replies: readonly (RpcReply | undefined)[];
}

/** Asks each node for blocks. */
async function readBlocks(
  rpc: RpcClient,
  numbers: readonly number[],
  hasTransactions: boolean,
): Promise<readonly Block[]> {
  const nodes = await rpc.requestOfEach(
    numbers.map((number) => ({ method: 'eth_getBlockByNumber', params: [toHex(number), hasTransactions] })),
  );
  return numbers.map((number, index) => {
    const replies = nodes.map((each) => each[index]);
    const headers = replies.map(headerOf).filter((header) => header?.number === number);
    const [header] = saidByMost(headers, (one) => one && `${one.hash} ${one.timestamp}`, rpc.providers);
    return { header, replies };
  });
}

/**
 * Those of which no more than half of the nodes return the same are asked for again, each by itself: together they may
 * be too long for one request.
 * @throws if one of them is then still missing.
 */
async function agreedBlocks({ id, rpc }: Nodes, numbers: readonly number[], hasTransactions: boolean) {
  const blocks: (Block & { readonly header: Header })[] = [];
  for (const [index, together] of (await readBlocks(rpc, numbers, hasTransactions)).entries()) {
    const number = numbers[index] ?? 0;
    const [block = together] =
      together.header === undefined ? await readBlocks(rpc, [number], hasTransactions) : [together];
    const { header, replies } = block;
    if (header === undefined) {
      throw new Error(`No more than half of the ${rpc.providers} nodes of chain ${id} return block ${number} alike`);
    }
    blocks.push({ header, replies });
  }
  return blocks;
}

/** @returns the number of the first block that is not older than `since`, by bisection. */
async function firstBlockSince(nodes: Nodes, since: Date, newest: number): Promise<number> {
  const seconds = Math.floor(since.getTime() / 1_000);
  let low = 0;
  let high = newest;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [block] = await agreedBlocks(nodes, [middle], false);
    if (block !== undefined && block.header.timestamp < seconds) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface ShownTransaction extends WalletTransaction {
  readonly blockHash: Hex;
}

/** The transactions of the wallets that any node shows in a block, as far as they are proven. */
async function shownIn(
  nodes: Nodes,
  { header, replies }: Block & { readonly header: Header },
  wallets: ReadonlySet<Address>,
): Promise<ShownTransaction[]> {
  const { number: blockNumber, hash: blockHash, timestamp } = header;
  const minedAt = new Date(timestamp * 1_000);
  const shown = new Map<Hex, ShownTransaction>();
  for (const reply of replies) {
    const body = bodyOf(resultOf(reply), wallets);
    if (body?.hash !== blockHash) continue;
    for (const transaction of body.own) {
      const sent = await proveTransaction(transaction);
      if (sent === undefined || (sent.chainId ?? nodes.id) !== nodes.id) continue;
      shown.set(sent.hash, { ...sent, wallet: sent.from, blockNumber, blockHash, minedAt });
    }
  }
  return [...shown.values()].toSorted((a, b) => a.nonce - b.nonce);
}

/** Those that are final for more than half of the nodes. */
async function finalOf(nodes: Nodes, shown: readonly ShownTransaction[]): Promise<readonly ShownTransaction[]> {
  if (shown.length === 0 || (await areFinalForMost(nodes, shown))) return shown;
  // What one node shows falsely says nothing of the others.
  const isFinal = await Promise.all(shown.map((one) => areFinalForMost(nodes, [one])));
  return shown.filter((_, index) => isFinal[index]);
}

/** The nonces that wallets have let others use in a block, by transactions that are final for more than half of the nodes. */
async function authorizedBy(
  nodes: Nodes,
  { header, replies }: Block & { readonly header: Header },
  wallets: ReadonlySet<Address>,
): Promise<AuthorizedNonce[]> {
  const { number: blockNumber, hash: blockHash } = header;
  const found = new Map<Hex, readonly AuthorizedNonce[]>();
  for (const transaction of replies.flatMap((reply) => bodyOf(resultOf(reply), wallets)?.delegating ?? [])) {
    const nonces = (await authorizedNonces(transaction, nodes.id)).filter(({ wallet }) => wallets.has(wallet));
    const sent = nonces.length === 0 ? undefined : await proveTransaction(transaction);
    if (sent !== undefined && !found.has(sent.hash)) found.set(sent.hash, nonces);
  }
  const isFinal = await Promise.all(
    Array.from(found.keys(), (hash) => areFinalForMost(nodes, [{ hash, blockNumber, blockHash }])),
  );
  return [...found.values()].filter((_, index) => isFinal[index]).flat();
}

/** @throws if no more than half of the nodes answer. */
async function countsOf({ id, rpc }: Nodes, wallets: ReadonlySet<Address>): Promise<ChainRecord['counts']> {
  const calls = Array.from(wallets, (wallet) =>
    ['latest', 'pending'].map((tag) => ({ method: 'eth_getTransactionCount', params: [wallet, tag] })),
  );
  const nodes = await rpc.requestOfEach(calls.flat());
  const most = Math.floor(rpc.providers / 2);
  /** The highest count, and the highest that more than half of the nodes have reached. */
  const highest = (index: number) => {
    const counts = nodes.flatMap((replies) => integerOf(replies[index]) ?? []).toSorted((a, b) => b - a);
    const [[any], [agreed]] = [counts, counts.slice(most)];
    if (any !== undefined && agreed !== undefined) return { any, agreed };
    throw new Error(`No more than half of the ${nodes.length} nodes of chain ${id} count the transactions of a wallet`);
  };
  return new Map(
    Array.from(wallets, (wallet, index) => {
      const { any: mined, agreed } = highest(2 * index);
      return [wallet, { agreed, mined, pending: highest(2 * index + 1).any }];
    }),
  );
}
