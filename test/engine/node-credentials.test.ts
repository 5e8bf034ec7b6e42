import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRpcClient } from '../../src/chains/rpc-client.ts';
import { readBody, startHttpServer, type HttpServer } from '../../stack/http-server.ts';
import { startWorld, type World } from './lane-world.ts';

let world: World;
let node: HttpServer;
/** The header of each request; the node answers none without the right one. */
const seen = new Set<string | undefined>();

beforeAll(async () => {
  world = await startWorld();
  const { context } = world.driver();
  const [target = ''] = context.services.settings.chains.get(context.lane.chainId)?.rpcUrls ?? [];
  node = await startHttpServer('node with a password', async (request, response) => {
    const { authorization } = request.headers;
    seen.add(authorization);
    if (authorization !== `Basic ${btoa('user:p@ssw0rd')}`) {
      response.writeHead(401).end();
      return;
    }
    const body = (await readBody(request, 1_024 ** 2)).toString();
    const reply = await fetch(target, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    response.writeHead(200, { 'content-type': 'application/json' }).end(await reply.text());
  });
});
afterAll(async () => {
  await world.stop();
  await node.stop();
});

it('a node whose URL has credentials gets them in a header, and mints', async () => {
  const { context } = world.driver();
  const url = node.url.replace('://', '://user:p%40ssw0rd@');
  const rpc = createRpcClient([url], { chainId: '43114', batchSize: 50, timeoutMs: 2_000 });
  const driver = world.driver(undefined, 500, { ...context, chain: { ...context.chain, rpc } });
  const ids = await world.acceptMints(2);
  await driver.finish();
  await world.expectMintedOnce(ids);
  expect([...seen]).toEqual([`Basic ${btoa('user:p@ssw0rd')}`]);
  expect(JSON.stringify(driver.events)).not.toContain('p@ssw0rd');
});
