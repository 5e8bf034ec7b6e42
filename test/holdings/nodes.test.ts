import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  encodeAbiParameters,
  encodeEventTopics,
  maxUint256,
  numberToHex,
  parseAbi,
  zeroAddress,
  type Address,
  type Hex,
} from 'viem';
import { standard1155 } from '../../contracts/artifacts/Standard1155.ts';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import { filterOf, nodeThatSays, startIndexWorld, watchingCalls, type Filter, type IndexWorld } from './index-world.ts';
import { expectErrors } from '../record/service-errors.ts';

expectErrors('holdings.history_replaced');

let world: IndexWorld;
let token = 0n;
beforeAll(async () => {
  world = await startIndexWorld({ FINALITY_43114: '4' });
  await world.index();
});
afterAll(() => world.stop());
beforeEach(async () => {
  await world.rebuild();
  await world.index();
});

/** Mints a new token of the ERC-721 contract, and units of one of the ERC-1155 contract. */
async function mintBoth(to: Address) {
  token += 1n;
  const id = token;
  await world.write(world.owner, { ...standard721, address: world.erc721, functionName: 'mint', args: [to, id] });
  await world.write(world.owner, { ...standard1155, address: world.erc1155, functionName: 'mint', args: [to, id, 3n] });
  const holder = to.toLowerCase();
  return { unique: `${world.erc721} ${id} ${holder} 1`, units: `${world.erc1155} ${id} ${holder} 3` };
}

const isThird = (url: string) => url.includes('node=3');
const holder = () => world.holders[0] ?? zeroAddress;
const lengthOf = ({ fromBlock, toBlock }: Filter) => Number(toBlock) - Number(fromBlock) + 1;
const stopOf = async (address: Address): Promise<string | null> =>
  (await world.pool.query('select stop from indexed_contracts where contract_address = $1', [address])).rows[0].stop;
const logged = (event: string) => world.events.filter((line) => line.event === event).length;

/** A log of the ERC-1155 contract in the last block of a range. */
async function madeUp(
  { toBlock }: Filter,
  { from, to, id, amount }: { from: Address; to: Address; id: bigint; amount: bigint },
  index = 0,
) {
  const { hash } = await world.chain.getBlock({ blockNumber: BigInt(toBlock) });
  return {
    address: world.erc1155,
    topics: encodeEventTopics({ ...standard1155, eventName: 'TransferSingle', args: { operator: from, from, to } }),
    data: encodeAbiParameters([{ type: 'uint256' }, { type: 'uint256' }], [id, amount]),
    blockNumber: toBlock,
    blockHash: hash,
    transactionHash: `0x${'7'.repeat(64)}`,
    transactionIndex: '0x0',
    logIndex: numberToHex(1_000 + index),
    removed: false,
  };
}

describe('what the index asks nodes', () => {
  it('is the head alone while there is no new block', async () => {
    const { hook, calls } = watchingCalls();
    await world.index(hook);
    expect(calls.map(({ method, params }) => [method, params[0]])).toEqual([['eth_getBlockByNumber', 'latest']]);
  });

  it('is one range for all contracts when there are new blocks', async () => {
    await mintBoth(holder());
    await mintBoth(holder());
    const { hook, calls } = watchingCalls();
    await world.index(hook);
    const filters = calls.flatMap((call) => filterOf(call) ?? []);
    expect(filters.map(({ address }) => address)).toEqual([[world.erc721, world.erc1155].toSorted()]);
    expect(calls).toHaveLength(4);
  });

  it('is nothing for a chain without contracts', async () => {
    await world.pool.query("update contracts set status = 'FAILED'");
    const { hook, calls } = watchingCalls();
    await world.index(hook);
    await world.pool.query("update contracts set status = 'ACTIVE'");
    expect(calls).toEqual([]);
  });

  it('is nothing of other contracts where one is taken up later', async () => {
    const minted = await mintBoth(holder());
    await world.index();
    await world.rebuild(world.erc721);
    const { hook, calls } = watchingCalls();
    await world.index(hook);
    const filters = calls.flatMap((call) => filterOf(call) ?? []);
    expect(filters.map(({ address }) => address)).toEqual([[world.erc721]]);
    expect(await world.held()).toContain(minted.unique);
  });

  it('is shorter ranges where a provider refuses long ones, which come to the same', async () => {
    for (let made = 0; made < 6; made += 1) await mintBoth(holder());
    const held = await world.held();
    await world.index();
    const truth = await world.held();
    expect(truth).toHaveLength(held.length + 12);
    await world.rebuild();
    const refuses = nodeThatSays((filter) =>
      lengthOf(filter) > 3
        ? { error: { code: -32_005, message: 'query returned more than 10000 results' } }
        : undefined,
    );
    await world.index(refuses);
    await world.index(refuses);
    expect(await world.held()).toEqual(truth);
  });

  it('stops where the chain has none of the blocks that it has read, until it is built again', async () => {
    const minted = await mintBoth(holder());
    await world.pool.query("update indexed_chains set block_hash = $1, earlier = '[]'", [`0x${'9'.repeat(64)}`]);
    const before = await world.held();
    await world.index();
    expect([logged('holdings.history_replaced'), await world.held()]).toEqual([1, before]);
    await world.rebuild();
    await world.index();
    expect(await world.held()).toEqual([...before, ...Object.values(minted)].toSorted());
  });

  it('is half of the range after a run that died in the middle, which logs of contracts may have killed', async () => {
    for (let made = 0; made < 4; made += 1) await mintBoth(holder());
    const firstLength = async () => {
      const { hook, calls } = watchingCalls();
      await world.index(hook);
      return calls.flatMap((call) => filterOf(call) ?? []).map(lengthOf)[0];
    };
    await world.pool.query("update indexed_chains set range_length = 6, leased_until = now() - interval '1 minute'");
    expect(await firstLength()).toBe(3);
    for (let made = 0; made < 4; made += 1) await mintBoth(holder());
    expect(await firstLength()).toBeGreaterThan(3);
  });

  it('is the same for two runs at once: one has the chain for itself', async () => {
    const minted = await mintBoth(holder());
    const { hook, calls } = watchingCalls();
    await Promise.all([world.index(hook), world.index(hook)]);
    expect(calls.flatMap((call) => filterOf(call) ?? [])).toHaveLength(1);
    expect(await world.held()).toEqual(expect.arrayContaining(Object.values(minted)));
  });
});

describe('what a node says of logs', () => {
  it('does not count where most of three nodes say otherwise, whether it hides some or makes some up', async () => {
    const minted = await mintBoth(holder());
    await world.index(
      nodeThatSays(() => ({ result: [] }), isThird),
      3,
    );
    expect(await world.held()).toEqual(expect.arrayContaining(Object.values(minted)));
    const before = await world.held();
    await world.chain.mine({ blocks: 1 });
    const filter: Filter = { address: [], fromBlock: '0x1', toBlock: numberToHex(await world.chain.getBlockNumber()) };
    const lie = await madeUp(filter, { from: zeroAddress, to: holder(), id: 99n, amount: 7n });
    await world.index(
      nodeThatSays((_, truth) => ({ result: [...truth, lie] }), isThird),
      3,
    );
    expect(await world.held()).toEqual(before);
  });

  it('is waited for where two nodes contradict each other, and read once they agree', async () => {
    const minted = await mintBoth(holder());
    const before = await world.held();
    const disputes = logged('holdings.disputed');
    await world.index(
      nodeThatSays(
        () => ({ result: [] }),
        (url) => url.includes('node=2'),
      ),
      2,
    );
    expect(await world.held()).toEqual(before);
    expect(logged('holdings.disputed')).toBe(disputes + 1);
    await world.index(undefined, 2);
    expect(await world.held()).toEqual(expect.arrayContaining(Object.values(minted)));
  });
});

describe('a contract that reports what it should not', () => {
  it('gives nobody less than nothing, and keeps nobody else from being indexed', async () => {
    const minted = await mintBoth(holder());
    const [, second = zeroAddress, third = zeroAddress] = world.holders;
    const lies: object[] = [];
    await world.index(nodeThatSays((_, truth) => ({ result: [...truth, ...lies] })));
    await world.chain.mine({ blocks: 1 });
    const filter: Filter = { address: [], fromBlock: '0x1', toBlock: numberToHex(await world.chain.getBlockNumber()) };
    lies.push(
      await madeUp(filter, { from: second, to: third, id: maxUint256, amount: maxUint256 }, 0),
      await madeUp(filter, { from: second, to: third, id: maxUint256, amount: maxUint256 }, 1),
      { ...(await madeUp(filter, { from: second, to: third, id: 1n, amount: 1n }, 2)), data: '0x12' as Hex },
    );
    await world.index(nodeThatSays((_, truth) => ({ result: [...truth, ...lies] })));
    const held = await world.held();
    expect(held).toEqual(expect.arrayContaining(Object.values(minted)));
    expect(held).toContain(`${world.erc1155} ${maxUint256} ${third.toLowerCase()} ${maxUint256 * 2n}`);
    expect(held.filter((row) => row.includes(`${maxUint256} ${second.toLowerCase()}`))).toEqual([]);
    expect(await stopOf(world.erc1155)).toBeNull();
  });

  it('is read no further once it has too many transfers in a block, and says so', async () => {
    const minted = await mintBoth(holder());
    const filter: Filter = { address: [], fromBlock: '0x1', toBlock: numberToHex(await world.chain.getBlockNumber()) };
    const ids = Array.from({ length: 20_001 }, (_, index) => BigInt(index));
    const args = { operator: holder(), from: zeroAddress, to: holder() };
    const batch = {
      ...(await madeUp(filter, { from: zeroAddress, to: holder(), id: 5n, amount: 1n })),
      topics: encodeEventTopics({ ...standard1155, eventName: 'TransferBatch', args }),
      data: encodeAbiParameters([{ type: 'uint256[]' }, { type: 'uint256[]' }], [ids, ids.map(() => 1n)]),
    };
    await world.index(
      nodeThatSays(({ address }, truth) => ({ result: address.length > 0 ? [...truth, batch] : truth })),
    );
    expect(await stopOf(world.erc1155)).toBe('TOO_MANY_TRANSFERS');
    expect(await world.held()).toContain(minted.unique);
    const later = await mintBoth(holder());
    await world.index();
    expect(await world.held()).toContain(later.unique);
    expect(await world.held()).not.toContain(later.units);
    await world.rebuild(world.erc1155);
    await world.index();
    expect(await stopOf(world.erc1155)).toBeNull();
    expect(await world.held()).toContain(later.units);
  });

  it('waits for the next day once it has the transfers of one, while others go on', async () => {
    await mintBoth(holder());
    await world.index();
    const next = (await world.chain.getBlockNumber()) + 1n;
    const ofDay = (day: string) =>
      world.pool.query(
        `update indexed_contracts set transfers_of_day = 250000, next_block = coalesce(next_block, $1), day = ${day} where contract_address = $2`,
        [next, world.erc1155],
      );
    await ofDay('floor(extract(epoch from now()) / 86400)');
    const minted = await mintBoth(holder());
    await world.index();
    expect(await world.held()).toContain(minted.unique);
    expect(await world.held()).not.toContain(minted.units);
    await ofDay('0');
    await world.index();
    expect(await world.held()).toEqual(expect.arrayContaining(Object.values(minted)));
  });

  it('is read no further once it moves a range of tokens by one log (ERC-2309), and says so', async () => {
    const minted = await mintBoth(holder());
    const filter: Filter = { address: [], fromBlock: '0x1', toBlock: numberToHex(await world.chain.getBlockNumber()) };
    const lie = await madeUp(filter, { from: zeroAddress, to: holder(), id: 5n, amount: 1n });
    const abi = parseAbi([
      'event ConsecutiveTransfer(uint256 indexed fromTokenId, uint256 toTokenId, address indexed fromAddress, address indexed toAddress)',
    ]);
    const args = { fromTokenId: 0n, fromAddress: zeroAddress, toAddress: holder() };
    const range = {
      ...lie,
      address: world.erc721,
      topics: encodeEventTopics({ abi, args }),
      data: encodeAbiParameters([{ type: 'uint256' }], [maxUint256]),
    };
    await world.index(nodeThatSays((_, truth) => ({ result: [...truth, range] })));
    expect(await stopOf(world.erc721)).toBe('RANGES');
    expect(await world.held()).toContain(minted.units);
  });

  it('is read no further where nodes refuse its logs of a single block, and others are', async () => {
    const minted = await mintBoth(holder());
    const refuses = nodeThatSays(({ address }) =>
      address.includes(world.erc1155) ? { error: { code: -32_000, message: 'response size exceeded' } } : undefined,
    );
    await world.index(refuses);
    expect(await stopOf(world.erc1155)).toBe('UNREADABLE');
    expect(await world.held()).toContain(minted.unique);
  });

  it('is read later where nodes are too busy to return its logs', async () => {
    const minted = await mintBoth(holder());
    const isBusy = nodeThatSays(({ address }) =>
      address.includes(world.erc1155) ? { error: { code: -32_005, message: 'limit exceeded' } } : undefined,
    );
    for (let runs = 0; runs < 12; runs += 1) await world.index(isBusy);
    expect(await stopOf(world.erc1155)).toBeNull();
    await world.index();
    expect(await world.held()).toEqual(expect.arrayContaining(Object.values(minted)));
  });
});
