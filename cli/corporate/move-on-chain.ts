import { setTimeout as delay } from 'node:timers/promises';
import {
  BaseError,
  encodeFunctionData,
  isAddressEqual,
  keccak256,
  parseAbi,
  zeroAddress,
  type Address,
  type Hex,
} from 'viem';
import type { Signer } from '../../src/engine/signer.ts';
import type { Chain } from '../../src/chains/client.ts';
import { credibleHeight } from '../../src/chains/credible-height.ts';
import { classifyCallReply } from '../../src/chains/rpc-error.ts';
import type { RpcReply } from '../../src/chains/rpc-exchange.ts';
import { integerOf, receiptOf, toData, toHex } from '../../src/chains/rpc-values.ts';
import { ownerView } from '../../src/catalog/contracts/views.ts';
import { readHead, type ChainHead } from '../../src/engine/chain-head.ts';
import { gasLimitFor, MAX_TRANSACTION_GAS, offerAt, TRANSFER_GAS, type GasPrice } from '../../src/engine/fees.ts';
import { laneOf } from '../../src/engine/wallet-lane.ts';

/** Between looks at a chain. */
const POLL_MS = 500;
/** Contracts that are asked for their owner at a time. */
const CHUNK = 200;
/** Coins worth less than this many transfers stay. */
const LEAST_TRANSFERS = 3n;

const ownable = parseAbi(['function transferOwnership(address newOwner)']);

/** What moves a wallet on one chain. */
export interface ChainMove {
  readonly chain: Chain;
  /** Of the former wallet. */
  readonly signer: Signer;
  readonly to: Address;
  /** For how long it waits for one thing, in milliseconds. */
  readonly patienceMs: number;
  readonly say: (line: string) => void;
}

/** A contract of the account whose wallet is moved. */
export interface MovedContract {
  readonly address: Address;
  /** Whether the former wallet owns it, as far as the service knows. */
  readonly isOwn: boolean;
}

/**
 * Transfers each of these contracts that the former wallet owns, and waits until that is final.
 * @throws when the chain does not answer, a transfer fails, a contract that should be the former wallet's is neither
 *   its nor the new one's, or it takes too long. It can be repeated.
 */
export async function moveContracts(move: ChainMove, contracts: readonly MovedContract[]): Promise<void> {
  const { chain, signer, to } = move;
  const { id, definition } = chain;
  const addresses = contracts.map(({ address }) => address);
  const owners = await ownersAt(move, addresses, await credibleHeight(chain));
  for (const { address, isOwn } of contracts) {
    const owner = owners.get(address) ?? zeroAddress;
    if (!isOwn || [signer.address, to, zeroAddress].some((one) => isAddressEqual(one, owner))) continue;
    throw new Error(
      `Chain ${id}: ${address} belongs to ${owner}. If a move to that wallet has begun, finish it; otherwise ${leave(address)}`,
    );
  }
  let owned = ownedBy(signer.address, owners);
  for (const contract of owned) {
    move.say(`Chain ${id}: transferring ${contract}`);
    const args = [to] as const;
    await sendOnce(move, contract, encodeFunctionData({ abi: ownable, functionName: 'transferOwnership', args }));
  }
  const overdue = () =>
    `Chain ${id}: the transfers are not final of ${owned.join(', ')}, or had no effect: ${leave(owned.join())}`;
  await until(move, overdue, async () => {
    const final = (await credibleHeight(chain)) - definition.finality + 1;
    if (final < 0) return false;
    owned = ownedBy(signer.address, await ownersAt(move, addresses, final));
    return owned.length === 0;
  });
  move.say(`Chain ${id}: ${signer.address} owns none of ${contracts.length} contracts`);
}

function leave(contracts: string): string {
  return `leave it with --leave-contracts ${contracts}`;
}

/**
 * Sends the coins of the former wallet to the new one, except what is not worth its gas.
 * @throws as {@link moveContracts}.
 */
export async function moveCoins(move: ChainMove): Promise<void> {
  const { chain, signer, to } = move;
  const head = await settledHead(move);
  const offer = offerOf(chain, head);
  const gas = TRANSFER_GAS * offer.maxFeePerGas;
  if (head.balance > LEAST_TRANSFERS * gas) {
    const value = head.balance - gas;
    move.say(`Chain ${chain.id}: moving ${value} wei to ${to}`);
    await send(move, head, offer, { to, value, gas: TRANSFER_GAS });
  }
  move.say(`Chain ${chain.id}: ${signer.address} has no more than dust`);
}

/** The owner of each contract at a block; null: it has none. */
async function ownersAt(
  { chain }: ChainMove,
  contracts: readonly Address[],
  block: number,
): Promise<ReadonlyMap<Address, Address | null>> {
  const found = new Map<Address, Address | null>();
  for (let first = 0; first < contracts.length; first += CHUNK) {
    const views = contracts.slice(first, first + CHUNK).map(ownerView);
    const calls = views.map(({ to, data }) => ({ method: 'eth_call', params: [{ to, data }, toHex(block)] }));
    const each = await chain.rpc.requestOfEach(calls);
    for (const [index, { to, read }] of views.entries()) {
      const owners = each.map((replies) => ownerOf(replies[index], read));
      const owner = owners.find((one) => owners.filter((other) => other === one).length * 2 > chain.rpc.providers);
      if (owner === undefined) throw new Error(`The nodes of chain ${chain.id} do not agree on the owner of ${to}`);
      found.set(to, owner);
    }
  }
  return found;
}

function ownedBy(wallet: Address, owners: ReadonlyMap<Address, Address | null>): Address[] {
  return Array.from(owners).flatMap(([contract, owner]) =>
    owner !== null && isAddressEqual(owner, wallet) ? [contract] : [],
  );
}

/** The owner by the reply of one node; null: the contract has none, or did not exist yet; undefined: no answer. */
function ownerOf(reply: RpcReply | undefined, read: (data: Hex) => Address): Address | null | undefined {
  const outcome = classifyCallReply(reply ?? { lost: 'no answer' }, toData);
  if (outcome.kind === 'unknown') return undefined;
  try {
    return outcome.kind === 'reverted' ? null : read(outcome.value);
  } catch {
    // A contract may return anything.
    return null;
  }
}

/** The head once nothing of the wallet is in a node's pool: what a run before has sent is then mined, or lost. */
async function settledHead(move: ChainMove): Promise<ChainHead> {
  const { chain, signer } = move;
  const address = signer.address;
  return await until(
    move,
    () => `Chain ${chain.id}: a transaction of ${address} is not mined`,
    async () => {
      const [head, [reply]] = await Promise.all([
        readHead(chain.rpc, laneOf(chain.id, address), () => Date.now()),
        chain.rpc.request([{ method: 'eth_getTransactionCount', params: [address, 'pending'] }]),
      ]);
      const pending = integerOf(reply);
      if (head === undefined || pending === undefined) throw new Error(`Chain ${chain.id} does not answer`);
      return head.count >= pending ? head : undefined;
    },
  );
}

function offerOf({ id, definition }: Chain, head: ChainHead): GasPrice {
  const offer = offerAt(head, definition);
  if (offer === undefined) throw new Error(`The fees of chain ${id} are above the cap; run it again later`);
  return offer;
}

/** Makes a call that the former wallet may make only once. */
async function sendOnce(move: ChainMove, to: Address, data: Hex): Promise<void> {
  const { chain, signer } = move;
  const head = await settledHead(move);
  // What a run before has sent may have been mined since.
  if (ownedBy(signer.address, await ownersAt(move, [to], head.number)).length === 0) return;
  const estimate = await chain.client.estimateGas({ account: signer.address, to, data }).catch((error: unknown) => {
    const reason = error instanceof BaseError ? error.shortMessage : String(error);
    throw new Error(`Chain ${chain.id}: ${to} cannot be transferred: ${reason}. To go on without it, ${leave(to)}`, {
      cause: error,
    });
  });
  await send(move, head, offerOf(chain, head), { to, data, gas: gasLimitFor(estimate, MAX_TRANSACTION_GAS) });
}

async function send(
  move: ChainMove,
  head: ChainHead,
  offer: GasPrice,
  call: { readonly to: Address; readonly gas: bigint; readonly data?: Hex; readonly value?: bigint },
): Promise<void> {
  const { chain, signer } = move;
  const lacking = call.gas * offer.maxFeePerGas + (call.value ?? 0n) - head.balance;
  if (lacking > 0n) throw new Error(`Chain ${chain.id}: ${signer.address} lacks ${lacking} wei for its transactions`);
  const raw = await signer.signTransaction({
    type: 'eip1559',
    chainId: Number(chain.id),
    nonce: head.count,
    ...offer,
    ...call,
  });
  const hash = keccak256(raw);
  const sent = (await chain.rpc.requestOfEach([{ method: 'eth_sendRawTransaction', params: [raw] }])).flat();
  const refusals = sent.flatMap((reply) => ('error' in reply ? [reply.error.message] : []));
  if (refusals.length === sent.length) throw new Error(`Chain ${chain.id} refuses ${hash}: ${refusals.join('; ')}`);
  const receipt = await until(
    move,
    () => `Chain ${chain.id}: ${hash} is not mined`,
    async () => {
      const [reply] = await chain.rpc.request([{ method: 'eth_getTransactionReceipt', params: [hash] }]);
      return receiptOf(reply, hash);
    },
  );
  if (receipt.status !== 'success') throw new Error(`Chain ${chain.id}: ${hash} has failed`);
}

/** Waits until something is there. @throws `overdue` when it takes too long. */
export async function until<Value>(
  { patienceMs }: Pick<ChainMove, 'patienceMs'>,
  overdue: () => string,
  look: () => Promise<Value | undefined | false>,
): Promise<Value> {
  const end = Date.now() + patienceMs;
  for (;;) {
    const value = await look();
    if (value !== undefined && value !== false) return value;
    if (Date.now() >= end)
      throw new Error(`${overdue()} after ${Math.round(patienceMs / 1_000)} s; run it again later`);
    await delay(POLL_MS);
  }
}
