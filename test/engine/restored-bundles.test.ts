import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  decodeFunctionData,
  encodeFunctionData,
  getAddress,
  parseTransaction,
  zeroAddress,
  type Address,
  type Hex,
} from 'viem';
import { standard1155 } from '../../contracts/artifacts/Standard1155.ts';
import { holderRecords } from '../../cli/holder/holder-records.ts';
import { compareDatabase } from '../../cli/compare/compare-database.ts';
import { chainDefinition } from '../../src/chains/list.ts';
import { newId } from '../../src/core/record-id.ts';
import { insertionOf } from '../../src/engine/transactions.store.ts';
import { deployKind } from '../../src/orders/deploy/deploy-kind.ts';
import { findLinkedClaim, nameReceiver } from '../../src/orders/mint/claims/open-claims.store.ts';
import { backUpTables, restoreTables } from './backups.ts';
import { finishFinally, refusingBundles, startWorld, type Driver, type World } from './lane-world.ts';
import { allowErrors } from '../record/service-errors.ts';

allowErrors('block.reorganized');

const CHAIN = '43114';
/** Code that refuses every token. */
const CODE = '0x6001600055';

let world: World;
beforeAll(async () => {
  world = await startWorld({ FINALITY_43114: '4' }, true);
});
afterAll(() => world.stop());

const statusOf = async (id: string) => String((await world.order(id))['status']);

const finish = (driver: Driver) => finishFinally(world, driver);

const TABLES = ['contracts', 'orders', 'claims', 'attempts', 'lanes', 'webhook_events', 'webhook_deliveries'] as const;

const backUp = () => backUpTables(world.pool, TABLES);
const restore = () => restoreTables(world.pool, TABLES);

/** Restores the backup, adopts what was carried out since, and lets a driver carry out the rest. */
async function expectOnceAfterRestore(ids: readonly string[]): Promise<void> {
  await expectOnce(ids);
  await world.chain.mine({ blocks: 5 });
  await restore();
  const { adopted } = await compare(true);
  expect(adopted).toBe(true);
  await world.makeDue();
  await finish(world.driver());
  await expectOnce(ids);
}

function compare(adopt: boolean) {
  const { DATABASE_URL, NEON_FETCH_ENDPOINT, chains } = world.driver().context.services.settings;
  const [url = ''] = chains.get(CHAIN)?.rpcUrls ?? [];
  const rpcUrls = new Map([[chainDefinition(CHAIN), [url]]]);
  return compareDatabase({ DATABASE_URL, NEON_FETCH_ENDPOINT, rpcUrls, since: new Date(0), adopt });
}

/** Expects each order to be CONFIRMED, and its one unit to be there once. */
async function expectOnce(ids: readonly string[]): Promise<void> {
  const found = await Promise.all(
    ids.map(async (id) => {
      const {
        status,
        contract_address: address,
        receiver_address: receiver,
        token_id: tokenId,
      } = await world.order(id);
      const balance = await world.chain.readContract({
        ...standard1155,
        address: address as Address,
        functionName: 'balanceOf',
        args: [receiver as Address, BigInt(String(tokenId))],
      });
      return [status, balance];
    }),
  );
  expect(found).toEqual(ids.map(() => ['CONFIRMED', 1n]));
}

let receivers = 0x1000;

/** Mints of which the block leaves one out; that one is then minted alone. @returns the orders, that one last. */
async function leaveOneOut({
  whenAccepted = () => Promise.resolve(),
  whenSent = () => Promise.resolve(),
  whenConfirmed = () => Promise.resolve(),
  whenAlone,
}: Readonly<Partial<Record<'whenAccepted' | 'whenSent' | 'whenConfirmed', () => Promise<void>>>> & {
  /** The one that was left out is then the first of its bundle. @param id Of its transaction. */
  readonly whenAlone?: (id: unknown) => Promise<void>;
} = {}): Promise<{
  readonly ids: readonly string[];
  readonly receiver: Address;
}> {
  await world.chain.setAutomine(false);
  receivers += 1;
  const receiver: Address = `0x00000000000000000000000000000000000d${receivers.toString(16)}`;
  const [first] = whenAlone === undefined ? [] : await world.acceptMints(1, { receiverAddress: receiver });
  const others = await world.acceptMints(3);
  const [late = ''] = first === undefined ? await world.acceptMints(1, { receiverAddress: receiver }) : [first];
  await whenAccepted();
  const driver = world.driver();
  await driver.until(async () => (await statusOf(late)) === 'SENT');
  await whenSent();
  await world.chain.setCode({ address: receiver, bytecode: CODE });
  await world.chain.mine({ blocks: 1 });
  await world.chain.setCode({ address: receiver, bytecode: '0x' });
  await driver.until(async () => (await Promise.all(others.map(statusOf))).every((status) => status === 'CONFIRMED'));
  await whenConfirmed();
  if (whenAlone !== undefined) {
    await world.chain.mine({ blocks: 5 });
    const isAlone = async () => {
      const { state, bundle_id: bundle } = await world.order(late);
      return state === 'signed' && bundle === null;
    };
    await driver.until(isAlone);
    await whenAlone((await world.order(late))['id']);
  }
  await finish(driver);
  return { ids: [...others, late], receiver };
}

describe('after a restore, what a bundle left out and was minted alone since is not minted again', () => {
  it.each([
    ['before the bundle was signed', { whenAccepted: backUp }],
    ['while the bundle was signed', { whenSent: backUp }],
    ['after the bundle had ended, before it was released', { whenConfirmed: backUp }],
  ])('if the backup is from %s', async (_, steps) => {
    const { ids } = await leaveOneOut(steps);
    await expectOnceAfterRestore(ids);
  });

  it('if no node has accepted the bundle', async () => {
    await world.chain.setAutomine(true);
    const ids = await world.acceptMints(3);
    let isBackedUp = false;
    const refusing = refusingBundles(async () => {
      if (!isBackedUp) await backUp();
      isBackedUp = true;
    });
    await finish(world.driver(refusing));
    await expectOnceAfterRestore(ids);
  });
});

describe('after a restore, what all nodes had forgotten is mined with the nonce of another call, and each order is executed once', () => {
  it.each([
    ['a call for several, with the nonce of one for these and another', { kept: 3, lost: 0, added: 1 }],
    ['a call for one, with the nonce of one for it and others', { kept: 1, lost: 0, added: 2 }],
    ['a call for several, with the nonce of the only one that the backup has', { kept: 1, lost: 2, added: 0 }],
  ])('%s', async (_, { kept, lost, added }) => {
    await world.chain.setAutomine(false);
    const ids = await world.acceptMints(kept);
    const [first = ''] = ids;
    const areSent = async () => (await Promise.all(ids.map(statusOf))).every((status) => status === 'SENT');
    const forget = async () => {
      const [{ hash, raw } = {}] = await world.attempts(first);
      await world.chain.dropTransaction({ hash: hash as Hex });
      return raw as Hex;
    };
    await backUp();
    await world.acceptMints(lost);
    await world.driver().until(areSent);
    const serializedTransaction = await forget();
    await world.chain.mine({ blocks: 6 });
    await restore();
    expect((await compare(true)).adopted).toBe(true);
    await world.makeDue();
    ids.push(...(await world.acceptMints(added)));
    const driver = world.driver();
    await driver.until(areSent);
    await forget();
    await world.chain.sendRawTransaction({ serializedTransaction });
    await world.chain.mine({ blocks: 5 });
    await finish(driver);
    await expectOnce(ids);
    // It pays for its part of the call that has executed it.
    expect(await world.order(first)).toMatchObject({ bundle_size: kept + Math.max(lost, added) });
  });
});

it('what a bundle left out is adopted from another bundle that all had forgotten', async () => {
  let raw: Hex = '0x';
  let hash: Hex = '0x';
  const { ids } = await leaveOneOut({
    whenAlone: async (transactionId) => {
      const { rows } = await world.pool.query('select raw, hash from attempts where transaction_id = $1', [
        transactionId,
      ]);
      ({ raw, hash } = rows.at(-1) as { raw: Hex; hash: Hex });
      await world.chain.dropTransaction({ hash });
      const { args } = decodeFunctionData({ abi: standard1155.abi, data: parseTransaction(raw).data ?? '0x' });
      const [to, id, amount] = args as unknown as [Address, bigint, bigint];
      const items = [
        { to, id, amount },
        { to: world.wallet, id: 999_999n, amount: 1n },
      ];
      const data = encodeFunctionData({ ...standard1155, functionName: 'mintMany', args: [items] });
      const lost = await world.signedWith(raw, { data, gas: 600_000n });
      await world.chain.sendRawTransaction({ serializedTransaction: lost });
      await world.chain.mine({ blocks: 5 });
    },
  });
  await expectOnce(ids);
  expect(hash).not.toBe((await world.order(ids.at(-1) ?? ''))['tx_hash']);
});

it('after a restore, an order is adopted that had an attempt of its own before a bundle carried it', async () => {
  await world.chain.setAutomine(false);
  const ids = await world.acceptMints(2);
  const [first = ''] = ids;
  await world.driver().until(async () => (await Promise.all(ids.map(statusOf))).every((status) => status === 'SENT'));
  const [{ hash, raw } = {}] = await world.attempts(first);
  // What an earlier nonce leaves behind that it has lost by itself.
  await world.pool.query(
    `insert into attempts (transaction_id, number, nonce, hash, raw, purpose, gas, max_fee_per_gas,
       max_priority_fee_per_gas, created_at)
     select id, 1, 0, '0x' || repeat('ee', 32), '0x', 'effect', 1, 1, 1, now()
     from orders where order_id = $1 and kind = 'mint'`,
    [first],
  );
  await backUp();
  await world.chain.dropTransaction({ hash: hash as Hex });
  const other = { to: world.wallet, data: '0x01', gas: 30_000n } as const;
  await world.chain.sendRawTransaction({ serializedTransaction: await world.signedWith(raw as Hex, other) });
  await world.chain.mine({ blocks: 5 });
  await finish(world.driver());
  await expectOnceAfterRestore(ids);
});

it('after a restore, an order is not executed again whose bundle was reorganized out and left it out when it was mined again', async () => {
  await world.chain.setAutomine(false);
  receivers += 1;
  const receiver: Address = `0x00000000000000000000000000000000000d${receivers.toString(16)}`;
  const ids = [...(await world.acceptMints(2)), ...(await world.acceptMints(1, { receiverAddress: receiver }))];
  const driver = world.driver();
  const areAll = async (status: string) => (await Promise.all(ids.map(statusOf))).every((one) => one === status);
  await driver.until(() => areAll('SENT'));
  const [{ raw } = {}] = await world.attempts(ids[0] ?? '');
  const snapshot = await world.chain.snapshot();
  await world.chain.mine({ blocks: 1 });
  await driver.until(() => areAll('CONFIRMED'));
  await backUp();
  await world.chain.revert({ id: snapshot });
  await world.chain.setCode({ address: receiver, bytecode: CODE });
  await world.chain.sendRawTransaction({ serializedTransaction: raw as Hex });
  await world.chain.mine({ blocks: 1 });
  await world.chain.setCode({ address: receiver, bytecode: '0x' });
  await world.chain.mine({ blocks: 6 });
  await finish(driver);
  await restore();
  const { comparisons } = await compare(false);
  expect(comparisons[0]?.matching.matches.map(({ of }) => of.orderId)).toEqual([ids[2]]);
  expect(await statusOf(ids[2] ?? '')).toBe('CONFIRMED');
  // While a transaction is not settled, nothing is stored.
  await world.chain.setAutomine(false);
  await world.useNonceElsewhere();
  const early = await compare(true);
  expect(early.adopted).toBe(false);
  expect(early.comparisons[0]?.unsettled).toHaveLength(1);
  expect(await Promise.all(ids.map(statusOf))).toEqual(['CONFIRMED', 'CONFIRMED', 'CONFIRMED']);
  await world.chain.mine({ blocks: 1 });
  await expectOnceAfterRestore(ids);
});

describe('after a restore, nobody claims a second time what was claimed since the backup', () => {
  const HOLDER = getAddress('0x00000000000000000000000000000000000d3001');
  const claim = async (id: string) => {
    const { db } = world.driver().context.services;
    const linked = await findLinkedClaim(db, id, new Date());
    if (linked === undefined) throw new Error('There is a claim');
    return await nameReceiver(db, linked, { receiverAddress: HOLDER, pinHash: null }, new Date());
  };

  it.each([
    ['alone', 0],
    ['with other mints', 2],
  ])('minted %s', async (_, others) => {
    await world.chain.setAutomine(true);
    const [id = ''] = await world.acceptMints(1, { receiverAddress: zeroAddress });
    await world.pool.query(
      `with t as (
         update orders set approval_until = now() + interval '1 day', next_try_at = now() + interval '1 day' where id = $1
         returning *
       )
       insert into claims (id, corporate_account_id, chain_id, contract_address, secret_hash, expires_at, created_at)
       select id, corporate_account_id, chain_id, contract_address, 'secret', now() + interval '1 day', created_at
       from t`,
      [id],
    );
    await backUp();
    const ids = [id, ...(await world.acceptMints(others))];
    expect(await claim(id)).toMatchObject({ isNamed: true });
    await finish(world.driver());
    await expectOnce(ids);
    await world.chain.mine({ blocks: 5 });
    await restore();
    expect((await compare(true)).adopted).toBe(true);
    expect(await claim(id)).toMatchObject({
      isNamed: false,
      after: { status: 'CLAIMED', receiverAddress: HOLDER },
    });
    await finish(world.driver());
    await expectOnce([id]);
  });
});

it('after a restore, the ownership transfer that has followed a deployment since is CONFIRMED by its transaction', async () => {
  await world.chain.setAutomine(true);
  const now = new Date();
  const id = newId(now.getTime() - 3_600_000);
  const newOwner = getAddress('0x00000000000000000000000000000000000d4001');
  await world.pool.query(
    `insert into contracts (id, corporate_account_id, chain_id, name, symbol, erc_standard, contract_type, status,
       current_owner_address, transfer_owner_address, royalty_receiver, royalty_fee_bps, updated_at)
     values ($1, $2, $3, 'T', 'T', '721', 'standard', 'DEPLOYING', $4, $5, $4, 0, now())`,
    [id, world.accountId, CHAIN, world.wallet, newOwner],
  );
  const { db } = world.driver().context.services;
  const order = { orderId: id, accountId: world.accountId, chainId: CHAIN, walletAddress: world.wallet, columns: {} };
  await db.sql.execute(insertionOf(undefined, deployKind, [order], now, { batchId: newId() }));
  const transfer = async () => {
    const { rows } = await world.pool.query(
      `select o.status, o.tx_hash, o.error_message, c.current_owner_address
       from orders o join contracts c on c.id = o.contract_id where o.id = $1`,
      [id],
    );
    return rows[0] as Record<string, unknown>;
  };
  await backUp();
  await finish(world.driver());
  const before = await transfer();
  expect(before).toMatchObject({ status: 'CONFIRMED', current_owner_address: newOwner });
  await world.chain.mine({ blocks: 5 });
  await restore();
  expect((await compare(true)).adopted).toBe(true);
  await finish(world.driver());
  expect(await transfer()).toEqual(before);
});

it('a mint of a bundle is named of which the restored database has no order', async () => {
  await world.chain.setAutomine(false);
  const kept = await world.acceptMints(2);
  await backUp();
  const [lost = ''] = await world.acceptMints(1);
  const { token_id: tokenId } = await world.order(lost);
  await world.driver().until(async () => (await statusOf(lost)) === 'SENT');
  await world.chain.mine({ blocks: 5 });
  await restore();
  const { comparisons } = await compare(false);
  const { matches = [], unknown = [] } = comparisons[0]?.matching ?? {};
  expect(matches.map(({ of }) => of.orderId).toSorted()).toEqual(kept.toSorted());
  const data = unknown.map((call) => call.data);
  expect(data.some((one) => one.includes(BigInt(String(tokenId)).toString(16).padStart(64, '0')))).toBe(true);
  await compare(true);
  await finish(world.driver());
  await expectOnce(kept);
});

it('the erasure of a holder takes the address out of the bytes of the bundle that left it out, too', async () => {
  const { receiver } = await leaveOneOut();
  await world.pool.query("update webhook_deliveries set status = 'SUCCESS'");
  await holderRecords(world.driver().context.services.settings.DATABASE_URL, receiver, true);
  const { rows } = await world.pool.query('select 1 from attempts where raw like $1', [`%${receiver.slice(2)}%`]);
  expect(rows).toEqual([]);
});
