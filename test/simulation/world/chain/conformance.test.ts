import {
  encodeDeployData,
  encodeFunctionData,
  numberToHex,
  parseEther,
  zeroAddress,
  zeroHash,
  type Abi,
  type Address,
  type Hex,
} from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { certificate1155 } from '../../../../contracts/artifacts/Certificate1155.ts';
import { certificate721 } from '../../../../contracts/artifacts/Certificate721.ts';
import { minimalForwarder } from '../../../../contracts/artifacts/MinimalForwarder.ts';
import { standard1155 } from '../../../../contracts/artifacts/Standard1155.ts';
import { standard721 } from '../../../../contracts/artifacts/Standard721.ts';
import { DEPLOYMENT_PROXY, create2Address, create2Call } from '../../../../src/catalog/contracts/create2.ts';
import { forwardRequestTypedData } from '../../../../src/relay/forward-request.ts';
import { startEphemeralChain, type EphemeralChain } from '../../../../scripts/contracts/ephemeral-chain.ts';
import { Random } from '../random.ts';
import { Chain } from './chain.ts';
import { Node } from './node.ts';
import { receiptJson } from './rpc-json.ts';
import { readTransaction, type Transaction } from './transaction.ts';

// Drives the model and a real node through the same steps and compares what a caller can observe.

const GAS = 6_000_000n;
const GWEI = 1_000_000_000n;

let real: EphemeralChain;
let model: Chain;
let node: Node;
let wallet: PrivateKeyAccount;
let now = 0;
let transactions = 0;

beforeAll(async () => {
  real = await startEphemeralChain();
  const rules = { id: String(real.chainId), blockTimeMs: 1_000, blockGasLimit: 30_000_000n, finality: 1 };
  const random = new Random('conformance');
  model = new Chain({ ...rules, leastPaidPercent: 0n, clockMs: 0, baseFee: GWEI }, random, now, () => []);
  const limits = { size: 100, queuedOfAccount: 64, priceBumpPercent: 10n, leastTip: 1n, blockGasLimit: 30_000_000n };
  node = new Node('node', model, limits, random, () => {});
  node.lagMs = 0;
  wallet = await real.account('wallet');
  model.deposit(lower(wallet.address), parseEther('1000'));
});
afterAll(() => real.stop());

function lower(address: string): Address {
  return address.toLowerCase() as Address;
}

/** The parts of a receipt that the product reads. */
interface Seen {
  readonly status: string;
  readonly logs: readonly { readonly address: Address; readonly topics: readonly Hex[]; readonly data: Hex }[];
}

function seen(status: string, logs: Seen['logs']): Seen {
  return { status, logs: logs.map(({ address, topics, data }) => ({ address: lower(address), topics, data })) };
}

/** Has the model mine signed bytes in its next block. */
function include(raw: Hex): Transaction {
  const transaction = readTransaction(raw, String(real.chainId));
  model.include(transaction);
  return transaction;
}

/** Makes both mine a call of the wallet and compares the results. */
async function expectSame(to: Address, data: Hex, gas = GAS): Promise<Seen> {
  const receipt = await real.send({ from: wallet.address, to, data, gas });
  const from = lower(wallet.address);
  const { nonce } = model.head.state.account(from);
  const fees = { maxFeePerGas: 10n * GWEI, maxPriorityFeePerGas: GWEI };
  const fields = { chainId: real.chainId, type: 'eip1559', to, data, gas, nonce, ...fees } as const;
  const { hash } = include(await wallet.signTransaction(fields));
  now += 1_000;
  model.advance(now);
  const mined = model.head.mined.find(({ transaction }) => transaction.hash === hash);
  if (mined === undefined) throw new Error('The model did not mine it');
  const modelled = receiptJson(model.head, mined) as { logs: Seen['logs'] };
  const result = seen(mined.status, modelled.logs);
  expect(result).toEqual(seen(receipt.status, receipt.logs));
  return result;
}

/** Asks both; expects the same answer, or an error with the same bytes of both. */
async function expectSameAnswer(to: Address, data: Hex): Promise<Hex> {
  const params = [{ from: wallet.address, to, data }, 'latest'] as const;
  const request = real.client.request as (call: object) => Promise<Hex>;
  const asked = await request({ method: 'eth_call', params }).catch(bytesIn);
  let said: Hex;
  try {
    said = node.answer('eth_call', params, node.view(now)) as Hex;
  } catch (error) {
    said = bytesIn(error);
  }
  expect(said).toBe(asked);
  return said;
}

function bytesIn(error: unknown): Hex {
  for (let current = error; current instanceof Error; current = current.cause) {
    if ('data' in current && typeof current.data === 'string') return current.data as Hex;
  }
  return '0x';
}

async function deploy(
  contract: { readonly abi: Abi; readonly bytecode: Hex },
  args: readonly unknown[],
): Promise<Address> {
  transactions += 1;
  const salt = numberToHex(transactions, { size: 32 });
  const code = encodeDeployData({ ...contract, args });
  expect((await expectSame(DEPLOYMENT_PROXY, create2Call(salt, code))).status).toBe('success');
  return create2Address(salt, code);
}

const call = (abi: Abi, functionName: string, ...args: unknown[]) => encodeFunctionData({ abi, functionName, args });

/** What a transaction has of its own: the two chains have other blocks, with other prices. */
function ofTransaction(shown: object): object {
  return Object.fromEntries(
    Object.entries(shown).filter(([name]) => !/^(block|gasPrice$|transactionIndex$)/.test(name)),
  );
}

/** The block parameter of EIP-1898. */
function at(blockHash: Hex) {
  return { blockHash, requireCanonical: true };
}

describe('the chain model behaves like a real node:', () => {
  let forwarder: Address;
  let token: Address;
  const holder = privateKeyToAccount(numberToHex(77, { size: 32 }));

  it('creates each contract at its address once, and reverts if the constructor does', async () => {
    forwarder = await deploy(minimalForwarder, []);
    const { abi, bytecode } = standard721;
    const args = ['Tokens', 'T', wallet.address, forwarder, 'https://example.com', wallet.address, 100n] as const;
    token = await deploy({ abi, bytecode }, args);
    const code = encodeDeployData({ abi, bytecode, args });
    const salt = numberToHex(transactions, { size: 32 });
    expect((await expectSame(DEPLOYMENT_PROXY, create2Call(salt, code))).status).toBe('reverted');
    const ownerless = encodeDeployData({
      abi,
      bytecode,
      args: ['T', 'T', zeroAddress, forwarder, '', wallet.address, 0n],
    });
    expect((await expectSame(DEPLOYMENT_PROXY, create2Call(zeroHash, ownerless))).status).toBe('reverted');
  });

  it('shows everything of a transaction that was signed', async () => {
    const { nonce } = model.head.state.account(lower(wallet.address));
    const fees = { maxFeePerGas: 10n * GWEI, maxPriorityFeePerGas: GWEI };
    const fields = {
      chainId: real.chainId,
      type: 'eip1559',
      to: token,
      data: '0x',
      gas: 21_001n,
      nonce,
      ...fees,
    } as const;
    const raw = await wallet.signTransaction(fields);
    const hash = await real.client.sendRawTransaction({ serializedTransaction: raw });
    await real.client.waitForTransactionReceipt({ hash });
    include(raw);
    now += 1_000;
    model.advance(now);
    const request = real.client.request as (asked: object) => Promise<object>;
    const [theirs, ours] = await Promise.all([
      request({ method: 'eth_getTransactionByHash', params: [hash] }),
      node.answer('eth_getTransactionByHash', [hash], node.view(now)),
    ]);
    expect(ofTransaction(ours as object)).toEqual(ofTransaction(theirs));
  });

  it('mints once and only by the owner, with the reason of each revert', async () => {
    const mint = call(standard721.abi, 'mint', holder.address, 1n);
    expect((await expectSame(token, mint)).status).toBe('success');
    expect((await expectSame(token, mint)).status).toBe('reverted');
    expect(await expectSameAnswer(token, mint)).toMatch(/^0x73c6ac6e/);
    await expectSameAnswer(token, call(standard721.abi, 'ownerOf', 1n));
    await expectSameAnswer(token, call(standard721.abi, 'ownerOf', 2n));
    await expectSameAnswer(token, call(standard721.abi, 'isTrustedForwarder', forwarder));
    await expectSameAnswer(token, call(standard721.abi, 'supportsInterface', '0x80ac58cd'));
    // A contract that does not support tokens cannot receive any.
    await expectSame(token, call(standard721.abi, 'mint', forwarder, 3n));
  });

  it('executes a signed request once, with the result or the failure of its call', async () => {
    const { abi } = minimalForwarder;
    const other = privateKeyToAccount(numberToHex(78, { size: 32 })).address;
    const execute = async (nonce: bigint, tokenId: bigint, gas = 200_000n) => {
      const data = call(standard721.abi, 'safeTransferFrom', holder.address, other, tokenId);
      const request = { from: holder.address, to: token, value: 0n, gas, nonce, data };
      const typed = forwardRequestTypedData({ chainId: String(real.chainId), address: forwarder }, request);
      return call(abi, 'execute', request, await holder.signTypedData(typed));
    };
    const first = await execute(0n, 1n);
    expect((await expectSame(forwarder, first)).logs).toHaveLength(2);
    expect((await expectSame(forwarder, first)).status).toBe('reverted');
    await expectSameAnswer(forwarder, first);
    // The call fails, the request is used up.
    expect((await expectSame(forwarder, await execute(1n, 1n))).logs).toHaveLength(1);
    expect((await expectSame(forwarder, await execute(2n, 1n), 150_000n)).status).toBe('reverted');
    await expectSameAnswer(forwarder, call(abi, 'getNonce', holder.address));
  });

  it('announces a change of metadata, for the owner and for a token that exists', async () => {
    const notify = (id: bigint) => call(standard721.abi, 'notifyMetadataUpdate', id);
    await expectSame(token, call(standard721.abi, 'mint', holder.address, 50n));
    expect(await expectSame(token, notify(50n))).toMatchObject({ status: 'success', logs: [expect.anything()] });
    expect((await expectSame(token, notify(99n))).status).toBe('reverted');
    for (const base of ['', 'https://example.com/']) {
      const units = await deploy(standard1155, ['T', 'T', wallet.address, forwarder, base, wallet.address, 0n]);
      expect((await expectSame(units, notify(50n))).logs).toHaveLength(base === '' ? 1 : 2);
    }
  });

  it('changes the base URI of a standard contract, for its owner, and announces that', async () => {
    const owners = [wallet.address, holder.address] as const;
    for (const owner of owners) {
      const args = ['T', 'T', owner, forwarder, 'https://example.com', wallet.address, 0n];
      for (const { abi, bytecode } of [standard721, standard1155]) {
        const address = await deploy({ abi, bytecode }, args);
        for (const base of ['https://example.com/next//', '', 'ipfs://', '//']) {
          const { status, logs } = await expectSame(address, call(abi, 'setBaseURI', base));
          const isOwner = owner === wallet.address;
          expect([status, logs.length]).toEqual(isOwner ? ['success', 2] : ['reverted', 0]);
          await expectSameAnswer(address, call(abi, 'baseURI'));
        }
      }
    }
    const { abi, bytecode } = certificate721;
    const address = await deploy({ abi, bytecode }, ['T', 'T', wallet.address, forwarder, 'https://example.com', 1]);
    expect((await expectSame(address, call(standard721.abi, 'setBaseURI', 'https://example.com'))).status).toBe(
      'reverted',
    );
  });

  it('cancels nonces, called directly and by a signed request to the forwarder itself', async () => {
    const { abi } = minimalForwarder;
    await expectSameAnswer(forwarder, call(abi, 'isTrustedForwarder', forwarder));
    await expectSameAnswer(forwarder, call(abi, 'isTrustedForwarder', token));
    await expectSameAnswer(forwarder, call(abi, 'eip712Domain'));
    expect((await expectSame(forwarder, call(abi, 'cancel', 2n))).logs).toHaveLength(1);
    expect((await expectSame(forwarder, call(abi, 'cancel', 2n))).status).toBe('reverted');
    await expectSameAnswer(forwarder, call(abi, 'cancel', 2n));
    for (const lastNonce of [2n, 4n, 1n]) {
      const nonce = BigInt(await expectSameAnswer(forwarder, call(abi, 'getNonce', holder.address)));
      const data = call(abi, 'cancel', lastNonce);
      const request = { from: holder.address, to: forwarder, value: 0n, gas: 60_000n, nonce, data };
      const typed = forwardRequestTypedData({ chainId: String(real.chainId), address: forwarder }, request);
      await expectSame(forwarder, call(abi, 'execute', request, await holder.signTypedData(typed)));
    }
    await expectSameAnswer(forwarder, call(abi, 'getNonce', holder.address));
  });

  it('transfers the ownership of a contract, after which the previous owner cannot mint', async () => {
    const next = privateKeyToAccount(numberToHex(79, { size: 32 })).address;
    expect((await expectSame(token, call(standard721.abi, 'transferOwnership', next))).status).toBe('success');
    await expectSameAnswer(token, call(standard721.abi, 'owner'));
    const mint = call(standard721.abi, 'mint', holder.address, 9n);
    expect((await expectSame(token, mint)).status).toBe('reverted');
    await expectSameAnswer(token, mint);
  });

  it('answers at the block with a hash, and with an error for a hash that it does not have', async () => {
    const request = real.client.request as (call: object) => Promise<unknown>;
    const ownerOf = { to: token, data: call(standard721.abi, 'owner') };
    const { hash } = (await request({ method: 'eth_getBlockByNumber', params: ['latest', false] })) as { hash: Hex };
    for (const [method, subject] of [
      ['eth_call', ownerOf],
      ['eth_getCode', token],
      ['eth_estimateGas', ownerOf],
    ] as const) {
      const ask = (blockHash: Hex) => request({ method, params: [subject, at(blockHash)] });
      expect(await ask(hash)).toEqual(await request({ method, params: [subject, 'latest'] }));
      await expect(ask(zeroHash)).rejects.toThrow(/not found/);
      const answer = (tag: unknown) => node.answer(method, [subject, tag], node.view(now));
      expect(answer(at(model.head.hash))).toEqual(answer('latest'));
      expect(() => answer(at(zeroHash))).toThrow(/not found/);
    }
  });

  it('mints amounts', async () => {
    const { abi, bytecode } = standard1155;
    const address = await deploy({ abi, bytecode }, ['T', 'T', wallet.address, forwarder, '', wallet.address, 0n]);
    expect((await expectSame(address, call(abi, 'mint', holder.address, 5n, 3n))).status).toBe('success');
    expect((await expectSame(address, call(abi, 'mint', holder.address, 5n, 2n))).status).toBe('success');
    expect((await expectSame(address, call(abi, 'mint', holder.address, 5n, 0n))).status).toBe('reverted');
    await expectSameAnswer(address, call(abi, 'balanceOf', holder.address, 5n));
  });

  it('records certificates, which are not transferable', async () => {
    const hash = numberToHex(1, { size: 32 });
    for (const { abi, bytecode } of [certificate721, certificate1155]) {
      const address = await deploy({ abi, bytecode }, ['T', 'T', wallet.address, forwarder, '', 1]);
      const amount = abi === certificate721.abi ? [] : [1n];
      await expectSame(address, call(abi, 'mint', holder.address, 1n, ...amount, 'https://example.com/1', hash));
      await expectSame(address, call(abi, 'mint', holder.address, 1n, ...amount, 'https://example.com/2', hash));
      await expectSame(address, call(abi, 'mint', holder.address, 2n, ...amount, '', hash));
      await expectSameAnswer(address, call(abi, 'getMetadataHash', 1n));
    }
  });

  it('burns what the holder signs, and revokes certificates where their contract allows it', async () => {
    const hash = numberToHex(1, { size: 32 });
    const burner = wallet.address;
    expect((await expectSame(token, call(standard721.abi, 'burn', 1n))).status).toBe('reverted');
    const units = await deploy(standard1155, ['T', 'T', burner, forwarder, '', burner, 0n]);
    await expectSame(units, call(standard1155.abi, 'mint', burner, 5n, 3n));
    for (const amount of [2n, 2n, 0n, 1n]) await expectSame(units, call(standard1155.abi, 'burn', burner, 5n, amount));
    for (const burnAuth of [0, 1, 2, 3]) {
      for (const { abi, bytecode } of [certificate721, certificate1155]) {
        const address = await deploy({ abi, bytecode }, ['T', 'T', burner, forwarder, 'https://example.com', burnAuth]);
        const is721 = abi === certificate721.abi;
        const amount = is721 ? [] : [1n];
        const mint = call(abi, 'mint', burner, 1n, ...amount, 'https://example.com/1', hash);
        await expectSame(address, mint);
        await expectSameAnswer(address, call(abi, 'burnAuth', 1n));
        await expectSame(address, call(abi, 'revoke', holder.address, 1n, ...amount));
        await expectSame(address, call(abi, 'revoke', burner, 1n, ...amount));
        await expectSame(address, mint);
        await expectSame(address, is721 ? call(abi, 'burn', 1n) : call(abi, 'burn', burner, 1n, 1n));
        await expectSameAnswer(address, call(abi, 'burnAuth', 1n));
        await expectSameAnswer(address, call(abi, 'getMetadataHash', 1n));
      }
    }
  });
});
