import { createTestClient, http, keccak256, parseGwei, publicActions, walletActions, type Address } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { lowerCase } from '../../src/core/lower-case.ts';
import { chainDefinition } from '../../src/chains/list.ts';
import { startAnvil, type Anvil } from '../../stack/anvil.ts';
import { walletTransactions } from './wallet-transactions.ts';

const CHAIN = chainDefinition('43114');
const SILENT = 'http://127.0.0.1:1';

let nodes: Anvil[];
let wallet: Address;

const chainOf = (index: number) =>
  createTestClient({ mode: 'anvil', transport: http(nodes[index]?.url) })
    .extend(publicActions)
    .extend(walletActions);

const recordOf = (...urls: (string | undefined)[]) =>
  walletTransactions(
    CHAIN,
    urls.map((url) => url ?? SILENT),
    new Set([wallet]),
    new Date(0),
  );

beforeAll(async () => {
  // One with its own blocks, one with those of the wallet, and one of another chain.
  nodes = await Promise.all([43114, 43114, 43113].map((chainId) => startAnvil({ chainId })));
  const [funded = '0x'] = await chainOf(1).getAddresses();
  wallet = lowerCase(funded);
  for (const value of [1n, 2n]) {
    const hash = await chainOf(1).sendTransaction({ chain: null, account: wallet, to: wallet, value });
    await chainOf(1).waitForTransactionReceipt({ hash, pollingInterval: 20 });
  }
});

afterAll(() => Promise.all(nodes.map((node) => node.stop())));

it('reads what more than half of the nodes have, whether the others do not answer or have other blocks', async () => {
  for (const other of [SILENT, nodes[0]?.url]) {
    const { toBlock, mined, counts } = await recordOf(other, nodes[1]?.url, nodes[1]?.url);
    expect(toBlock).toBe(2);
    expect(mined.map(({ nonce, value }) => [nonce, value])).toEqual([
      [0, 1n],
      [1, 2n],
    ]);
    expect(counts.get(wallet)).toEqual({ agreed: 2, mined: 2, pending: 2 });
  }
});

it('finds each transaction as it was signed, whatever its type', async () => {
  const hash = await chainOf(1).sendTransaction({ chain: null, account: wallet, to: wallet, gasPrice: parseGwei('3') });
  await chainOf(1).waitForTransactionReceipt({ hash, pollingInterval: 20 });
  const { mined } = await recordOf(nodes[1]?.url);
  expect(mined.map(({ raw }) => keccak256(raw))).toEqual(mined.map((sent) => sent.hash));
  expect(mined.at(-1)).toMatchObject({ hash, wallet, nonce: 2, to: wallet, data: '0x', maxFeePerGas: parseGwei('3') });
});

it('counts a transaction that only one of the nodes knows', async () => {
  await chainOf(0).mine({ blocks: 5 });
  const { mined, counts } = await recordOf(nodes[0]?.url, nodes[0]?.url, nodes[1]?.url);
  expect(mined).toEqual([]);
  expect(counts.get(wallet)).toEqual({ agreed: 0, mined: 3, pending: 3 });
});

const uncounted = (count: number) =>
  `No more than half of the ${count} nodes of chain 43114 count the transactions of a wallet`;

it('fails when no more than half of the nodes answer and agree, or one is on another chain', async () => {
  const [own, another, elsewhere] = nodes.map(({ url }) => url);
  await expect(recordOf(SILENT)).rejects.toThrow(uncounted(1));
  await expect(recordOf(SILENT, own)).rejects.toThrow(uncounted(2));
  await expect(recordOf(SILENT, own, another)).rejects.toThrow(
    'No more than half of the 3 nodes of chain 43114 answer and agree on a block',
  );
  await expect(recordOf(own, elsewhere)).rejects.toThrow('A node of chain 43114 is on chain 43113');
});
