import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Address } from 'viem';
import { linkMetadata, lockLinkedContracts } from '../../src/catalog/metadata/token-documents.store.ts';
import { newId } from '../../src/core/ids.ts';
import { mintKind } from '../../src/orders/mint/mint-kind.ts';
import { insertOrders } from '../../src/orders/mint/minting-orders.store.ts';
import { runBatch, tenantOf } from '../../src/platform/database/client.ts';
import { startWorld } from './lane-world.ts';
import type { World } from './lane-world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

/** Copies a document, without its link. */
async function copyOf(metadataId: unknown): Promise<string> {
  const id = newId();
  await world.pool.query(
    `insert into metadata (id, corporate_account_id, chain_id, schema_version, standard_fields)
     select $1, corporate_account_id, chain_id, schema_version, standard_fields
     from metadata where id = $2`,
    [id, metadataId],
  );
  return id;
}

it('the statement that accepts orders refuses those that name another document than their ERC-1155 token has', async () => {
  const driver = world.driver();
  const [first = ''] = await world.acceptMints(1);
  await driver.finish();
  const minted = await world.order(first);
  const now = new Date();
  const again = (metadataId: string) => ({
    id: newId(),
    contractId: String(minted['contract_id']),
    chainId: String(minted['chain_id']),
    contractAddress: minted['contract_address'] as Address,
    ercStandard: '1155' as const,
    receiverAddress: minted['receiver_address'] as Address,
    tokenId: String(minted['token_id']),
    amount: 1,
    metadataId,
    status: 'PENDING' as const,
    mode: 'direct' as const,
    createdAt: now,
    updatedAt: now,
  });
  const same = again(String(minted['metadata_id']));
  const other = again(await copyOf(minted['metadata_id']));
  const tenant = tenantOf(driver.context.services.db, world.accountId);
  const stored = await insertOrders(tenant, mintKind, world.wallet, [other, same], now);
  expect(stored.map(({ id }) => id)).toEqual([same.id]);
  await driver.finish();
});

it('of two documents linked to an ERC-1155 token at once, the token gets one', async () => {
  const { db } = world.driver().context.services;
  const [order = ''] = await world.acceptMints(1);
  const { metadata_id, contract_id, contract_address } = await world.order(order);
  for (let round = 0; round < 25; round += 1) {
    const documents = [await copyOf(metadata_id), await copyOf(metadata_id)];
    const results = await Promise.all(
      documents.map(async (metadataId) => {
        const link = {
          orderId: order,
          metadataId,
          contractId: String(contract_id),
          ercStandard: '1155' as const,
          contractAddress: contract_address as Address,
          tokenId: String(1_000_000 + round),
          at: new Date(),
        };
        const [, linked] = await runBatch(db, [
          lockLinkedContracts(db, [link]),
          linkMetadata(db, () => sql`true`, [link]),
        ]);
        return linked as unknown[];
      }),
    );
    expect(results.flat()).toHaveLength(1);
  }
});
