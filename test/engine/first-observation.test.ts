import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRpcClient } from '../../src/chains/rpc-client.ts';
import { startWorld, type Driver, type Hook, type World } from './lane-world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());
/** Each test starts without observations of the lane. */
beforeEach(() => world.pool.query('delete from lanes'));

/** Falsifies a node's newest block, or the number of the wallet's mined transactions. */
type Lie = (block: Record<string, string>, count: string) => { block?: object; count?: string };

const raised = (hex: string | undefined, by: number) => `0x${(Number(hex) + by).toString(16)}`;
const lies: readonly [string, Lie][] = [
  ['its block', (block) => ({ block: { ...block, number: raised(block['number'], 50_000_000) } })],
  ["the wallet's count", (_, count) => ({ count: raised(count, 4_000_000_000) })],
];

/** A driver whose nodes are the chain, each at a URL of its own; a hook falsifies the replies of those that lie. */
function driverOf(nodes: number, lie: (node: number) => Lie | undefined): Driver {
  const hook: Hook = async (request, next) => {
    const node = Number(new URL(request.url).searchParams.get('node'));
    const falsify = node === 0 ? undefined : lie(node);
    const reply = await next();
    if (falsify === undefined || !request.body.includes('eth_getTransactionCount')) return reply;
    const calls = JSON.parse(request.body) as { id: number; method: string }[];
    const answers = (await reply.json()) as { id: number; result: never }[];
    const idOf = (method: string) => calls.find((each) => each.method === method)?.id;
    const resultOf = (method: string) => answers.find(({ id }) => id === idOf(method))?.result ?? ({} as never);
    const falsified = falsify(resultOf('eth_getBlockByNumber'), resultOf('eth_getTransactionCount'));
    const byId = new Map<number | undefined, unknown>([
      [idOf('eth_getBlockByNumber'), falsified.block],
      [idOf('eth_getTransactionCount'), falsified.count],
    ]);
    return Response.json(answers.map((each) => ({ ...each, result: byId.get(each.id) ?? each.result })));
  };
  const { context } = world.driver();
  const [url] = context.services.settings.chains.get(context.lane.chainId)?.rpcUrls ?? [];
  const urls = Array.from({ length: nodes }, (_, index) => `${url}/?node=${index + 1}`);
  const rpc = createRpcClient(urls, { chainId: '43114', batchSize: 50, timeoutMs: 2_000 });
  return world.driver(hook, 500, { ...context, chain: { ...context.chain, rpc } });
}

describe('the first observation of a lane', () => {
  it.each(lies)('is that of the others if one node lies about %s', async (_, lie) => {
    const [id = ''] = await world.acceptMints(1);
    const driver = driverOf(3, (node) => (node === 1 ? lie : undefined));
    await driver.finish();
    expect(driver.events.map(({ event }) => event)).toContain('lane.head_refused');
    const { rows } = await world.pool.query('select observations from lanes');
    expect(rows[0].observations.at(-1)[0]).toBeLessThan(50_000_000);
    expect(Number((await world.order(id))['nonce'])).toBeLessThan(1_000);
    await world.expectMintedOnce([id]);
  });

  it.each(lies)('is rejected if one of two nodes lies about %s and the other does not answer', async (_, lie) => {
    const [id = ''] = await world.acceptMints(1);
    let lied = 0;
    const driver = driverOf(2, (node) => {
      if (node === 2) return () => ({ block: null as never });
      lied += 1;
      return lied === 1 ? lie : undefined;
    });
    await driver.finish();
    expect(Number((await world.order(id))['nonce'])).toBeLessThan(1_000);
    await world.expectMintedOnce([id]);
  });

  it.each(lies)('is the lower one if the only node lies about %s once', async (_, lie) => {
    const [id = ''] = await world.acceptMints(1);
    let lied = 0;
    const driver = driverOf(1, () => {
      lied += 1;
      return lied === 1 ? lie : undefined;
    });
    await driver.finish();
    expect(driver.events.map(({ event }) => event)).toContain('lane.head_refused');
    expect(Number((await world.order(id))['nonce'])).toBeLessThan(1_000);
    await world.expectMintedOnce([id]);
  });

  it('is accepted if one of three nodes reports a lower block', async () => {
    const ids = await world.acceptMints(2);
    const driver = driverOf(3, (node) =>
      node === 2 ? (block) => ({ block: { ...block, number: '0x1' } }) : undefined,
    );
    await driver.finish();
    await world.expectMintedOnce(ids);
  });
});

describe('a later observation', () => {
  it.each<[string, Lie | undefined]>([
    ['is far ahead of the last one', lies[0]?.[1]],
    ['counts more transactions than were signed', (_, count) => ({ count: raised(count, 1_500) })],
  ])('that %s is replaced by that of the others', async (_, lie) => {
    const [first = ''] = await world.acceptMints(1);
    let isLying = false;
    const driver = driverOf(3, (node) => (isLying && node === 1 ? lie : undefined));
    await driver.finish();
    await world.expectMintedOnce([first]);
    isLying = true;
    const [second = ''] = await world.acceptMints(1);
    await driver.finish();
    expect(driver.events.map(({ event }) => event)).toContain('lane.head_refused');
    expect(Number((await world.order(second))['nonce'])).toBe(Number((await world.order(first))['nonce']) + 1);
    await world.expectMintedOnce([second]);
  });
});
