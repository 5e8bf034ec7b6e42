import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Address } from 'viem';
import type { LowerCaseAddress } from '../../src/core/lower-case.ts';
import { newId } from '../../src/core/record-id.ts';
import { LimitExceeded } from '../../src/limits/account-limits.ts';
import { withinLimits } from '../../src/limits/within-limits.ts';
import { mintKind } from '../../src/orders/mint/mint-kind.ts';
import { mintingOrders } from '../../src/orders/order-forms.ts';
import { insertOrders, type NewMintingOrder } from '../../src/orders/mint/minting-orders.store.ts';
import { ordersWith } from '../../src/orders/orders.store.ts';
import { isAborted } from '../../src/platform/database/errors.ts';
import { tenantOf } from '../../src/platform/database/client.ts';
import { startWorld, type World } from './lane-world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const tenant = () => ({ ...tenantOf(world.driver().services.db, world.accountId), isLimited: false });
const accept = (orders: readonly NewMintingOrder[]) =>
  insertOrders(tenant(), mintKind, world.wallet, orders, new Date());

/** An order for metadata that no other one uses. */
async function newOrder(): Promise<NewMintingOrder> {
  const [id = ''] = await world.acceptMints(1, { erc721: true });
  const order = await world.order(id);
  const metadataId = newId();
  await world.pool.query(
    `insert into metadata (id, corporate_account_id, chain_id, schema_version, standard_fields) values ($1, $2, $3, 'v', '{}')`,
    [metadataId, world.accountId, order['chain_id']],
  );
  return {
    id: newId(),
    contractId: String(order['contract_id']),
    chainId: String(order['chain_id']),
    contractAddress: order['contract_address'] as LowerCaseAddress,
    ercStandard: '721',
    receiverAddress: order['receiver_address'] as Address,
    tokenId: String(order['token_id']),
    amount: 1,
    metadataId,
    tokenUri: null,
    metadataHash: null,
    createdAt: new Date(),
  };
}

/** The ids of the orders of a document. */
async function storedOf({ metadataId }: NewMintingOrder) {
  const { rows } = await world.pool.query<{ id: string }>('select id from orders where metadata_id = $1', [metadataId]);
  return rows.map(({ id }) => id);
}

it('of orders for one document at the same time one is stored', async () => {
  const order = await newOrder();
  const results = await Promise.all(Array.from({ length: 10 }, () => accept([{ ...order, id: newId() }])));
  const ids = results.flat().map(({ id }) => id);
  expect(ids).toHaveLength(1);
  expect(await storedOf(order)).toEqual(ids);
});

it('an order is returned as it is read, and not stored again by another attempt', async () => {
  // Its id is older than its acceptance, as that of a row of an import that is run again.
  const createdAt = new Date(Date.now() - 3_600_000);
  const order = { ...(await newOrder()), createdAt };
  const [stored] = await accept([order]);
  expect(await ordersWith(tenant(), mintingOrders, [mintKind], [order.id])).toEqual([
    { ...stored, progress: expect.anything() },
  ]);
  expect(await accept([order])).toEqual([]);
  expect(await storedOf(order)).toEqual([order.id]);
});

it('an account that has got limits since its request began is held to them', async () => {
  const order = await newOrder();
  await world.pool.query(
    `insert into account_limits (corporate_account_id, limits, updated_at) values ($1, '{"ordersPerDay":0}', now())`,
    [world.accountId],
  );
  const refusal = await accept([order]).catch((error: unknown) => error);
  expect(isAborted(refusal, 'limits_set')).toBe(true);
  const { services } = world.driver();
  const limited = withinLimits({ ...services, db: tenant(), account: { isLimited: false } }, (accepting) =>
    insertOrders(accepting, mintKind, world.wallet, [order], new Date()),
  );
  await expect(limited).rejects.toThrow(LimitExceeded);
  expect(await storedOf(order)).toEqual([]);
});
