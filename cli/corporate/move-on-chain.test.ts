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
  type Hex,
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

const foreignOf = (addresses: readonly Address[]) => addresses.map((address) => ({ address, isOwn: false }));
const own = () => contracts.map((address) => ({ address, isOwn: true }));
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
  const oneByte = newAddress();
  await chain.setCode({ address: oneByte, bytecode: '0x600060005260016000f3' });
  // The last one has no code.
  const all = [...contracts, oneByte, newAddress()];
  await moveContracts(moveOn(), foreignOf(all));
  await moveContracts(moveOn(), foreignOf(all));
  expect(await owners()).toEqual([foreign, to]);
  expect(await sent()).toBe(2);
});

it('stops at a contract that should be of the former wallet and is of a third', async () => {
  await moveContracts({ ...moveOn(), to: newAddress() }, own().slice(0, 1));
  const before = await owners();
  await expect(moveContracts(moveOn(), own())).rejects.toThrow(`${contracts[0]} belongs to ${before[0]}`);
  expect(await owners()).toEqual(before);
  await moveContracts(moveOn(), own().slice(1));
  expect(await owners()).toEqual([before[0], to]);
});

/** Bytecode of a contract whose owner is always the former wallet. */
const bytecode = (effect: 'none' | 'reverts'): Hex => {
  const reply = `73${signer.address.slice(2)}60005260206000f3`;
  // Reverts with more calldata than a selector.
  return effect === 'none' ? `0x${reply}` : `0x36600410602457${reply}5b60006000fd`;
};

it.each([
  ['none', 'are not final of'],
  ['reverts', 'cannot be transferred'],
] as const)('names a contract of which a transfer has %s as the effect', async (effect, reason) => {
  const address = newAddress();
  await chain.setCode({ address, bytecode: bytecode(effect) });
  const stopped = moveContracts(moveOn(), [...own(), { address, isOwn: true }]);
  await expect(stopped).rejects.toThrow(reason);
  await expect(stopped).rejects.toThrow(`--leave-contracts ${address}`);
  expect(await owners()).toEqual([to, to]);
});

it('does not send again what an earlier run has sent and is not mined', async () => {
  await chain.setAutomine(false);
  await expect(moveContracts(moveOn(), own())).rejects.toThrow('is not mined after 1 s');
  await expect(moveContracts(moveOn(), own())).rejects.toThrow('is not mined after 1 s');
  await chain.mine({ blocks: 1 });
  await chain.setAutomine(true);
  await moveContracts(moveOn(), own());
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
  await expect(moveContracts(moveOn({ finality: 4 }), own())).rejects.toThrow(/are not final of .* after 1 s/);
  expect(await owners()).toEqual([to, to]);
  await chain.mine({ blocks: 3 });
  await moveContracts(moveOn({ finality: 4 }), own());
  expect(await sent()).toBe(2);
});

it('says that a wallet without coins cannot transfer its contracts, and moves no coins that are worth less than their gas', async () => {
  await chain.setBalance({ address: signer.address, value: 1n });
  await expect(moveContracts(moveOn(), own())).rejects.toThrow(/lacks \d+ wei/);
  expect(await owners()).toEqual([signer.address, signer.address]);
  await moveCoins(moveOn());
  expect(await sent()).toBe(0);
});

it('is not told by one of three nodes that there is nothing to transfer, or by one of two', async () => {
  const liar = await startLiar();
  try {
    const move = moveOn({ nodes: [liar.url, anvil.url] });
    await expect(moveContracts(move, own())).rejects.toThrow('do not agree on the owner');
    await moveContracts(moveOn({ nodes: [liar.url, anvil.url, anvil.url] }), own());
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
