import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getContractAddress, parseEther, parseGwei, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { contextThatFinds, finishFinally, startWorld, type Driver, type Hook, type World } from './lane-world.ts';
import { allowErrors, expectErrors } from '../record/service-errors.ts';

expectErrors('order.not_read');
allowErrors('block.reorganized');

const FINALITY = 8;

let world: World;
beforeAll(async () => {
  world = await startWorld({ CONFIRMATIONS_43114: '4', FINALITY_43114: String(FINALITY) });
});
afterAll(() => world.stop());

/** A driver of a kind of mint whose effect is found in a transaction that the test names. */
function driverThatFinds(txHash: Hex, hook?: Hook): Driver {
  const context = contextThatFinds(world.driver(), async ({ reads }) => {
    const receipt = await reads.receipt(txHash);
    if (receipt === undefined) return undefined;
    const { blockNumber, blockHash } = receipt;
    return { effect: { tokenId: '1' }, inclusion: { txHash, blockNumber, blockHash } };
  });
  return world.driver(hook, 500, context);
}

/** An order that can no longer be executed: its token exists. */
async function obsoleteOrder(): Promise<string> {
  const [id = ''] = await world.acceptMints(1, { erc721: true });
  const { token_id: tokenId, contract_address: address } = await world.order(id);
  await world.takeToken(String(address) as Hex, String(tokenId));
  return id;
}

/** An order whose transaction is in the pool and can no longer succeed. */
async function signedOrder(): Promise<string> {
  const [id = ''] = await world.acceptMints(1, { erc721: true });
  await world.driver().until(async () => (await world.order(id))['status'] === 'SENT');
  const { token_id: tokenId, contract_address: address } = await world.order(id);
  await world.takeToken(String(address) as Hex, String(tokenId));
  return id;
}

/** A signed transaction that can be mined on any branch. */
async function thirdPartyTransaction(): Promise<Hex> {
  const account = privateKeyToAccount(generatePrivateKey());
  await world.chain.setBalance({ address: account.address, value: parseEther('1') });
  return await account.signTransaction({
    chainId: await world.chain.getChainId(),
    nonce: 0,
    gas: 21_000n,
    to: world.wallet,
    maxFeePerGas: parseGwei('500'),
    maxPriorityFeePerGas: parseGwei('1'),
  });
}

async function confirmedOrder(): Promise<string> {
  const [id = ''] = await world.acceptMints(1);
  await world.driver().until(async () => {
    await world.chain.mine({ blocks: 1 });
    return (await world.order(id))['status'] === 'CONFIRMED';
  });
  return id;
}

describe("an effect of a third party's transaction", () => {
  it('confirms the order with the hash of that transaction, once it has its confirmations', async () => {
    const id = await obsoleteOrder();
    const [thirdParty] = await world.chain.getAddresses();
    const txHash = await world.chain.sendTransaction({
      account: thirdParty ?? world.wallet,
      chain: null,
      to: world.wallet,
    });
    const driver = driverThatFinds(txHash);
    await driver.run();
    expect((await world.order(id))['status']).toBe('PROCESSING');
    await world.chain.mine({ blocks: 4 });
    await world.makeDue();
    await driver.finish();
    expect(await world.order(id)).toMatchObject({ status: 'CONFIRMED', tx_hash: txHash, total_fee_native: null });
  });

  it('does not count if the transaction is that of another order: one mint does not confirm two', async () => {
    const other = await confirmedOrder();
    const id = await obsoleteOrder();
    await driverThatFinds(String((await world.order(other))['tx_hash']) as Hex).finish();
    expect(await world.order(id)).toMatchObject({ status: 'FAILED', tx_hash: null });
  });

  it('is not final where only a node on another branch still has its receipt', async () => {
    const id = await obsoleteOrder();
    const snapshot = await world.chain.snapshot();
    const [thirdParty] = await world.chain.getAddresses();
    const account = thirdParty ?? world.wallet;
    const txHash = await world.chain.sendTransaction({ account, chain: null, to: world.wallet });
    await world.chain.mine({ blocks: 4 });
    await driverThatFinds(txHash).finish();
    expect(await world.order(id)).toMatchObject({ state: 'confirmed', is_final: false });
    const [known] = await world
      .driver()
      .context.chain.rpc.request([{ method: 'eth_getTransactionReceipt', params: [txHash] }]);
    await world.chain.revert({ id: snapshot });
    await world.chain.mine({ blocks: 3 * FINALITY });

    let asked = 0;
    const stalled: Hook = async (request, next) => {
      if (!request.body.includes('eth_getTransactionReceipt')) return await next();
      asked += 1;
      const body = JSON.parse(request.body) as { id: number } | { id: number }[];
      const replies = [body].flat().map((call) => ({ id: call.id, ...known }));
      return Response.json(Array.isArray(body) ? replies : replies[0]);
    };
    await driverThatFinds(txHash, stalled).until(() => Promise.resolve(asked > 0));
    expect(await world.order(id)).toMatchObject({ state: 'confirmed', is_final: false });
    await driverThatFinds(txHash).until(async () => (await world.order(id))['state'] === 'failed');
    expect(await world.order(id)).toMatchObject({ status: 'FAILED', tx_hash: null });
  });
});

async function headNumber(): Promise<number> {
  return Number(await world.chain.getBlockNumber({ cacheTime: 0 }));
}

/** Nodes that keep every block, but only the state of the two newest. */
const withoutOldState: Hook = async ({ body }, next) => {
  if (!body.includes('requireCanonical')) return await next();
  const calls = [JSON.parse(body)].flat() as { id: number; params: [unknown, { blockHash?: Hex }?] }[];
  const replies = [await (await next()).json()].flat() as { id: number }[];
  const head = await world.chain.getBlockNumber({ cacheTime: 0 });
  const error = { code: -32_000, message: 'missing trie node (path ) state is not available' };
  const kept = replies.map(async (reply) => {
    const blockHash = calls.find(({ id }) => id === reply.id)?.params[1]?.blockHash;
    const block = blockHash === undefined ? undefined : await world.chain.getBlock({ blockHash }).catch(() => null);
    return block && block.number < head - 1n ? { id: reply.id, error } : reply;
  });
  const shown = await Promise.all(kept);
  return Response.json(body.startsWith('[') ? shown : shown[0]);
};

/**
 * An effect that leaves no log: a third party's contract.
 * @returns a driver that looks for it, with such nodes, and the transaction that creates it, which is not sent yet.
 */
async function effectWithoutLog() {
  const account = privateKeyToAccount(generatePrivateKey());
  await world.chain.setBalance({ address: account.address, value: parseEther('1') });
  const serializedTransaction = await account.signTransaction({
    chainId: await world.chain.getChainId(),
    nonce: 0,
    gas: 100_000n,
    // Its code is one byte.
    data: '0x60016000f3',
    maxFeePerGas: parseGwei('500'),
    maxPriorityFeePerGas: parseGwei('1'),
  });
  const address = getContractAddress({ from: account.address, nonce: 0n });
  const context = contextThatFinds(world.driver(), async ({ reads }) =>
    (await reads.code(address)) === '0x' ? undefined : { effect: { tokenId: '1' }, inclusion: null },
  );
  return { serializedTransaction, driver: world.driver(withoutOldState, 500, context) };
}

describe('an effect that leaves no log', () => {
  it.each([
    ['waiting', obsoleteOrder],
    ['signed', signedOrder],
  ])(
    'confirms an order that is %s once the block in which it was seen is final, though no node has its state any more',
    async (state, orderOf) => {
      await world.chain.setAutomine(false);
      const id = await orderOf();
      const { serializedTransaction, driver } = await effectWithoutLog();
      await world.chain.sendRawTransaction({ serializedTransaction });
      await world.chain.mine({ blocks: 1 });
      const minedIn = await headNumber();
      let confirmedAt = minedIn;
      for (; (await world.order(id))['state'] === state && confirmedAt < minedIn + 3 * FINALITY; confirmedAt += 1) {
        await world.makeDue();
        await driver.run();
        await world.chain.mine({ blocks: 1 });
      }
      await world.chain.setAutomine(true);
      expect(await world.order(id)).toMatchObject({ status: 'CONFIRMED', tx_hash: null, is_final: true });
      expect(confirmedAt).toBeGreaterThanOrEqual(minedIn + FINALITY);
      // It is looked for as soon as our own receipt has its confirmations, not only once that is final.
      expect(confirmedAt).toBeLessThan(minedIn + 2 * FINALITY - 1);
    },
  );

  it('does not count by a block that a reorganization has taken out', async () => {
    const id = await obsoleteOrder();
    const { serializedTransaction, driver } = await effectWithoutLog();
    const snapshot = await world.chain.snapshot();
    await world.chain.sendRawTransaction({ serializedTransaction });
    const seenIn = await headNumber();
    await driver.run();
    expect((await world.order(id))['state']).toBe('waiting');
    await world.chain.revert({ id: snapshot });
    await world.chain.mine({ blocks: 4 });
    await world.chain.sendRawTransaction({ serializedTransaction });
    const minedIn = await headNumber();
    while ((await headNumber()) < minedIn + FINALITY - 2) {
      await world.chain.mine({ blocks: 1 });
      await world.makeDue();
      await driver.run();
    }
    expect(await headNumber()).toBeGreaterThan(seenIn + FINALITY - 1);
    expect((await world.order(id))['state']).toBe('waiting');
    await world.chain.mine({ blocks: FINALITY });
    await world.makeDue();
    await driver.finish();
    expect(await world.order(id)).toMatchObject({ status: 'CONFIRMED', is_final: true });
  });
});

/**
 * An order that a third party's transaction confirmed after its own had reverted, and whose end a reorganization moves
 * to another block.
 * @returns its id and the other transaction's hash.
 */
async function movedOrder(hook?: Hook) {
  await world.chain.setAutomine(false);
  const id = await signedOrder();
  await world.chain.mine({ blocks: 1 });
  const [own] = await world.attempts(id);
  expect(await world.chain.getTransactionReceipt({ hash: String(own?.['hash']) as Hex })).toMatchObject({
    status: 'reverted',
  });
  await world.chain.mine({ blocks: FINALITY });
  const serializedTransaction = await thirdPartyTransaction();
  const snapshot = await world.chain.snapshot();
  const txHash = await world.chain.sendRawTransaction({ serializedTransaction });
  await world.chain.mine({ blocks: 4 });
  const driver = driverThatFinds(txHash, hook);
  await driver.finish();
  expect(await world.order(id)).toMatchObject({ state: 'confirmed', tx_hash: txHash, is_final: false });

  await world.chain.revert({ id: snapshot });
  await world.chain.mine({ blocks: 1 });
  await world.chain.sendRawTransaction({ serializedTransaction });
  await world.chain.mine({ blocks: 2 * FINALITY });
  await world.chain.setAutomine(true);
  return { id, txHash, driver };
}

/** Checks that an order keeps its end, in the block in which the transaction is now. */
async function expectKept({ id, txHash, driver }: Awaited<ReturnType<typeof movedOrder>>) {
  await driver.until(async () => {
    const { is_final: isFinal, endings } = await world.order(id);
    return isFinal === true || Number(endings) > 1;
  });
  const { blockHash } = await world.chain.getTransactionReceipt({ hash: txHash });
  expect(await world.order(id)).toMatchObject({
    state: 'confirmed',
    endings: 1,
    tx_hash: txHash,
    block_hash: blockHash,
  });
}

describe("an order that a third party's transaction confirmed after its own had reverted", () => {
  it('keeps its end if that transaction is mined in another block after a reorganization', async () => {
    const moved = await movedOrder();
    await expectKept(moved);
    const { rows } = await world.pool.query(
      "select type from webhook_events where related_order_id = $1 and type <> 'order.sent'",
      [moved.id],
    );
    expect(rows).toEqual([{ type: 'mint.confirmed' }]);
  });

  it('is reopened if that transaction is mined again without the effect', async () => {
    const { id } = await movedOrder();
    const context = contextThatFinds(world.driver(), () => Promise.resolve(undefined));
    const driver = world.driver(undefined, 500, context);
    await driver.until(async () => (await world.order(id))['state'] === 'failed');
    expect(await world.order(id)).toMatchObject({ endings: 2 });
  });

  it('does not stop the others while it cannot be read, and keeps its end', async () => {
    const moved = await movedOrder();
    const [other = ''] = await world.acceptMints(1);
    const unreadable = contextThatFinds(world.driver(), () => Promise.reject(new Error('It cannot be read')));
    await world.driver(undefined, 500, unreadable).until(async () => {
      await world.chain.mine({ blocks: 1 });
      return (await world.order(other))['status'] === 'CONFIRMED';
    });
    await expectKept({ ...moved, driver: driverThatFinds(moved.txHash) });
  });

  it('does not stop the others while the node cannot say where that transaction is, and keeps its end', async () => {
    let isSilent = false;
    let asked = 0;
    const moved = await movedOrder(async (request, next) => {
      if (!isSilent || !request.body.includes(moved.txHash)) return await next();
      asked += 1;
      const calls = [JSON.parse(request.body)].flat() as { id: number; params: unknown[] }[];
      const replies = [await (await next()).json()].flat() as { id: number }[];
      const error = { code: -32_000, message: 'transaction indexing is in progress' };
      const changed = replies.map((reply) => {
        const isOfIt = calls.some(({ id, params }) => id === reply.id && params[0] === moved.txHash);
        return isOfIt ? { id: reply.id, error } : reply;
      });
      return Response.json(request.body.startsWith('[') ? changed : changed[0]);
    });
    isSilent = true;
    const [other = ''] = await world.acceptMints(1);
    await moved.driver.until(async () => {
      await world.chain.mine({ blocks: 1 });
      return asked > 0 && (await world.order(other))['status'] === 'CONFIRMED';
    });
    await expectKept({ ...moved, driver: driverThatFinds(moved.txHash) });
    await world.expectMintedOnce([other]);
  });
});

describe('an order of a chain that needs confirmations', () => {
  it('is CONFIRMED when its block has as many, and not before', async () => {
    const [id = ''] = await world.acceptMints(1);
    const driver = world.driver();
    const isMined = async () => {
      const [attempt] = await world.attempts(id);
      const hash = String(attempt?.['hash']) as Hex;
      return attempt !== undefined && (await world.chain.getTransactionReceipt({ hash }).catch(() => null)) !== null;
    };
    await driver.until(isMined);
    await world.chain.mine({ blocks: 2 });
    const settled = Date.now() + 1_000;
    await driver.until(() => Promise.resolve(Date.now() > settled));
    expect((await world.order(id))['state']).toBe('signed');
    await world.chain.mine({ blocks: 1 });
    await driver.finish();
    await world.expectMintedOnce([id]);
  });

  it('does not change once more when it is final', async () => {
    const id = await confirmedOrder();
    const confirmed = await world.order(id);
    await finishFinally(world, world.driver());
    expect(await world.order(id)).toEqual({ ...confirmed, is_final: true });
  });
});

describe('a transaction that is mined but not confirmed', () => {
  it('keeps no other order from the funds that are left', async () => {
    const [first = ''] = await world.acceptMints(1);
    const driver = world.driver();
    await driver.run();
    const [attempt] = await world.attempts(first);
    const cost = BigInt(String(attempt?.['gas'])) * BigInt(String(attempt?.['max_fee_per_gas']));
    await world.chain.setBalance({ address: world.wallet, value: (cost * 3n) / 2n });
    const [second = ''] = await world.acceptMints(1);
    await driver.run();
    expect(await world.order(first)).toMatchObject({ state: 'signed' });
    expect(await world.order(second)).toMatchObject({ state: 'signed', hold_reason: null });
    await world.chain.setBalance({ address: world.wallet, value: parseEther('1000') });
    await world.chain.mine({ blocks: FINALITY });
    await driver.finish();
    await world.expectMintedOnce([first, second]);
  });
});
