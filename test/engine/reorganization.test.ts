import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestClient, formatEther, http, type Address, type Hex } from 'viem';
import { startAnvil } from '../../stack/anvil.ts';
import { startWorld, type Hook, type World } from './lane-world.ts';
import { allowErrors } from '../record/service-errors.ts';

allowErrors('block.reorganized');

const FINALITY = 6;

let world: World;
beforeAll(async () => {
  world = await startWorld({ FINALITY_43114: String(FINALITY) });
});
afterAll(() => world.stop());

const allFinal = async () =>
  (await world.pool.query("select 1 from orders where state = 'confirmed' and not is_final")).rows.length === 0;

it('an order that is accepted while earlier ones are checked at finality is claimed at once', async () => {
  const ids = await world.acceptMints(1);
  await world.driver().finish();
  await world.chain.mine({ blocks: FINALITY });
  let later: string | undefined;
  const isClaimed = async () => (await world.order(later ?? ''))['status'] !== 'PENDING';
  const acceptingMeanwhile: Hook = async ({ body }, next) => {
    if (later !== undefined || !body.includes('is_final and block_number <=')) return await next();
    later = '';
    // The run looks for work meanwhile, and finds none.
    await delay(1_500);
    [later = ''] = await world.acceptMints(1);
    driver.wakes.raise();
    for (let polls = 0; polls < 300 && !(await isClaimed()); polls += 1) await delay(100);
    return await next();
  };
  const driver = world.driver(acceptingMeanwhile, 60_000);
  await driver.run();
  expect(await isClaimed()).toBe(true);
  await driver.finish();
  await world.expectMintedOnce([...ids, later ?? '']);
});

describe('a block that is reorganized out', () => {
  it('has its orders executed again, with a second event', async () => {
    const ids = await world.acceptMints(1);
    const snapshot = await world.chain.snapshot();
    const driver = world.driver();
    await driver.finish();
    await world.expectMintedOnce(ids);
    const [id = ''] = ids;
    expect(await world.order(id)).toMatchObject({ state: 'confirmed', is_final: false, endings: 1 });

    await world.chain.revert({ id: snapshot });
    await world.chain.mine({ blocks: FINALITY + 2 });
    await driver.until(async () => (await world.order(id))['endings'] === 2);
    await world.expectMintedOnce(ids);
    expect(driver.events.map(({ event }) => event)).toContain('block.reorganized');
    expect(await world.attempts(id)).toHaveLength(1);
    const { rows } = await world.pool.query('select id from webhook_events where related_order_id = $1', [id]);
    expect(new Set(rows.map((row) => row.id)).size).toBe(2);
    const { rows: documents } = await world.pool.query(
      'select m.linked_at from metadata m join orders o on o.metadata_id = m.id where o.id = $1',
      [id],
    );
    expect(documents[0].linked_at).not.toBeNull();
    await world.chain.mine({ blocks: FINALITY });
    await driver.until(allFinal);
  });

  it("does not block the lane's other orders", async () => {
    const before = await world.acceptMints(2);
    const snapshot = await world.chain.snapshot();
    const driver = world.driver();
    await driver.finish();
    await world.chain.revert({ id: snapshot });
    const after = await world.acceptMints(3);
    await driver.until(async () => {
      await world.chain.mine({ blocks: 1 });
      return (await Promise.all([...before, ...after].map((id) => world.order(id)))).every(
        (transaction) => transaction['state'] === 'confirmed' && transaction['is_final'] === true,
      );
    });
    await world.expectMintedOnce([...before, ...after]);
  });

  it('only moves a transaction that is mined in another block, with the fee of that block', async () => {
    const [id = ''] = await world.acceptMints(1);
    const snapshot = await world.chain.snapshot();
    const driver = world.driver();
    await driver.finish();
    const [attempt] = await world.attempts(id);
    const before = await world.chain.getTransactionReceipt({ hash: String(attempt?.['hash']) as Hex });
    await world.chain.revert({ id: snapshot });
    await world.chain.setNextBlockBaseFeePerGas({ baseFeePerGas: 1n });
    await world.chain.mine({ blocks: 1 });
    await world.chain.setNextBlockBaseFeePerGas({ baseFeePerGas: 1n });
    await world.chain.sendRawTransaction({ serializedTransaction: String(attempt?.['raw']) as Hex });
    await world.chain.mine({ blocks: FINALITY + 1 });
    await driver.until(allFinal);
    const receipt = await world.chain.getTransactionReceipt({ hash: String(attempt?.['hash']) as Hex });
    expect(receipt.effectiveGasPrice).not.toBe(before.effectiveGasPrice);
    expect(await world.order(id)).toMatchObject({
      state: 'confirmed',
      is_final: true,
      endings: 1,
      block_hash: receipt.blockHash,
      total_fee_native: formatEther(receipt.gasUsed * receipt.effectiveGasPrice),
    });
  });

  it('reopens no order of whose receipts no node says anything', async () => {
    const [id = ''] = await world.acceptMints(1);
    const snapshot = await world.chain.snapshot();
    let isSilent = false;
    let asked = 0;
    const driver = world.driver(async (request, next) => {
      if (!isSilent || !request.body.includes('eth_getTransactionReceipt')) return await next();
      asked += 1;
      return new Response('unavailable', { status: 503 });
    });
    await driver.finish();
    const [attempt] = await world.attempts(id);
    await world.chain.revert({ id: snapshot });
    await world.chain.mine({ blocks: 1 });
    await world.chain.sendRawTransaction({ serializedTransaction: String(attempt?.['raw']) as Hex });
    await world.chain.mine({ blocks: FINALITY + 1 });
    isSilent = true;
    await driver.until(() => Promise.resolve(asked > 0));
    await world.driver().until(allFinal);
    expect(await world.order(id)).toMatchObject({ state: 'confirmed', endings: 1 });
  });

  it('ends an order again if another of its attempts is mined, with the hash that is on chain', async () => {
    const [id = ''] = await world.acceptMints(1);
    await world.chain.setAutomine(false);
    const snapshot = await world.chain.snapshot();
    const driver = world.driver();
    await driver.until(async () => (await world.order(id))['status'] === 'SENT');
    const [first] = await world.attempts(id);
    await world.chain.setNextBlockBaseFeePerGas({ baseFeePerGas: 90_000_000_000n });
    await world.chain.mine({ blocks: 1 });
    await driver.until(async () => {
      await world.chain.mine({ blocks: 1 });
      return (await world.order(id))['status'] === 'CONFIRMED';
    });
    expect((await world.order(id))['tx_hash']).not.toBe(first?.['hash']);

    await world.chain.revert({ id: snapshot });
    await world.chain.setAutomine(true);
    await world.chain.setNextBlockBaseFeePerGas({ baseFeePerGas: 1n });
    await world.chain.sendRawTransaction({ serializedTransaction: String(first?.['raw']) as Hex });
    await world.chain.mine({ blocks: FINALITY + 2 });
    await driver.until(async () => (await world.order(id))['endings'] === 2);
    await world.expectMintedOnce([id]);
    expect(await world.order(id)).toMatchObject({ status: 'CONFIRMED', tx_hash: first?.['hash'] });
  });

  it('may take a contract along, for which nothing is signed until it is there again', async () => {
    const driver = world.driver();
    const [first = ''] = await world.acceptMints(1, { erc721: true });
    await driver.finish();
    const address = String((await world.order(first))['contract_address']) as Hex;
    const bytecode = await world.chain.getCode({ address });
    if (bytecode === undefined) throw new Error('The contract has no code');
    await world.chain.setCode({ address, bytecode: '0x' });
    await world.chain.mine({ blocks: 1 });
    const [id = ''] = await world.acceptMints(1, { erc721: true });
    await driver.run();
    expect(await world.order(id)).toMatchObject({ state: 'waiting', nonce: null, hold_reason: 'not-now' });
    await world.chain.setCode({ address, bytecode });
    await world.chain.mine({ blocks: 1 });
    await world.makeDue();
    await driver.finish();
    await world.expectMintedOnce([first, id]);
  });

  it('counts a failure only when it is final', async () => {
    const [id = ''] = await world.acceptMints(1, { erc721: true });
    const driver = world.driver();
    await world.chain.setAutomine(false);
    await driver.until(async () => (await world.order(id))['status'] === 'SENT');
    const { token_id: tokenId, contract_address: address } = await world.order(id);
    // The token is minted to another receiver in the meantime, so the order's own transaction reverts.
    await world.takeToken(String(address) as Hex, String(tokenId));
    await world.chain.setAutomine(true);
    await world.chain.mine({ blocks: 1 });
    const settled = Date.now() + 1_500;
    await driver.until(() => Promise.resolve(Date.now() > settled));
    expect(await world.order(id)).toMatchObject({ status: 'SENT' });
    await world.chain.mine({ blocks: FINALITY });
    await driver.finish();
    expect(await world.order(id)).toMatchObject({ status: 'FAILED' });
    expect(String((await world.order(id))['error_message'])).toMatch(/^Token \d+ exists and belongs to /);
  });
});

/** A copy of the node that continues on a branch of its own, on which every call to a contract reverts. */
async function nodeOnOtherBranch(contract: Address) {
  const node = await startAnvil({ chainId: await world.chain.getChainId() });
  const chain = createTestClient({ mode: 'anvil', transport: http(node.url) });
  await chain.loadState({ state: await world.chain.dumpState() });
  await chain.setCode({ address: contract, bytecode: '0x5f5ffd' });
  await chain.mine({ blocks: 2 });
  await world.chain.mine({ blocks: 1 });
  return node;
}

describe('a node on another branch', () => {
  it('that has a block of the same height makes no order fail by the state of its own', async () => {
    const [id = ''] = await world.acceptMints(1, { erc721: true });
    const node = await nodeOnOtherBranch(String((await world.order(id))['contract_address']) as Address);
    let isAsked = true;
    const replies: string[] = [];
    const otherNode: Hook = async ({ url, body }, next) => {
      if (!isAsked || url === node.url || !/eth_(estimateGas|call|getCode)/.test(body)) return await next();
      const reply = await fetch(node.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      replies.push(await reply.clone().text());
      return reply;
    };
    const driver = world.driver(otherNode);
    await driver.until(() => Promise.resolve(replies.length > 0));
    await driver.run();
    expect(await world.order(id)).toMatchObject({ status: 'PROCESSING', error_message: null });
    isAsked = false;
    await node.stop();
    await world.makeDue();
    await driver.finish();
    await world.expectMintedOnce([id]);
  });
});

describe('a nonce that was used elsewhere', () => {
  it('is searched for in block bodies only once its block can be final', async () => {
    // So that there are final blocks to search.
    await world.chain.mine({ blocks: 4 * FINALITY });
    const [id = ''] = await world.acceptMints(1);
    const bodies: string[] = [];
    const driver = world.driver((request, next) => {
      if (request.body.includes('eth_sendRawTransaction')) {
        return Promise.resolve(new Response('unavailable', { status: 503 }));
      }
      const read = request.body.matchAll(/"eth_getBlockByNumber","params":\["(0x[0-9a-f]+)",true\]/g);
      bodies.push(...Array.from(read, ([, number = '']) => number));
      return next();
    });
    await driver.until(async () => (await world.order(id))['state'] === 'signed');
    await world.useNonceElsewhere();
    const searchDue = Date.now() + 5_000;
    await driver.until(() => Promise.resolve(Date.now() > searchDue));
    expect(bodies).toEqual([]);
    await world.chain.mine({ blocks: FINALITY });
    await driver.until(async () => (await world.attempts(id)).length === 2);
    expect(bodies.length).toBeGreaterThan(0);
    await world.driver().until(async () => {
      await world.chain.mine({ blocks: 1 });
      return (await world.order(id))['status'] === 'CONFIRMED';
    });
    await world.expectMintedOnce([id]);
  });
});
