import { afterAll, beforeAll, expect, it } from 'vitest';
import { zeroAddress } from 'viem';
import { standard1155 } from '../../contracts/artifacts/Standard1155.ts';
import { startIndexWorld, type IndexWorld } from './index-world.ts';

const BLOCKS = 320;

let world: IndexWorld;
beforeAll(async () => {
  world = await startIndexWorld({ FINALITY_43114: '600' });
});
afterAll(() => world.stop());

it('a reorganization of hundreds of blocks, each with a transfer, is undone while they are not final', async () => {
  const { erc1155: address, owner, holders, chain } = world;
  const [holder = zeroAddress] = holders;
  const mint = { ...standard1155, address, functionName: 'mint', args: [holder, 1n, 1n] } as const;
  await world.write(owner, mint);
  await world.index();
  const held = (amount: number) => `${address} 1 ${holder.toLowerCase()} ${amount}`;
  expect(await world.held()).toContain(held(1));
  const snapshot = await chain.snapshot();
  for (let block = 0; block < BLOCKS; block += 1) await world.write(owner, mint);
  await world.index();
  expect(await world.held()).toContain(held(1 + BLOCKS));
  await chain.revert({ id: snapshot });
  await chain.increaseTime({ seconds: 17 });
  await world.write(owner, mint);
  await chain.mine({ blocks: BLOCKS });
  await world.index();
  expect(await world.held()).toContain(held(2));
  expect(world.events.map(({ event }) => event)).not.toContain('holdings.history_replaced');
});
