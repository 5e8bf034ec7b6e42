import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPublicClient, createWalletClient, http, parseAbi, parseEther } from 'viem';
import { generatePrivateKey, mnemonicToAccount, privateKeyToAddress } from 'viem/accounts';
import { avalancheFuji } from 'viem/chains';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { standard721 } from '../contracts/artifacts/Standard721.ts';
import { startAnvil } from './anvil.ts';

const rich = mnemonicToAccount('test test test test test test test test test test test junk');

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'anvil-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

it('keeps balances, contracts, receipts and logs across a restart', async () => {
  const options = { chainId: avalancheFuji.id, stateFile: join(directory, 'chain.json') };
  const receiver = privateKeyToAddress(generatePrivateKey());
  const first = await startAnvil(options);
  const before = createPublicClient({ transport: http(first.url) });
  const wallet = createWalletClient({ account: rich, chain: avalancheFuji, transport: http(first.url) });
  const paid = await before.waitForTransactionReceipt({
    hash: await wallet.sendTransaction({ to: receiver, value: parseEther('3') }),
    pollingInterval: 20,
  });
  const deployed = await before.waitForTransactionReceipt({
    hash: await wallet.deployContract({
      ...standard721,
      args: ['A', 'B', rich.address, receiver, '', rich.address, 0n],
    }),
    pollingInterval: 20,
  });
  const address = deployed.contractAddress;
  if (!address) throw new Error('not deployed');
  const minted = await before.waitForTransactionReceipt({
    hash: await wallet.writeContract({ address, abi: standard721.abi, functionName: 'mint', args: [receiver, 7n] }),
    pollingInterval: 20,
  });
  await first.stop();

  const second = await startAnvil(options);
  const after = createPublicClient({ transport: http(second.url) });
  try {
    expect(await after.getChainId()).toBe(avalancheFuji.id);
    expect(await after.getBlockNumber()).toBe(minted.blockNumber);
    expect(await after.getBalance({ address: receiver })).toBe(parseEther('3'));
    expect(await after.getTransactionReceipt({ hash: paid.transactionHash })).toEqual(paid);
    const owner = await after.readContract({ address, abi: standard721.abi, functionName: 'ownerOf', args: [7n] });
    expect(owner).toBe(receiver);
    const [log] = await after.getLogs({
      address,
      events: parseAbi(['event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)']),
      fromBlock: 'earliest',
    });
    expect(log).toMatchObject({ transactionHash: minted.transactionHash, args: { to: receiver, tokenId: 7n } });
  } finally {
    await second.stop();
  }
});

it('reports a corrupt state file', async () => {
  const stateFile = join(directory, 'chain.json');
  await writeFile(stateFile, '{"block": ');
  await expect(startAnvil({ chainId: 43_114, stateFile })).rejects.toThrow(/chain\.json/);
});

it('reports a port that is in use', async () => {
  const first = await startAnvil({ chainId: 43_114 });
  try {
    const port = Number(new URL(first.url).port);
    await expect(startAnvil({ chainId: 43_114, port })).rejects.toThrow(/in use/);
  } finally {
    await first.stop();
  }
});
