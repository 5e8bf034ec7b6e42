import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createTestClient,
  getContractAddress,
  http,
  parseEther,
  publicActions,
  walletActions,
  type Address,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from 'viem/accounts';
import { avalanche } from 'viem/chains';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import { connectChains, type Chain } from '../../src/chains/client.ts';
import { chainDefinition } from '../../src/chains/list.ts';
import { startAnvil, type Anvil } from '../../stack/anvil.ts';
import { readBody, sendJson, startHttpServer, type HttpServer } from '../../stack/http-server.ts';
import { moveCoins, moveContracts, type ChainMove } from './move-on-chain.ts';

const newAddress = () => privateKeyToAddress(generatePrivateKey());

let directory: string;
let anvil: Anvil;
let chain: ReturnType<typeof connect>;
/** The former wallet. */
let signer: ReturnType<typeof privateKeyToAccount>;
let contracts: Address[];
let to: Address;

const connect = () =>
  createTestClient({ mode: 'anvil', chain: avalanche, transport: http(anvil.url), pollingInterval: 20 })
    .extend(publicActions)
    .extend(walletActions);

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'move-on-chain-'));
  anvil = await startAnvil({ chainId: avalanche.id, stateFile: join(directory, 'chain.json') });
  chain = connect();
});

afterAll(async () => {
  await anvil.stop();
  await rm(directory, { recursive: true, force: true });
});

beforeEach(async () => {
  signer = privateKeyToAccount(generatePrivateKey());
  to = newAddress();
  await chain.setAutomine(true);
  await chain.setBalance({ address: signer.address, value: parseEther('10') });
  contracts = [];
  for (const nonce of [0n, 1n]) {
    const args = ['A', 'B', signer.address, newAddress(), '', signer.address, 0n] as const;
    const hash = await chain.deployContract({ ...standard721, args, account: signer });
    await chain.waitForTransactionReceipt({ hash });
    contracts.push(getContractAddress({ from: signer.address, nonce }));
  }
});

function moveOn({ finality = 1, nodes = [anvil.url] } = {}): ChainMove {
  const definition = { ...chainDefinition(String(avalanche.id)), finality, rpcUrls: nodes };
  const connected = connectChains(new Map([[definition.id, definition]])).get(definition.id);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the one that was connected
  return { chain: connected as Chain, signer, to, patienceMs: 1_000, say: () => {} };
}

const owners = () =>
  Promise.all(contracts.map((address) => chain.readContract({ ...standard721, address, functionName: 'owner' })));
const sent = async () => (await chain.getTransactionCount({ address: signer.address })) - contracts.length;

it('moves the contracts that the wallet owns, and no others, each with one transaction however often it is repeated', async () => {
  const foreign = newAddress();
  const hash = await chain.writeContract({
    abi: standard721.abi,
    address: contracts[0] ?? to,
    functionName: 'transferOwnership',
    args: [foreign],
    account: signer,
  });
  await chain.waitForTransactionReceipt({ hash });
  // Without code.
  const all = [...contracts, newAddress()];
  await moveContracts(moveOn(), all);
  await moveContracts(moveOn(), all);
  expect(await owners()).toEqual([foreign, to]);
  expect(await sent()).toBe(2);
});

it('does not send again what an earlier run has sent and is not mined', async () => {
  await chain.setAutomine(false);
  await expect(moveContracts(moveOn(), contracts)).rejects.toThrow('is not mined after 1 s');
  await expect(moveContracts(moveOn(), contracts)).rejects.toThrow('is not mined after 1 s');
  await chain.mine({ blocks: 1 });
  await chain.setAutomine(true);
  await moveContracts(moveOn(), contracts);
  expect([await owners(), await sent()]).toEqual([[to, to], 2]);

  await chain.setAutomine(false);
  await expect(moveCoins(moveOn())).rejects.toThrow('is not mined after 1 s');
  await expect(moveCoins(moveOn())).rejects.toThrow('is not mined after 1 s');
  await chain.mine({ blocks: 1 });
  await moveCoins(moveOn());
  expect(await sent()).toBe(3);
  expect(await chain.getBalance({ address: signer.address })).toBeLessThan(parseEther('0.001'));
  expect(await chain.getBalance({ address: to })).toBeGreaterThan(parseEther('9.9'));
});

it('waits until the transfers are final', async () => {
  await expect(moveContracts(moveOn({ finality: 4 }), contracts)).rejects.toThrow('are not final after 1 s');
  expect(await owners()).toEqual([to, to]);
  await chain.mine({ blocks: 3 });
  await moveContracts(moveOn({ finality: 4 }), contracts);
  expect(await sent()).toBe(2);
});

it('says that a wallet without coins cannot transfer its contracts, and moves no coins that are worth less than their gas', async () => {
  await chain.setBalance({ address: signer.address, value: 1n });
  await expect(moveContracts(moveOn(), contracts)).rejects.toThrow(/lacks \d+ wei/);
  expect(await owners()).toEqual([signer.address, signer.address]);
  await moveCoins(moveOn());
  expect(await sent()).toBe(0);
});

it('is not told by one of three nodes that there is nothing to transfer, or by one of two', async () => {
  const liar = await startLiar();
  try {
    const move = moveOn({ nodes: [liar.url, anvil.url] });
    await expect(moveContracts(move, contracts)).rejects.toThrow('do not agree on the owner');
    await moveContracts(moveOn({ nodes: [liar.url, anvil.url, anvil.url] }), contracts);
    expect(await owners()).toEqual([to, to]);
  } finally {
    await liar.stop();
  }
});

/** A node that says of every contract that the new wallet owns it. */
function startLiar(): Promise<HttpServer> {
  return startHttpServer('Liar', async (request, response) => {
    const calls = JSON.parse((await readBody(request, 1_000_000)).toString());
    const reply = await fetch(anvil.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(calls),
    });
    const replies = await reply.json();
    const changed = [calls].flat().map(({ id, method }, index) => {
      const result = `0x${to.slice(2).toLowerCase().padStart(64, '0')}`;
      return method === 'eth_call' ? { jsonrpc: '2.0', id, result } : [replies].flat()[index];
    });
    sendJson(response, 200, Array.isArray(calls) ? changed : changed[0]);
  });
}
