import { gunzipSync } from 'node:zlib';
import {
  type AbiFunction,
  type Address,
  type Hex,
  type TransactionReceipt,
  encodeFunctionData,
  getAbiItem,
  hexToBytes,
} from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { z } from 'zod';
import type { EphemeralChain } from '../../../scripts/contracts/ephemeral-chain.ts';
import { batchGasLimit } from '../../../src/orders/mint/batch-gas.ts';
import type { Contract } from './contract-calls.ts';
import type { compileFixtures } from './fixtures.ts';
import type { TokenKind } from './token-kinds.ts';

/** A mint, alone or in a batch. Contracts that have no amounts or no documents ignore them. */
export interface Item {
  readonly to: Address;
  readonly id: bigint;
  readonly amount: bigint;
  readonly uri: string;
  readonly hash: Hex;
}

/** The arguments of `mint`. */
function mintArgs(kind: TokenKind, { to, id, amount, uri, hash }: Item): readonly unknown[] {
  return [to, id, ...(kind.isErc721 ? [] : [amount]), ...(kind.isCertificate ? [uri, hash] : [])];
}

/** The data of a call of `mint`. */
export function mintData(kind: TokenKind, item: Item): Hex {
  return encodeFunctionData({ abi: kind.artifact.abi, functionName: 'mint', args: mintArgs(kind, item) });
}

/** The data of a call of `mintMany`. */
export function mintManyData(kind: TokenKind, items: readonly Item[]): Hex {
  const { abi } = kind.artifact;
  const { inputs } = getAbiItem({ abi, name: 'mint' }) as AbiFunction;
  const structs = items.map((item) =>
    Object.fromEntries(mintArgs(kind, item).map((value, index) => [inputs[index]?.name, value])),
  );
  return encodeFunctionData({ abi, functionName: 'mintMany', args: [structs] });
}

/** The gas limit that the service gives a batch. @param isDerived Whether the contract derives all URIs. */
export function gasLimitOf(kind: TokenKind, items: readonly Item[], isDerived = false): bigint {
  const ercStandard = kind.isErc721 ? '721' : '1155';
  return batchGasLimit(items.map(({ uri }) => ({ ercStandard, isDerived, tokenUri: kind.isCertificate ? uri : null })));
}

/** The result of a batch, simulated: whether each of its items would be minted. */
export async function mintedOf(
  chain: EphemeralChain,
  kind: TokenKind,
  token: Contract,
  from: Address,
  items: readonly Item[],
): Promise<boolean[]> {
  const { data = '0x' } = await chain.client.call({
    account: from,
    to: token.address,
    data: mintManyData(kind, items),
    gas: gasLimitOf(kind, items),
  });
  return mintedBits(data, items.length);
}

/** The bits of the result of a batch. @throws Error if it has a bit of no item. */
export function mintedBits(result: Hex, length: number): boolean[] {
  const bits = BigInt(result);
  if (bits >> BigInt(length) !== 0n) throw new Error(`${result} has more than ${length} bits`);
  return Array.from({ length }, (_, index) => ((bits >> BigInt(index)) & 1n) === 1n);
}

const dump = z.object({ accounts: z.record(z.string(), z.object({ storage: z.record(z.string(), z.string()) })) });

/** All storage of a contract that is not zero. */
export async function storageOf(
  chain: EphemeralChain,
  { address }: Contract,
): Promise<[slot: string, value: string][]> {
  const state = gunzipSync(hexToBytes(await chain.client.dumpState())).toString();
  const { storage } = dump.parse(JSON.parse(state)).accounts[address.toLowerCase()] ?? { storage: {} };
  return Object.entries(storage)
    .filter(([, value]) => BigInt(value) !== 0n)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
}

/** Does what then is undone. */
export async function undone<Result>(chain: EphemeralChain, work: () => Promise<Result>): Promise<Result> {
  const id = await chain.client.snapshot();
  try {
    return await work();
  } finally {
    await chain.client.revert({ id });
  }
}

/** What calls to a contract leave: their events, and all of its storage. They are undone. */
export function effectsOfCalls(
  chain: EphemeralChain,
  token: Contract,
  calls: () => Promise<readonly Pick<TransactionReceipt, 'logs'>[]>,
): Promise<{ logs: unknown[]; storage: [string, string][] }> {
  return undone(chain, async () => {
    const receipts = await calls();
    const logs = receipts.flatMap((receipt) =>
      receipt.logs.map(({ address, topics, data }) => ({ address, topics, data })),
    );
    return { logs, storage: await storageOf(chain, token) };
  });
}

/**
 * Receivers with code: contracts that accept tokens, refuse them and do not know them, and an account that has
 * delegated to one (EIP-7702).
 */
export async function receiversWithCode(
  chain: EphemeralChain,
  fixture: ReturnType<typeof compileFixtures>,
): Promise<Address[]> {
  const accepting = await chain.deploy(fixture('ReentrantReceiver'), []);
  const refusing = await chain.deploy(fixture('RefusingReceiver'), []);
  const ignorant = await chain.deploy(fixture('NoReceiver'), []);
  const { address: delegated } = await delegatedAccount(chain, accepting.address);
  return [accepting.address, refusing.address, ignorant.address, delegated];
}

async function delegatedAccount(chain: EphemeralChain, contractAddress: Address): Promise<PrivateKeyAccount> {
  const account = await chain.account('delegated');
  const { chainId, client } = chain;
  const authorization = await account.signAuthorization({ chainId, contractAddress, nonce: 1 });
  const serializedTransaction = await account.signTransaction({
    type: 'eip7702',
    chainId,
    nonce: 0,
    to: account.address,
    gas: 200_000n,
    maxFeePerGas: 10n ** 11n,
    authorizationList: [authorization],
  });
  await client.waitForTransactionReceipt({ hash: await client.sendRawTransaction({ serializedTransaction }) });
  const code = await client.getCode({ address: account.address });
  if (code?.startsWith('0xef0100') !== true) throw new Error('The node does not know EIP-7702');
  return account;
}

const trace = z.object({ calls: z.array(z.object({ type: z.string(), to: z.string() })).default([]) });

/** The calls and creations that a contract has made in a transaction. */
export async function callsMadeIn(chain: EphemeralChain, hash: Hex): Promise<{ type: string; to: string }[]> {
  const request = chain.client.request as (call: object) => Promise<unknown>;
  const params = [hash, { tracer: 'callTracer' }];
  return trace.parse(await request({ method: 'debug_traceTransaction', params })).calls;
}
