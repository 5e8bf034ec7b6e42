import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAbi, zeroAddress, type Hex } from 'viem';
import { standard1155 } from '../../contracts/artifacts/Standard1155.ts';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import { startIndexWorld, type IndexWorld } from './index-world.ts';

const FINALITY = 6;
const CONFIRMATIONS = 3;
const ROUNDS = 12;
const TOKENS = 6;

let world: IndexWorld;
beforeAll(async () => {
  world = await startIndexWorld({ FINALITY_43114: String(FINALITY), CONFIRMATIONS_43114: String(CONFIRMATIONS) });
});
afterAll(() => world.stop());

/** A generator of numbers below a limit, the same for the same seed (mulberry32). */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

const ids = Array.from({ length: TOKENS }, (_, index) => BigInt(index + 1_000));

/** One transfer, mint or burn by another tool, chosen at random among those that the contracts carry out. */
async function actAtRandom(pick: (below: number) => number): Promise<void> {
  const { erc721, erc1155, owner, holders, write } = world;
  const id = ids[pick(TOKENS)] ?? 0n;
  const to = holders[pick(holders.length)] ?? zeroAddress;
  if (pick(2) === 0) {
    const from = await world.ownerOf(id);
    const contract = { ...standard721, address: erc721 } as const;
    if (from === undefined) await write(owner, { ...contract, functionName: 'mint', args: [to, id] });
    else if (pick(5) === 0) await write(from, { ...contract, functionName: 'burn', args: [id] });
    else await write(from, { ...contract, functionName: 'transferFrom', args: [from, to, id] });
    return;
  }
  const contract = { ...standard1155, address: erc1155 } as const;
  const amount = BigInt(1 + pick(9));
  if (pick(3) === 0) {
    await write(owner, { ...contract, functionName: 'mint', args: [to, id, amount] });
    return;
  }
  const from = holders[pick(holders.length)] ?? zeroAddress;
  const held = await Promise.all(ids.map((each) => world.balanceOf(from, each)));
  const units = ids.map((each, index): [bigint, bigint] => [each, held[index] ?? 0n]).filter(([, have]) => have > 0n);
  const [first] = units;
  if (first === undefined) return;
  if (pick(4) === 0) {
    await write(from, { ...contract, functionName: 'burn', args: [from, first[0], 1n] });
  } else if (pick(2) === 0) {
    await write(from, { ...contract, functionName: 'safeTransferFrom', args: [from, to, first[0], 1n, '0x'] });
  } else {
    const args = [from, to, units.map(([each]) => each), units.map(() => 1n), '0x' as Hex] as const;
    await write(from, { ...contract, functionName: 'safeBatchTransferFrom', args });
  }
}

/** What the contracts themselves say of their holders. */
async function heldOnChain(serviceIds: readonly string[]): Promise<string[]> {
  const { erc721, erc1155, holders, receiver } = world;
  const all = new Map([...holders, receiver].map((holder) => [holder.toLowerCase(), holder]));
  const rows: string[] = [];
  for (const id of ids) {
    const owner = await world.ownerOf(id);
    if (owner !== undefined) rows.push(`${erc721} ${id} ${owner.toLowerCase()} 1`);
  }
  for (const id of [...ids, ...serviceIds.map(BigInt)]) {
    for (const [holder, address] of all) {
      const amount = await world.balanceOf(address, id);
      if (amount > 0n) rows.push(`${erc1155} ${id} ${holder} ${amount}`);
    }
  }
  return rows.toSorted();
}

describe('the index of transfers', () => {
  it('has what the contracts say, through reorganizations, and the same when it is built again', async () => {
    const pick = numbersFrom(37);
    const serviceTokens: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      for (let made = 0; made < 1 + pick(4); made += 1) await actAtRandom(pick);
      if (pick(3) === 0) serviceTokens.push(...(await world.mintByService(1 + pick(3))));
      if (pick(2) === 0) await world.index();
      if (pick(2) === 0) {
        const snapshot = await world.chain.snapshot();
        for (let made = 0; made < 1 + pick(4); made += 1) await actAtRandom(pick);
        await world.index();
        await world.chain.revert({ id: snapshot });
        // Blocks with other hashes, and more of them.
        await world.chain.increaseTime({ seconds: 17 });
        for (let made = 0; made < pick(3); made += 1) await actAtRandom(pick);
        await world.chain.mine({ blocks: FINALITY });
      }
      if (pick(2) === 0) await world.chain.mine({ blocks: 1 + pick(4) });
      await world.index();
      expect(await world.held(), `round ${round}`).toEqual(await heldOnChain(serviceTokens));
    }
    expect(world.events.map(({ event }) => event)).toContain('holdings.reorganized');
    expect(world.events.filter(({ event, level }) => level === 'error' && event.startsWith('holdings.'))).toEqual([]);

    await world.chain.mine({ blocks: FINALITY });
    await world.index();
    const before = await world.rows();
    expect(before.transfers.length).toBeGreaterThan(20);
    await world.rebuild();
    expect((await world.rows()).transfers).toEqual([]);
    await world.index();
    expect(await world.rows()).toEqual(before);
  });

  it('sends one event for each transfer once it is as deep as other events are', async () => {
    await world.chain.mine({ blocks: FINALITY });
    await world.index();
    const known = (await world.notices()).length;
    const { erc1155, owner, holders } = world;
    const [to = zeroAddress] = holders;
    const mint = { ...standard1155, address: erc1155, functionName: 'mint', args: [to, 77n, 5n] } as const;
    const snapshot = await world.chain.snapshot();
    await world.write(owner, mint);
    await world.index();
    expect(await world.notices()).toHaveLength(known);
    // The same transaction in another block.
    await world.chain.revert({ id: snapshot });
    await world.chain.increaseTime({ seconds: 17 });
    await world.write(owner, mint);
    await world.chain.mine({ blocks: CONFIRMATIONS - 2 });
    await world.index();
    expect(await world.notices()).toHaveLength(known);
    await world.chain.mine({ blocks: 1 });
    await world.index();
    const sent = (await world.notices()).slice(known);
    expect(sent).toEqual([
      expect.objectContaining({
        chainId: '43114',
        contractAddress: erc1155,
        tokenId: '77',
        from: zeroAddress,
        to: to.toLowerCase(),
        amount: '5',
      }),
    ]);
    await world.chain.mine({ blocks: FINALITY });
    await world.index();
    await world.rebuild();
    await world.index();
    expect(await world.notices()).toHaveLength(known + 1);
  });

  it('keeps no transfer waiting whose event nobody gets, so that those of others need not wait for it', async () => {
    const [to = zeroAddress] = world.holders;
    const waitingAfterMint = async (status: 'ENABLED' | 'DISABLED') => {
      await world.pool.query('update webhook_endpoints set status = $1', [status]);
      const call = { ...standard1155, address: world.erc1155, functionName: 'mint', args: [to, 78n, 1n] } as const;
      await world.write(world.owner, call);
      await world.index();
      return (await world.pool.query('select 1 from token_transfers where not is_notified')).rows.length;
    };
    expect(await waitingAfterMint('DISABLED')).toBe(0);
    expect(await waitingAfterMint('ENABLED')).toBe(1);
  });

  it('knows an owner that was changed elsewhere, and forgets one whose block is gone', async () => {
    const abi = parseAbi(['function transferOwnership(address newOwner)']);
    const [, heir = zeroAddress] = world.holders;
    const snapshot = await world.chain.snapshot();
    const call = { abi, address: world.erc721, functionName: 'transferOwnership', args: [heir] } as const;
    await world.write(world.owner, call);
    await world.index();
    expect(await world.ownerOfContract(world.erc721)).toBe(heir.toLowerCase());
    await world.chain.revert({ id: snapshot });
    await world.chain.increaseTime({ seconds: 17 });
    await world.chain.mine({ blocks: 2 });
    await world.index();
    expect(await world.ownerOfContract(world.erc721)).toBe(world.wallet.toLowerCase());
  });
});
