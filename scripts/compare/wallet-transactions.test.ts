import { createTestClient, http, publicActions, walletActions, type Address } from 'viem';
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
  // A node that lags, one that does not, and one of another chain.
  nodes = await Promise.all([43114, 43114, 43113].map((chainId) => startAnvil({ chainId })));
  const [funded = '0x'] = await chainOf(1).getAddresses();
  wallet = lowerCase(funded);
  for (const value of [1n, 2n]) {
    const hash = await chainOf(1).sendTransaction({ chain: null, account: wallet, to: wallet, value });
    await chainOf(1).waitForTransactionReceipt({ hash, pollingInterval: 20 });
  }
});

afterAll(() => Promise.all(nodes.map((node) => node.stop())));

it('reads the node with the newest block, wherever it stands in the list, and skips one that does not answer', async () => {
  const { mined, counts } = await recordOf(SILENT, nodes[0]?.url, nodes[1]?.url);
  expect(mined.map(({ nonce }) => nonce)).toEqual([0, 1]);
  expect(counts.get(wallet)).toEqual({ mined: 2, pending: 2 });
});

it('counts a transaction that only one of the nodes knows', async () => {
  await chainOf(0).mine({ blocks: 5 });
  const { mined, counts } = await recordOf(nodes[0]?.url, nodes[1]?.url);
  expect(mined).toEqual([]);
  expect(counts.get(wallet)).toEqual({ mined: 2, pending: 2 });
});

it('fails when no node answers, or one is on another chain', async () => {
  await expect(recordOf(SILENT)).rejects.toThrow('No node of chain 43114 answers');
  await expect(recordOf(nodes[1]?.url, nodes[2]?.url)).rejects.toThrow('A node of chain 43114 is on chain 43113');
});
