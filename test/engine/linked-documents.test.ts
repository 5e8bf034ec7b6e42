import { newId } from '../../src/core/record-id.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findOutdated, findVersions } from '../../src/catalog/metadata/token-documents.store.ts';
import { startWorld, type World } from './lane-world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

it('a document is not put into the cache late, and is outdated there, if its token has had another one since', async () => {
  const driver = world.driver();
  const { db } = driver.context.services;
  const orders = await world.acceptMints(3);
  await driver.finish();
  const documents = await Promise.all(
    orders.map(async (id) => ({ id: String((await world.order(id))['metadata_id']) })),
  );
  const versions = await findVersions(db, documents);
  expect(versions).toHaveLength(3);
  expect(await findOutdated(db, versions)).toEqual(new Set());

  const [first, second] = documents;
  await world.pool.query(
    `update metadata m set contract_address = f.contract_address, token_id = f.token_id, linked_at = f.linked_at + interval '1 ms'
       from metadata f where m.id = $1 and f.id = $2`,
    [second?.id, first?.id],
  );
  expect(await findOutdated(db, versions)).toEqual(new Set([first?.id]));
  expect((await findVersions(db, documents)).map(({ id }) => id)).not.toContain(first?.id);
});

it('a document that is put into the cache late is outdated there if an order has burned of its token', async () => {
  const driver = world.driver();
  const { db } = driver.context.services;
  const orders = await world.acceptMints(2);
  await driver.finish();
  const [minted, other] = await Promise.all(orders.map((id) => world.order(id)));
  const versions = await findVersions(db, [
    { id: String(minted?.['metadata_id']) },
    { id: String(other?.['metadata_id']) },
  ]);
  await world.pool.query(
    `insert into orders (id, kind, order_id, resource, corporate_account_id, chain_id, wallet_address, contract_address, erc_standard,
       holder_address, token_id, amount, state, next_try_at)
       select $2, 'burn', $2, 'burn-orders', corporate_account_id, chain_id, wallet_address, contract_address, '721', receiver_address, token_id, 1,
         'confirmed', now()
       from orders where id = $1`,
    [orders[0], newId()],
  );
  expect(await findOutdated(db, versions)).toEqual(new Set([minted?.['metadata_id']]));
});
